// Which balls have to be painted, and how much of each: a ball whose neighbour along an axis is not smaller leaves to it
// what lies on that side.
//
// Let the neighbour y + e of y along an axis of side h have D2(y + e) = D2(y) + m with m >= 0. It covers every p of the ball
// of y, taken from y, with 2 h^2 p_e > h^2 - 1 - m, because |p - e|^2 = |p|^2 - 2 h^2 p_e + h^2. So y has to paint only
// p_e <= -floor((m + h^2) / 2 h^2), and the same towards each other side: a box. Whatever leaves something to a neighbour
// leaves it to a ball that is larger or, at m = 0, nearer, so that all of it is painted in the end. This holds for any map
// of squares.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/memory.hpp"
#include "granulometry/balls/squares.hpp"
#include "granulometry/cpu/balls/tile.hpp"

namespace tamis::granulometry_detail::cpu::balls {

// Balls on their way to the tiles that they touch: a list for each tile and thread, of chunks that are used again.

/// One thread's lists. Layers of tiles come and go: layer l has the place l % `layers`.
template <class Lane>
class Lists {
 public:
  Lists(std::int64_t layers, std::int64_t tiles_of_layer)
      : layers_(layers), tiles_(tiles_of_layer), heads_(static_cast<std::size_t>(layers * tiles_of_layer)) {}

  void push(std::int64_t layer, std::int64_t tile, const Ball<Lane>& ball) {
    Chunk*& head = heads_[place(layer, tile)];
    if (head == nullptr || head->count == capacity) {
      Chunk* const fresh = take();
      fresh->next = head;
      fresh->count = 0;
      head = fresh;
    }
    head->balls[head->count++] = ball;
  }

  /// Appends the balls of a tile. Lists of different tiles may be read at the same time.
  void read(std::int64_t layer, std::int64_t tile, std::vector<Ball<Lane>>& out) const {
    for (const Chunk* chunk = heads_[place(layer, tile)]; chunk != nullptr; chunk = chunk->next) {
      out.insert(out.end(), chunk->balls, chunk->balls + chunk->count);
    }
  }

  /// Empties a layer; its chunks serve again.
  void clear(std::int64_t layer) {
    for (std::int64_t tile = 0; tile < tiles_; ++tile) {
      for (Chunk*& head = heads_[place(layer, tile)]; head != nullptr;) {
        Chunk* const next = head->next;
        head->next = free_;
        free_ = head;
        head = next;
      }
    }
  }

 private:
  static constexpr int capacity = 80;
  struct Chunk {
    Chunk* next = nullptr;
    int count = 0;
    Ball<Lane> balls[capacity];
  };

  [[nodiscard]] std::size_t place(std::int64_t layer, std::int64_t tile) const {
    return static_cast<std::size_t>(layer % layers_ * tiles_ + tile);
  }
  Chunk* take() {
    if (free_ == nullptr) {
      constexpr std::int64_t at_once = 64;
      blocks_.push_back(std::make_unique<Chunk[]>(at_once));
      for (std::int64_t i = 0; i < at_once; ++i) {
        blocks_.back()[i].next = free_;
        free_ = &blocks_.back()[i];
      }
    }
    Chunk* const chunk = free_;
    free_ = chunk->next;
    return chunk;
  }

  std::int64_t layers_;
  std::int64_t tiles_;
  std::vector<Chunk*> heads_;
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
  Chunk* free_ = nullptr;
};

/// What all threads share.
template <class Lane>
struct Setting {
  View<Lane> view;
  WholeSides sides;
  bool flat = false;  ///< disks: nothing reaches along z
  Kernels kernels;
  Inclusion inclusion;

  [[nodiscard]] std::int64_t side(int axis) const { return axis == 0 ? sides.z : axis == 1 ? sides.y : sides.x; }
  [[nodiscard]] std::int64_t tiles_y() const { return (view.y + edge - 1) / edge; }
  [[nodiscard]] std::int64_t tiles_x() const { return (view.x + edge - 1) / edge; }
  [[nodiscard]] std::int64_t layers() const { return (view.z + edge - 1) / edge; }
};

/// One thread's work on strips of rows: 32 slices, 32 rows, all of x.
template <class Lane>
class Selector {
 public:
  Selector(const Setting<Lane>& setting, Lists<Lane>& lists)
      : setting_(setting),
        lists_(lists),
        stride_((setting.view.x + 63) / 64 * 64 + 2 * margin),
        rows_(3 * (edge + 2) * stride_),
        live_(static_cast<std::size_t>((setting.view.x + 63) / 64)) {
    for (auto& row : around_) row = Buffer<Lane>(stride_);
  }

  void select(std::int64_t layer, std::int64_t strip) {
    const std::int64_t z0 = layer * edge;
    const std::int64_t z1 = std::min(setting_.view.z, z0 + edge);
    const std::int64_t y0 = strip * edge;
    const std::int64_t y1 = std::min(setting_.view.y, y0 + edge);
    load_slice(z0 - 1, y0, y1);
    load_slice(z0, y0, y1);
    for (std::int64_t z = z0; z < z1; ++z) {
      load_slice(z + 1, y0, y1);
      for (std::int64_t y = y0; y < y1; ++y) select_row(z, y, y0);
    }
  }

 private:
  static constexpr std::int64_t margin = 64;  ///< zeros before and behind a row, and room for a vector

  [[nodiscard]] Lane* padded(std::int64_t z, std::int64_t y, std::int64_t y0) {
    return rows_.data() + ((z + 3) % 3 * (edge + 2) + y - y0 + 1) * stride_ + margin;
  }

  /// Rows y0 - 1 ... y1 of a slice, zeros where there are none.
  void load_slice(std::int64_t z, std::int64_t y0, std::int64_t y1) {
    const View<Lane>& view = setting_.view;
    for (std::int64_t y = y0 - 1; y <= y1; ++y) {
      Lane* const row = padded(z, y, y0);
      const bool inside = z >= 0 && z < view.z && y >= 0 && y < view.y;
      if (inside) {
        std::copy_n(view.row(z, y), view.x, row);
      } else {
        std::fill_n(row, view.x, Lane{0});
      }
    }
  }

  void select_row(std::int64_t z, std::int64_t y, std::int64_t y0) {
    Neighbourhood<Lane> near;
    for (int i = 0; i < 9; ++i) near.rows[i] = padded(z + i / 3 - 1, y + i % 3 - 1, y0);
    mark(near);
    for (std::size_t word = 0; word < live_.size(); ++word) {
      for (std::uint64_t bits = live_[word]; bits != 0; bits &= bits - 1) {
        const std::int64_t x = static_cast<std::int64_t>(word) * 64 + std::countr_zero(bits);
        if (!lies_in_diagonal(near, x)) emit(near, z, y, x);
      }
    }
  }

  void mark(const Neighbourhood<Lane>& near) {
    if constexpr (sizeof(Lane) == 2) {
      const auto square = [](std::int64_t side) { return static_cast<std::uint16_t>(side * side); };
      SelectTask task{setting_.view.x, square(setting_.sides.x), square(setting_.sides.y), square(setting_.sides.z)};
      if (setting_.flat) task.along_z = 0;
      std::uint16_t* around[diagonals];
      for (int i = 0; i < diagonals; ++i) around[i] = around_[static_cast<std::size_t>(i)].data();
      setting_.kernels.select_row(near, task, live_.data(), around);
    } else {
      std::fill(live_.begin(), live_.end(), 0);
      for (std::int64_t x = 0; x < setting_.view.x; ++x) {
        if (near.centre()[x] >= 2) live_[static_cast<std::size_t>(x / 64)] |= std::uint64_t{1} << (x % 64);
      }
    }
  }

  bool lies_in_diagonal(const Neighbourhood<Lane>& near, std::int64_t x) const {
    const std::uint64_t square = near.centre()[x];
    if (square >= setting_.inclusion.known()) return false;
    for (int i = 0; i < diagonals; ++i) {
      if (setting_.flat && i != diagonal_xy) continue;
      const std::uint64_t largest = sizeof(Lane) == 2 ? std::uint64_t{around_[static_cast<std::size_t>(i)][x]}
                                                      : std::uint64_t{largest_around(near, x, i)};
      const std::uint32_t least = setting_.inclusion.least[i][static_cast<std::size_t>(square)];
      if (largest >= least && least != Inclusion::never) return true;
    }
    return false;
  }

  static Lane largest_around(const Neighbourhood<Lane>& near, std::int64_t x, int kind) {
    const auto sides = [&](int row) { return std::max(near.rows[row][x - 1], near.rows[row][x + 1]); };
    if (kind == diagonal_xy) return std::max(sides(3), sides(5));
    if (kind == diagonal_xz) return std::max(sides(1), sides(7));
    if (kind == diagonal_xyz) return std::max(std::max(sides(0), sides(2)), std::max(sides(6), sides(8)));
    return std::max(std::max(near.rows[0][x], near.rows[2][x]), std::max(near.rows[6][x], near.rows[8][x]));
  }

  /// From its middle, along one axis.
  struct Reach {
    std::int64_t low = 0;
    std::int64_t high = 0;
  };

  /// What the neighbours below and above leave of a ball of this square, inside the view.
  static Reach reach(std::uint64_t square, std::uint64_t below, std::uint64_t above, std::int64_t side, std::int64_t at,
                     std::int64_t count, std::int64_t radius) {
    const auto steps = [&](std::uint64_t neighbour) {
      const auto h2 = static_cast<std::uint64_t>(side * side);
      return static_cast<std::int64_t>((neighbour - square + h2) / (2 * h2));
    };
    Reach reach{-std::min(radius, at), std::min(radius, count - 1 - at)};
    if (below >= square) reach.low = std::max(reach.low, steps(below));
    if (above >= square) reach.high = std::min(reach.high, -steps(above));
    return reach;
  }

  void emit(const Neighbourhood<Lane>& near, std::int64_t z, std::int64_t y, std::int64_t x) {
    const View<Lane>& view = setting_.view;
    const WholeSides& sides = setting_.sides;
    const Lane square = near.centre()[x];
    const std::int64_t radius = root(std::uint64_t{square} - 1);
    const std::array<Reach, 3> box = {
        setting_.flat ? Reach{}
                      : reach(square, near.rows[1][x], near.rows[7][x], sides.z, z, view.z, radius / sides.z),
        reach(square, near.rows[3][x], near.rows[5][x], sides.y, y, view.y, radius / sides.y),
        reach(square, near.centre()[x - 1], near.centre()[x + 1], sides.x, x, view.x, radius / sides.x)};
    std::uint64_t away = 0;
    bool middle_only = true;
    for (int axis = 0; axis < 3; ++axis) {
      const auto [low, high] = box[static_cast<std::size_t>(axis)];
      if (low > high) return;
      middle_only = middle_only && low == 0 && high == 0;
      const auto nearest = static_cast<std::uint64_t>(std::max<std::int64_t>({low, -high, 0}) * setting_.side(axis));
      away += nearest * nearest;
    }
    if (away >= square || middle_only) return;
    share_out(square, {z, y, x}, box);
  }

  /// How far, in whole sides squared, the middle is from the part of the box that a tile has.
  std::uint64_t away_along(int axis, std::int64_t middle, std::int64_t first, std::int64_t last) const {
    const std::int64_t steps = std::max<std::int64_t>({first - middle, middle - last, 0});
    return static_cast<std::uint64_t>(steps * setting_.side(axis)) * static_cast<std::uint64_t>(steps * setting_.side(axis));
  }

  void share_out(Lane square, const std::array<std::int64_t, 3>& middle, const std::array<Reach, 3>& box) {
    using Offset = typename Ball<Lane>::Offset;
    const auto first = [&](std::size_t axis) { return middle[axis] + box[axis].low; };
    const auto last = [&](std::size_t axis) { return middle[axis] + box[axis].high; };
    const auto part = [&](std::size_t axis, std::int64_t tile) {
      return std::pair{std::max(first(axis), tile * edge), std::min(last(axis), tile * edge + edge - 1)};
    };
    const auto range = [](const std::pair<std::int64_t, std::int64_t>& of, std::int64_t tile) {
      return typename Ball<Lane>::Range{static_cast<int>(of.first - tile * edge), static_cast<int>(of.second - tile * edge)};
    };
    for (std::int64_t tz = first(0) / edge; tz <= last(0) / edge; ++tz) {
      const auto in_z = part(0, tz);
      const std::uint64_t away_z = away_along(0, middle[0], in_z.first, in_z.second);
      for (std::int64_t ty = first(1) / edge; ty <= last(1) / edge; ++ty) {
        const auto in_y = part(1, ty);
        const std::uint64_t away_y = away_z + away_along(1, middle[1], in_y.first, in_y.second);
        if (away_y >= square) continue;
        for (std::int64_t tx = first(2) / edge; tx <= last(2) / edge; ++tx) {
          const auto in_x = part(2, tx);
          if (away_y + away_along(2, middle[2], in_x.first, in_x.second) >= square) continue;
          Ball<Lane> ball{square, static_cast<Offset>(middle[0] - tz * edge), static_cast<Offset>(middle[1] - ty * edge),
                          static_cast<Offset>(middle[2] - tx * edge), 0};
          ball.set_box(range(in_z, tz), range(in_y, ty), range(in_x, tx));
          lists_.push(tz, ty * setting_.tiles_x() + tx, ball);
        }
      }
    }
  }

  const Setting<Lane>& setting_;
  Lists<Lane>& lists_;
  std::int64_t stride_;
  Buffer<Lane> rows_;
  std::vector<std::uint64_t> live_;
  std::array<Buffer<Lane>, diagonals> around_;
};

}  // namespace tamis::granulometry_detail::cpu::balls
