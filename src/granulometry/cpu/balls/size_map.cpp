// Layers of tiles: balls are selected some layers ahead of those that are painted, so that squares are still there
// where they are asked for, and lists are of a few layers only.
#include "granulometry/cpu/balls/size_map.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/cpu/workspace_pool.hpp"
#include "granulometry/balls/squares.hpp"
#include "granulometry/cpu/balls/select.hpp"
#include "granulometry/cpu/balls/tile.hpp"

namespace tamis::granulometry_detail::cpu::balls {
namespace {

// Tiles painted from the largest ball to the smallest: the first that covers a voxel is its largest.

/// Sorts by square, the largest first: by digits of 11 bits, the lowest first.
template <class Lane>
void sort_balls(std::vector<Ball<Lane>>& balls, std::vector<Ball<Lane>>& spare, Lane largest) {
  constexpr int digit = 11;
  constexpr std::size_t values = std::size_t{1} << digit;
  if (balls.size() < 200) {  // a few are faster compared
    std::sort(balls.begin(), balls.end(), [](const auto& a, const auto& b) { return a.square > b.square; });
    return;
  }
  spare.resize(balls.size());
  std::vector<std::uint32_t> starts(values + 1);
  for (int shift = 0; shift < static_cast<int>(std::bit_width(largest)); shift += digit) {
    const auto key = [&](const Ball<Lane>& ball) {
      return static_cast<std::size_t>((largest - ball.square) >> shift) & (values - 1);
    };
    std::fill(starts.begin(), starts.end(), 0);
    for (const Ball<Lane>& ball : balls) ++starts[key(ball) + 1];
    for (std::size_t i = 1; i <= values; ++i) starts[i] += starts[i - 1];
    for (const Ball<Lane>& ball : balls) spare[starts[key(ball)]++] = ball;
    balls.swap(spare);
  }
}

/// One thread's work on tiles.
template <class Lane>
class Painter {
 public:
  explicit Painter(const Setting<Lane>& setting) : setting_(setting), tile_(std::make_unique<Tile<Lane>>()) {}

  /// `lists` are those of all threads.
  void paint(const std::vector<std::unique_ptr<Lists<Lane>>>& lists, std::int64_t layer, std::int64_t index,
             Lane largest) {
    balls_.clear();
    for (const auto& list : lists) list->read(layer, index, balls_);
    if (balls_.empty()) return;
    origin_ = {layer * edge, index / setting_.tiles_x() * edge, index % setting_.tiles_x() * edge};
    sort_balls(balls_, spare_, largest);
    if (load() == 0) return;
    for (const Ball<Lane>& ball : balls_) paint(ball);
    if constexpr (sizeof(Lane) == 2) setting_.kernels.write_hits(*tile_);
    store();
  }

 private:
  struct Origin {
    std::int64_t z = 0;
    std::int64_t y = 0;
    std::int64_t x = 0;
  };
  [[nodiscard]] std::int64_t depth() const { return std::min(edge, setting_.view.z - origin_.z); }
  [[nodiscard]] std::int64_t height() const { return std::min(edge, setting_.view.y - origin_.y); }
  [[nodiscard]] std::int64_t width() const { return std::min(edge, setting_.view.x - origin_.x); }

  /// Returns how many voxels are to be covered.
  std::int64_t load() {
    std::int64_t count = 0;
    std::fill_n(tile_->uncovered, edge * edge, 0U);
    std::fill_n(tile_->rows, edge, 0U);
    const std::int64_t x = width();
    for (std::int64_t z = 0; z < depth(); ++z) {
      for (std::int64_t y = 0; y < height(); ++y) {
        Lane* const row = tile_->squares + (z * edge + y) * edge;
        std::copy_n(setting_.view.row(origin_.z + z, origin_.y + y) + origin_.x, x, row);
        std::fill(row + x, row + edge, Lane{0});
        const std::uint32_t bits = object_bits(row);
        tile_->uncovered[z * edge + y] = bits;
        if (bits != 0) tile_->rows[z] |= std::uint32_t{1} << y;
        count += std::popcount(bits);
      }
    }
    return count;
  }

  std::uint32_t object_bits(const Lane* row) const {
    if constexpr (sizeof(Lane) == 2) {
      return setting_.kernels.object_bits(row);
    } else {
      std::uint32_t bits = 0;
      for (int x = 0; x < edge; ++x) bits |= static_cast<std::uint32_t>(row[x] != 0) << x;
      return bits;
    }
  }

  void store() const {
    for (std::int64_t z = 0; z < depth(); ++z) {
      for (std::int64_t y = 0; y < height(); ++y) {
        std::copy_n(tile_->squares + (z * edge + y) * edge, width(),
                    setting_.view.row(origin_.z + z, origin_.y + y) + origin_.x);
      }
    }
  }

  void paint(const Ball<Lane>& ball) {
    if constexpr (sizeof(Lane) == 2) {
      setting_.kernels.paint(*tile_, ball, setting_.sides);
    } else {
      paint_rows(ball);
    }
  }

  /// Balls past a radius of 254 are few, and their rows long: plain C++ does.
  void paint_rows(const Ball<Lane>& ball) {
    const auto in_z = ball.box_z();
    const auto in_y = ball.box_y();
    const auto in_x = ball.box_x();
    const auto bits_of = [](const auto& range) {
      return (0xffffffffU << range.first) & (0xffffffffU >> (31 - range.last));
    };
    const std::uint32_t rows = bits_of(in_y), columns = bits_of(in_x);
    for (int z = in_z.first; z <= in_z.last; ++z) {
      const std::uint64_t away_z = square(std::int64_t{z - ball.z} * setting_.sides.z);
      if (away_z >= ball.square) continue;
      for (std::uint32_t open = tile_->rows[z] & rows; open != 0; open &= open - 1) {
        const int y = std::countr_zero(open);
        const std::uint64_t away = away_z + square(std::int64_t{y - ball.y} * setting_.sides.y);
        std::uint32_t& uncovered = tile_->uncovered[z * edge + y];
        if ((uncovered & columns) == 0 || away >= ball.square) continue;
        const std::int64_t half = steps_below(ball.square - away, setting_.sides.x, per_side_);
        const std::int64_t first = std::max<std::int64_t>(ball.x - half, in_x.first);
        const std::int64_t last = std::min<std::int64_t>(ball.x + half, in_x.last);
        if (first > last) continue;
        std::uint32_t hits = uncovered & (0xffffffffU << first) & (0xffffffffU >> (31 - last));
        uncovered &= ~hits;
        if (uncovered == 0) tile_->rows[z] &= ~(std::uint32_t{1} << y);
        for (; hits != 0; hits &= hits - 1) {
          Lane& sample = tile_->squares[(z * edge + y) * edge + std::countr_zero(hits)];
          sample = std::max(sample, ball.square);  // a voxel whose own ball was not painted has its own square
        }
      }
    }
  }
  static std::uint64_t square(std::int64_t value) { return static_cast<std::uint64_t>(value * value); }

  const Setting<Lane>& setting_;
  double per_side_ = 1.0 / static_cast<double>(setting_.sides.x);
  std::unique_ptr<Tile<Lane>> tile_;
  std::vector<Ball<Lane>> balls_;
  std::vector<Ball<Lane>> spare_;
  Origin origin_;
};

template <class Lane>
class Layers {
 public:
  Layers(const Context& context, const Setting<Lane>& setting, Lane largest, Stage& stage)
      : context_(context),
        setting_(setting),
        largest_(largest),
        stage_(stage),
        ahead_(layers_ahead()),
        selectors_([this] { return make_selector(); }),
        painters_([this] { return std::make_unique<Painter<Lane>>(setting_); }) {}

  void run() {
    std::int64_t selected = 0;
    for (std::int64_t layer = 0; layer < setting_.layers(); ++layer) {
      for (; selected < std::min(setting_.layers(), layer + ahead_ + 1); ++selected) select(selected);
      parallel_for(context_, setting_.tiles_y() * setting_.tiles_x(), [&](std::int64_t tile) {
        painters_.with([&](Painter<Lane>& painter) { painter.paint(lists_, layer, tile, largest_); });
      });
      for (const auto& list : lists_) list->clear(layer);
      stage_.advance(std::min(edge, setting_.view.z - layer * edge));
    }
  }

 private:
  /// Layers that a ball reaches beyond its own, at least one: selection looks one slice further.
  [[nodiscard]] std::int64_t layers_ahead() const {
    if (setting_.flat) return 1;
    const std::int64_t reach = root(std::uint64_t{largest_}) / setting_.sides.z;
    return std::max<std::int64_t>(1, std::min((reach + edge - 1) / edge, setting_.layers()));
  }

  void select(std::int64_t layer) {
    parallel_for(context_, setting_.tiles_y(), [&](std::int64_t strip) {
      selectors_.with([&](Selector<Lane>& selector) { selector.select(layer, strip); });
    });
  }

  std::unique_ptr<Selector<Lane>> make_selector() {
    const std::lock_guard lock(guard_);
    lists_.push_back(std::make_unique<Lists<Lane>>(2 * ahead_ + 2, setting_.tiles_y() * setting_.tiles_x()));
    return std::make_unique<Selector<Lane>>(setting_, *lists_.back());
  }

  const Context& context_;
  const Setting<Lane>& setting_;
  Lane largest_;
  Stage& stage_;
  std::int64_t ahead_;
  std::mutex guard_;
  std::vector<std::unique_ptr<Lists<Lane>>> lists_;  ///< one for each thread that has selected
  WorkspacePool<Selector<Lane>> selectors_;
  WorkspacePool<Painter<Lane>> painters_;
};

}  // namespace

template <class Lane>
void size_map(const Context& context, const View<Lane>& view, const WholeSides& sides, bool flat, Lane largest,
              Stage& stage) {
  if (largest < 2) {  // every ball is its own voxel
    stage.advance(view.z);
    return;
  }
  const WholeSides reached = reached_sides(sides, largest);
  const Setting<Lane> setting{view, reached, flat, kernels(context.simd), inclusion_tables(reached, largest, flat)};
  Layers<Lane>(context, setting, largest, stage).run();
}

template void size_map(const Context&, const View<std::uint16_t>&, const WholeSides&, bool, std::uint16_t, Stage&);
template void size_map(const Context&, const View<std::uint32_t>&, const WholeSides&, bool, std::uint32_t, Stage&);
template void size_map(const Context&, const View<std::uint64_t>&, const WholeSides&, bool, std::uint64_t, Stage&);

std::int64_t size_map_tasks(std::int64_t slices) { return slices; }

std::int64_t list_bytes(std::int64_t row_samples, std::int64_t rows, std::int64_t slices, std::int64_t lane_bytes) {
  // Six layers at a time, and a ball of 12 to 24 bytes for every fourth voxel.
  return row_samples * rows * std::min<std::int64_t>(slices, 6 * edge) * (lane_bytes == 2 ? 3 : 6);
}

}  // namespace tamis::granulometry_detail::cpu::balls
