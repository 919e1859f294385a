#include "median/cpu/network/program.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tamis::median_detail::cpu {
namespace {

/// Part of a tile; its results all see the core, columns x0 ... x1 and rows y0 ... y1. Columns and rows count from the
/// core of the whole tile.
struct Part {
  int x = 0, y = 0;           ///< of its first result in the tile
  int width = 1, height = 1;  ///< in results
  int x0 = 0, x1 = 0;
  int y0 = 0, y1 = 0;
};

/// What a part has beside its core: of each further column the samples in rows y0 ... y1, of each further row those in
/// columns x0 ... x1. Only the lists that are not shared with neighbours are here.
struct Sides {
  std::map<int, SortedList> columns, rows;
};

class TileBuilder {
 public:
  TileBuilder(NetworkProgram& program)
      : program_(program),
        tile_x_(program.tile_x),
        tile_y_(program.tile_y),
        depth_(static_cast<int>(program.window.depth)),
        width_(static_cast<int>(program.window.width)),
        height_(static_cast<int>(program.window.height)),
        row_(program.row, program.window),
        columns_(program.columns, program.window),
        tile_(program.tile, program.window) {}

  void build() {
    for (int phase = 0; phase < tile_x_; ++phase) make_samples(phase);
    const Part all{0, 0, tile_x_, tile_y_, 0, width_ - tile_x_, 0, height_ - tile_y_};
    std::vector<SortedList> core = column_pieces(0, all.x1);
    if (tile_x_ == 1 && tile_y_ == 1) return tile_.select(std::move(core), 0);
    divide(all, tile_.united(std::move(core)), {});
  }

 private:
  /// Column `column` from the core is phase column mod tile_x of lane column / tile_x.
  [[nodiscard]] int phase_of(int column) const { return (column % tile_x_ + tile_x_) % tile_x_; }
  [[nodiscard]] int lane_of(int column) const { return (column - phase_of(column)) / tile_x_; }

  /// A list as it is for the tile whose first column is `column` further on.
  [[nodiscard]] SortedList moved(SortedList list, int column) {
    list.at.lane += lane_of(column);
    program_.last_lane = std::max(program_.last_lane, list.at.lane);
    return list;
  }
  [[nodiscard]] SortedList in_row(SortedList list, int row) const {
    list.at.space = space::rows + row + tile_y_ - 1;
    return list;
  }

  /// The samples of all slices at a column, sorted: made once for each row.
  void make_samples(int phase) {
    if (depth_ == 1) {
      row_lists_[{phase, 1}] = {{space::made, row_.reserve_made(1), 0}, 1, 0, 1, -1};
      return;
    }
    std::vector<SortedList> slices;
    slices.reserve(static_cast<std::size_t>(depth_));
    for (int z = 0; z < depth_; ++z) slices.push_back({{space::rows + z, phase, 0}, 1, 0, 1, -1});
    row_lists_[{phase, 1}] = row_.united(std::move(slices), true);
  }

  /// Columns from ... to in as few groups as neighbours share: powers of two of columns, all in one lane.
  template <class Add>
  void for_groups(int from, int to, Add add) const {
    while (from <= to) {
      int size = 1;
      while (2 * size <= tile_x_ && phase_of(from) % (2 * size) == 0 && from + 2 * size - 1 <= to) size *= 2;
      add(from, size);
      from += size;
    }
  }

  /// Samples of a row, phases phase ... phase + size - 1.
  [[nodiscard]] SortedList row_group(int phase, int size) {
    const auto found = row_lists_.find({phase, size});
    if (found != row_lists_.end()) return found->second;
    std::vector<SortedList> parts;
    if (depth_ == 1 && size <= most_sorted) {
      for (int i = 0; i < size; ++i) parts.push_back(row_group(phase + i, 1));
    } else {
      parts = {row_group(phase, size / 2), row_group(phase + size / 2, size / 2)};
    }
    return row_lists_[{phase, size}] = row_.united(std::move(parts), true);
  }
  [[nodiscard]] std::vector<SortedList> row_pieces(int row, int from, int to) {
    std::vector<SortedList> pieces;
    for_groups(from, to, [&](int column, int size) {
      pieces.push_back(in_row(moved(row_group(phase_of(column), size), column), row));
    });
    return pieces;
  }
  /// A row along the core of the whole tile: tiles above each other share it, so it is made with the row.
  [[nodiscard]] SortedList core_row(int row) {
    if (core_row_.seen == 0) {
      std::vector<SortedList> pieces;
      for_groups(0, width_ - tile_x_,
                 [&](int column, int size) { pieces.push_back(moved(row_group(phase_of(column), size), column)); });
      core_row_ = row_.united(std::move(pieces), true);
    }
    return in_row(core_row_, row);
  }

  /// Columns of phases phase ... phase + size - 1 along the core of the whole tile.
  [[nodiscard]] SortedList column_group(int phase, int size) {
    const auto found = column_lists_.find({phase, size});
    if (found != column_lists_.end()) return found->second;
    std::vector<SortedList> parts;
    if (size == 1) {
      for (int row = 0; row <= height_ - tile_y_; ++row) parts.push_back(in_row(row_group(phase, 1), row));
    } else {
      parts = {column_group(phase, size / 2), column_group(phase + size / 2, size / 2)};
    }
    return column_lists_[{phase, size}] = columns_.united(std::move(parts), true);
  }
  [[nodiscard]] std::vector<SortedList> column_pieces(int from, int to) {
    std::vector<SortedList> pieces;
    for_groups(from, to,
               [&](int column, int size) { pieces.push_back(moved(column_group(phase_of(column), size), column)); });
    return pieces;
  }

  [[nodiscard]] static SortedList borrowed(SortedList list) {
    list.owned = -1;
    return list;
  }
  [[nodiscard]] SortedList row_of(const Sides& sides, int row) {
    const auto found = sides.rows.find(row);
    return found != sides.rows.end() ? borrowed(found->second) : core_row(row);
  }

  /// The halves of a part, each with the columns or rows that it has in common and the part has not.
  void divide(const Part& part, const SortedList& core, const Sides& sides) {
    if (part.width >= part.height) {
      const int half = part.width / 2;
      Part left = part;
      left.width = half;
      left.x0 -= half;
      divide_x(left, left.x0, part.x0 - 1, core, sides);
      Part right = part;
      right.width = half;
      right.x += half;
      right.x1 += half;
      divide_x(right, part.x1 + 1, right.x1, core, sides);
    } else {
      const int half = part.height / 2;
      Part top = part;
      top.height = half;
      top.y0 -= half;
      divide_y(top, top.y0, part.y0 - 1, core, sides);
      Part bottom = part;
      bottom.height = half;
      bottom.y += half;
      bottom.y1 += half;
      divide_y(bottom, part.y1 + 1, bottom.y1, core, sides);
    }
  }

  void divide_x(const Part& part, int from, int to, const SortedList& core, const Sides& sides) {
    std::vector<SortedList> added;
    if (sides.columns.empty()) {
      added = column_pieces(from, to);
    } else {
      for (int column = from; column <= to; ++column) added.push_back(borrowed(sides.columns.at(column)));
    }
    Sides now;
    for_sides(part.y0, part.y1, part.height, [&](int row) {
      std::vector<SortedList> pieces = row_pieces(row, from, to);
      pieces.push_back(row_of(sides, row));
      now.rows[row] = tile_.united(std::move(pieces));
    });
    for_sides(part.x0, part.x1, part.width, [&](int column) {
      const auto found = sides.columns.find(column);
      if (found != sides.columns.end()) now.columns[column] = borrowed(found->second);
    });
    go_on(part, core, std::move(added), now);
  }

  void divide_y(const Part& part, int from, int to, const SortedList& core, const Sides& sides) {
    std::vector<SortedList> added;
    for (int row = from; row <= to; ++row) added.push_back(row_of(sides, row));
    Sides now;
    for_sides(part.x0, part.x1, part.width, [&](int column) {
      std::vector<SortedList> pieces;
      for (int row = from; row <= to; ++row) {
        pieces.push_back(in_row(moved(row_group(phase_of(column), 1), column), row));
      }
      const auto found = sides.columns.find(column);
      pieces.push_back(found != sides.columns.end() ? borrowed(found->second)
                                                    : moved(column_group(phase_of(column), 1), column));
      now.columns[column] = tile_.united(std::move(pieces));
    });
    for_sides(part.y0, part.y1, part.height, [&](int row) {
      const auto found = sides.rows.find(row);
      if (found != sides.rows.end()) now.rows[row] = borrowed(found->second);
    });
    go_on(part, core, std::move(added), now);
  }

  /// Columns or rows that some results of a part see, and not all: extent - 1 at either side of its core.
  template <class Visit>
  static void for_sides(int low, int high, int extent, Visit visit) {
    for (int i = 1; i < extent; ++i) {
      visit(low - i);
      visit(high + i);
    }
  }

  void go_on(const Part& part, const SortedList& core, std::vector<SortedList> added, const Sides& now) {
    if (part.width == 1 && part.height == 1) {
      added.push_back(borrowed(core));
      tile_.select(std::move(added), part.y * tile_x_ + part.x);
    } else {
      const SortedList more = tile_.united(std::move(added));
      const SortedList both = tile_.united({borrowed(core), more});
      divide(part, both, now);
      tile_.release(both);
    }
    for (const auto& [column, list] : now.columns) tile_.release(list);
    for (const auto& [row, list] : now.rows) tile_.release(list);
  }

  NetworkProgram& program_;
  int tile_x_, tile_y_, depth_, width_, height_;
  ProgramWriter row_, columns_, tile_;
  std::map<std::pair<int, int>, SortedList> row_lists_, column_lists_;  ///< by first phase and number of phases
  SortedList core_row_;
};

double cost_of(const Instruction& instruction) {
  constexpr double call = 6;
  switch (instruction.act) {
    case Act::Sort: {
      const auto n = static_cast<double>(instruction.inputs.size());
      const double levels = std::ceil(std::log2(n));
      return call + std::max(2 * n, n * levels * (levels + 1) / 4);
    }
    case Act::Merge: {
      const int levels = merge_levels(instruction.a_count, instruction.b_count);
      const double n = instruction.a_count + instruction.b_count;
      const double shorter = std::max(1, instruction.b_count >> levels);
      const double pieces = n * std::max(2.0, (std::log2(shorter) + 1) / 2 + 0.5) + call * (1 << levels);
      const double wanted = instruction.end - instruction.first;
      return pieces + (levels > 0 ? call + std::max(2.0, levels / 2.0) * wanted : 0);
    }
    case Act::Select:
      return call + 2.0 * instruction.b_count;
  }
  return 0;
}

constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit; }

/// Lanes that are worked on for each tile of a row.
struct LaneShares {
  double of_tiles = 1;
  double shared = 1;  ///< lists of columns: those beside a strip are made too
};

LaneShares lane_shares(const NetworkProgram& program, const NetworkRow& row) {
  const std::int64_t tiles = ceil_div(row.results, program.tile_x), strip = strip_tiles(program, row);
  const std::int64_t beside = strip_lead + program.last_lane;
  std::int64_t of_tiles = 0, shared = 0;
  for (std::int64_t first = 0; first < tiles; first += strip) {
    const std::int64_t count = std::min(strip, tiles - first);
    of_tiles += ceil_div(count, row.vector_keys);
    shared += ceil_div(count + beside, row.vector_keys);
  }
  const double vectors = static_cast<double>(row.results) / static_cast<double>(program.tile_x * row.vector_keys);
  return {static_cast<double>(of_tiles) / vectors, static_cast<double>(shared) / vectors};
}

}  // namespace

double Program::cost() const {
  double sum = 0;
  for (const Instruction& instruction : instructions) sum += cost_of(instruction);
  return sum;
}

std::int64_t strip_tiles(const NetworkProgram& program, const NetworkRow& row) {
  // What the lists of a strip may take in the L2.
  constexpr std::int64_t strip_vectors = (std::int64_t{768} << 10) / 64;
  constexpr std::int64_t least_vectors = 4, most_vectors = 16;
  const std::int64_t kept_rows = program.window.height + program.tile_y - 1;
  const std::int64_t elements = kept_rows * program.row.made_elements + program.columns.made_elements;
  const std::int64_t most = row.vector_keys * std::clamp(strip_vectors / elements, least_vectors, most_vectors);
  const std::int64_t tiles = ceil_div(row.results, program.tile_x);
  return ceil_div(ceil_div(tiles, ceil_div(tiles, most)), row.vector_keys) * row.vector_keys;
}

double NetworkProgram::cost_per_result(const NetworkRow& row_of_results) const {
  const auto count = static_cast<double>(window.count());
  // Measured: functions of their own have no instructions to count.
  constexpr double of_three = 5;
  constexpr double of_sample = 1.15;
  constexpr double of_sample_in_cube = 3.2;
  if (kernel == ProgramKernel::Three) return of_three;
  const LaneShares lanes = lane_shares(*this, row_of_results);
  if (kernel == ProgramKernel::Square) {
    return lanes.of_tiles * count * (window.depth == 1 ? of_sample : of_sample_in_cube);
  }
  const double phases = 2.0 * static_cast<double>(window.depth) * tile_x * tile_y;  // takes apart, and together
  return (lanes.shared * (row.cost() * tile_y + columns.cost() + phases) + lanes.of_tiles * tile.cost()) /
         (tile_x * tile_y);
}

NetworkProgram network_program(const NetworkWindow& window, int tile_x, int tile_y) {
  NetworkProgram program;
  program.window = window;
  program.tile_x = tile_x;
  program.tile_y = tile_y;
  TileBuilder(program).build();
  return program;
}

NetworkProgram network_program(const NetworkWindow& window, const NetworkRow& row) {
  constexpr int longest_tile = 8;
  NetworkProgram best;
  for (int x = 1; x <= std::min<std::int64_t>(longest_tile, window.width); x *= 2) {
    for (int y = 1; y <= std::min<std::int64_t>(longest_tile, window.height); y *= 2) {
      NetworkProgram program = network_program(window, x, y);
      if (best.tile.instructions.empty() || program.cost_per_result(row) < best.cost_per_result(row)) {
        best = std::move(program);
      }
    }
  }
  return best;
}

}  // namespace tamis::median_detail::cpu
