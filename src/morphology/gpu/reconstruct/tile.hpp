// A tile of a reconstruction on the GPU: one warp brings it to rest in its own memory, with what lies around it as it
// is. Written over what a warp can do, so that tests run the same code on the CPU, lane by lane.
#pragma once

#include <cstdint>

#include "morphology/reconstruct_cells.hpp"

namespace tamis::morphology_detail::gpu {

/// 32 cells along x, one a lane; rows numbered along y, then z.
template <class CellType, int rank, bool full_connectivity>
struct TileForm {
  using Cell = CellType;
  static constexpr bool full = full_connectivity;
  static constexpr int nx = 32;
  static constexpr int ny = rank == 3 ? 8 : 32;
  static constexpr int nz = rank == 3 ? 8 : 1;
  static constexpr int frame_z = rank == 3 ? 1 : 0;
  static constexpr int rows = ny * nz;
  static constexpr int pitch = nx + 2;
  static constexpr int plane = pitch * (ny + 2);
};

/// Cells of the whole image, rows and slices beside each other. Rows are padded to 64 cells with zeros.
template <class Cell>
struct CellGrid {
  Cell* j = nullptr;        ///< what rises
  const Cell* i = nullptr;  ///< how far
  std::int64_t pitch = 0, ny = 0, nz = 0;
  int tiles_x = 0, tiles_y = 0, tiles_z = 0;

  TAMIS_CELL std::int64_t row(std::int64_t z, std::int64_t y) const { return (z * ny + y) * pitch; }
};

/// What a warp works in: the tile with a frame of its neighbours' cells, the mask, and which cells have risen.
template <class Form>
struct TileMemory {
  typename Form::Cell j[Form::plane * (Form::nz + 2 * Form::frame_z)];
  typename Form::Cell i[Form::rows * Form::nx];
  std::uint32_t risen[Form::rows];
};

/// Neighbouring tiles by number: bit (dz + 1) * 9 + (dy + 1) * 3 + dx + 1.
struct TileDirection {
  int dz, dy, dx;
  TAMIS_CELL explicit TileDirection(int number) : dz(number / 9 - 1), dy(number / 3 % 3 - 1), dx(number % 3 - 1) {}
};

/// Warp is what 32 lanes do together: a Warp::Value<T> has one T for each.
template <class Warp, class Form>
class TileRun {
 public:
  using Cell = typename Form::Cell;
  using Value = typename Warp::template Value<Cell>;

  TAMIS_CELL TileRun(TileMemory<Form>& memory, const CellGrid<Cell>& grid, int tile)
      : memory_(memory),
        grid_(grid),
        tile_x_(tile % grid.tiles_x),
        tile_y_(tile / grid.tiles_x % grid.tiles_y),
        tile_z_(tile / grid.tiles_x / grid.tiles_y) {}

  /// Returns the directions in which a tile has to look again. `fresh`: it never was at rest.
  TAMIS_CELL std::uint32_t run(bool fresh) {
    load();
    // A sweep brings rows to rest with those before them, so the second one that finds nothing is the last.
    bool any = false;
    for (int turn = 0;; ++turn) {
      const bool now = sweep(turn % 2 == 0, fresh && turn == 0);
      any = any || now;
      if (!now && turn > 0) break;
    }
    if (!any) return 0;
    store();
    std::uint32_t wake = 0;
    for (int number = 0; number < 27; ++number) {
      if (wakes(TileDirection(number))) wake |= 1U << number;
    }
    return wake;
  }

 private:
  /// Of the tile's cell, or one of its frame.
  TAMIS_CELL static int at(int z, int y, int x) {
    return (z + Form::frame_z) * Form::plane + (y + 1) * Form::pitch + x + 1;
  }
  TAMIS_CELL std::int64_t first_x() const { return std::int64_t{tile_x_} * Form::nx; }

  /// Where row (z, y) of the tile begins in the grid; of a row outside of the image, that of one inside.
  TAMIS_CELL std::int64_t row_of(int z, int y, bool& inside) const {
    const std::int64_t of_z = std::int64_t{tile_z_} * Form::nz + z;
    const std::int64_t of_y = std::int64_t{tile_y_} * Form::ny + y;
    inside = of_z >= 0 && of_z < grid_.nz && of_y >= 0 && of_y < grid_.ny;
    return grid_.row(inside ? of_z : 0, inside ? of_y : 0) + first_x();
  }

  TAMIS_CELL void load() {
    constexpr int framed_rows = (Form::ny + 2) * (Form::nz + 2 * Form::frame_z);
    Warp::sync();  // lanes may still look at the tile before
    TAMIS_UNROLL
    for (int r = 0; r < framed_rows; ++r) {
      const int z = r / (Form::ny + 2) - Form::frame_z;
      const int y = r % (Form::ny + 2) - 1;
      bool inside = false;
      const std::int64_t row = row_of(z, y, inside);
      Warp::store(memory_.j + at(z, y, 0), Warp::only_if(inside, Warp::load_global(grid_.j + row)));
    }
    Warp::each(2 * framed_rows, [&](int k) {
      const int r = k / 2;
      const int z = r / (Form::ny + 2) - Form::frame_z;
      const int y = r % (Form::ny + 2) - 1;
      const int x = k % 2 == 0 ? -1 : Form::nx;
      bool inside = false;
      const std::int64_t row = row_of(z, y, inside);
      inside = inside && first_x() + x >= 0 && first_x() + x < grid_.pitch;
      memory_.j[at(z, y, x)] = inside ? Warp::cell_global(grid_.j + row + x) : Cell{0};
    });
    TAMIS_UNROLL
    for (int r = 0; r < Form::rows; ++r) {
      bool inside = false;
      const std::int64_t row = row_of(r / Form::ny, r % Form::ny, inside);
      Warp::store(memory_.i + r * Form::nx, Warp::only_if(inside, Warp::load(grid_.i + row)));
    }
    Warp::each(Form::rows, [&](int r) { memory_.risen[r] = 0; });
    Warp::sync();
  }

  /// All rows in order, each from the rows before it and along itself. Returns whether a cell has risen. `fresh`: rows
  /// are not at rest in themselves.
  TAMIS_CELL bool sweep(bool forward, bool fresh) {
    std::uint32_t any = 0;
    Warp::sync();
    for (int k = 0; k < Form::rows; ++k) {
      const int r = forward ? k : Form::rows - 1 - k;
      const int row = at(r / Form::ny, r % Form::ny, 0);
      const Value own = Warp::load(memory_.j + row);
      const Value most = Warp::load(memory_.i + r * Form::nx);
      Value value = Warp::min(from_earlier(row, forward ? 1 : -1, own), most);
      std::uint32_t risen = Warp::differ(value, own);
      if (risen == 0 && !fresh) continue;
      value = along_row(value, most);
      risen = Warp::differ(value, own);
      if (risen == 0) continue;
      Warp::store(memory_.j + row, value);
      Warp::once([&] { memory_.risen[r] |= risen; });
      any |= risen;
      Warp::sync();
    }
    return any != 0;
  }

  TAMIS_CELL Value from_earlier(int row, int direction, const Value& own) const {
    // The frame's cells at both ends of the row.
    Value value = Warp::at_ends(own, memory_.j[row - 1], memory_.j[row + Form::nx]);
    value = from_row(row - direction * Form::pitch, value);
    if constexpr (Form::frame_z == 1) {
      value = from_row(row - direction * Form::plane, value);
      if constexpr (Form::full) {
        value = from_row(row - direction * (Form::plane - Form::pitch), value);
        value = from_row(row - direction * (Form::plane + Form::pitch), value);
      }
    }
    return value;
  }
  TAMIS_CELL Value from_row(int row, Value value) const {
    value = Warp::max(value, Warp::load(memory_.j + row));
    if constexpr (Form::full) {
      value = Warp::max(value, Warp::load(memory_.j + row - 1));
      value = Warp::max(value, Warp::load(memory_.j + row + 1));
    }
    return value;
  }

  /// What comes along the row from both sides. A cell makes min(most, max(low, v)) of v; one such function after the
  /// other is one again, so that five steps join 32 of them.
  TAMIS_CELL static Value along_row(const Value& own, const Value& mask) {
    Value low = own;
    Value most = mask;
    TAMIS_UNROLL
    for (int distance = 1; distance < Form::nx; distance *= 2) {
      const Value before_low = Warp::before(low, distance);
      const Value before_most = Warp::before(most, distance);
      const Value new_low = Warp::min(most, Warp::max(low, before_low));
      most = Warp::min(most, Warp::max(low, before_most));
      low = new_low;
    }
    most = mask;
    TAMIS_UNROLL
    for (int distance = 1; distance < Form::nx; distance *= 2) {
      const Value after_low = Warp::after(low, distance);
      const Value after_most = Warp::after(most, distance);
      const Value new_low = Warp::min(most, Warp::max(low, after_low));
      most = Warp::min(most, Warp::max(low, after_most));
      low = new_low;
    }
    return low;
  }

  TAMIS_CELL void store() const {
    for (int r = 0; r < Form::rows; ++r) {
      if (memory_.risen[r] == 0) continue;
      bool inside = false;
      const std::int64_t row = row_of(r / Form::ny, r % Form::ny, inside);
      Warp::store_global(grid_.j + row, Warp::load(memory_.j + at(r / Form::ny, r % Form::ny, 0)));
    }
  }

  /// Whether a cell that has risen can raise one of the neighbour's, as those were when this tile was loaded.
  TAMIS_CELL bool wakes(const TileDirection& d) const {
    const bool face = (d.dz != 0) + (d.dy != 0) + (d.dx != 0) == 1;
    if ((d.dz == 0 && d.dy == 0 && d.dx == 0) || (!Form::full && !face)) return false;
    if (Form::frame_z == 0 && d.dz != 0) return false;  // of a stack: another image
    if (tile_x_ + d.dx < 0 || tile_x_ + d.dx >= grid_.tiles_x || tile_y_ + d.dy < 0 ||
        tile_y_ + d.dy >= grid_.tiles_y || tile_z_ + d.dz < 0 || tile_z_ + d.dz >= grid_.tiles_z) {
      return false;
    }
    const int nx = d.dx == 0 ? Form::nx : 1;
    const int ny = d.dy == 0 ? Form::ny : 1;
    const int nz = d.dz == 0 ? Form::nz : 1;
    return Warp::any(nx * ny * nz, [&](int k) {
      const int x = d.dx > 0 ? Form::nx - 1 : k % nx;
      const int y = d.dy > 0 ? Form::ny - 1 : k / nx % ny;
      const int z = d.dz > 0 ? Form::nz - 1 : k / nx / ny;
      return (memory_.risen[z * Form::ny + y] >> x & 1U) != 0 && raises_there(d, z, y, x);
    });
  }
  TAMIS_CELL bool raises_there(const TileDirection& d, int z, int y, int x) const {
    constexpr int side = Form::full ? 1 : 0;
    const Cell here = memory_.j[at(z, y, x)];
    // Along an axis that does not lead there, neighbours on both sides; those outside of the tile are other tiles'.
    for (int of_z = d.dz != 0 ? d.dz : -side * Form::frame_z; of_z <= (d.dz != 0 ? d.dz : side * Form::frame_z);
         ++of_z) {
      for (int of_y = d.dy != 0 ? d.dy : -side; of_y <= (d.dy != 0 ? d.dy : side); ++of_y) {
        for (int of_x = d.dx != 0 ? d.dx : -side; of_x <= (d.dx != 0 ? d.dx : side); ++of_x) {
          if (d.dz == 0 && (z + of_z < 0 || z + of_z >= Form::nz)) continue;
          if (d.dy == 0 && (y + of_y < 0 || y + of_y >= Form::ny)) continue;
          if (d.dx == 0 && (x + of_x < 0 || x + of_x >= Form::nx)) continue;
          const Cell there = memory_.j[at(z + of_z, y + of_y, x + of_x)];
          if (here <= there) continue;
          bool inside = false;
          const std::int64_t row = row_of(z + of_z, y + of_y, inside);
          if (inside && grid_.i[row + x + of_x] > there) return true;
        }
      }
    }
    return false;
  }

  TileMemory<Form>& memory_;
  CellGrid<Cell> grid_;
  int tile_x_, tile_y_, tile_z_;
};

}  // namespace tamis::morphology_detail::gpu
