// Tiles painted from the largest ball to the smallest: the first that covers a voxel is its largest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "granulometry/cpu/balls/kernels.hpp"
#include "granulometry/balls/roots.hpp"
#include "granulometry/cpu/balls/select.hpp"
#include "granulometry/cpu/balls/tile.hpp"

namespace tamis::granulometry_detail::cpu::balls {

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

}  // namespace tamis::granulometry_detail::cpu::balls
