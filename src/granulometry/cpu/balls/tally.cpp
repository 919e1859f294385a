#include "granulometry/cpu/balls/tally.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "granulometry/cpu/balls/roots.hpp"

namespace tamis::granulometry_detail::cpu::balls {
namespace {

void count_removed(BallTally& tally, std::uint64_t square, std::int64_t count, const TallyRule& rule) {
  const bool covered = square >= rule.least_square;
  const std::int64_t removed = covered ? removed_by(square, rule.shortest_side) : 1;
  const auto by = static_cast<std::size_t>(std::min(removed, rule.cap));
  if (tally.tally.removed_by.size() <= by) tally.tally.removed_by.resize(by + 1);
  tally.tally.removed_by[by] += count;
  tally.finite += count;
  if (!covered) return;
  tally.sum += static_cast<double>(count) * std::sqrt(static_cast<double>(square));
  tally.sum_of_squares += static_cast<double>(count) * static_cast<double>(square);
  tally.largest = std::max(tally.largest, square);
}

/// Neighbours often hold the same square: four counters for each let increments overlap.
std::vector<std::int64_t> histogram_of(const Context& context, const View<std::uint16_t>& view) {
  constexpr std::size_t squares = 65536;
  std::vector<std::int64_t> counts(squares);
  std::mutex guard;
  const std::int64_t share = std::max<std::int64_t>(1, view.z / (4 * thread_count(context)));
  parallel_for(context, (view.z + share - 1) / share, [&](std::int64_t part) {
    std::vector<std::uint32_t> four(4 * squares);
    for (std::int64_t z = part * share; z < std::min(view.z, (part + 1) * share); ++z) {
      const std::uint16_t* const slice = view.row(z, 0);
      const std::int64_t count = view.y * view.x;
      std::int64_t i = 0;
      for (; i + 4 <= count; i += 4) {
        for (std::int64_t k = 0; k < 4; ++k) ++four[4 * std::size_t{slice[i + k]} + static_cast<std::size_t>(k)];
      }
      for (; i < count; ++i) ++four[4 * std::size_t{slice[i]}];
      // Counters of 32 bits are emptied before a slice more could fill them.
      const bool last = z + 1 == std::min(view.z, (part + 1) * share);
      if (!last && (z + 1 - part * share) % 64 != 0) continue;
      const std::lock_guard lock(guard);
      for (std::size_t s = 0; s < squares; ++s) {
        for (std::size_t k = 0; k < 4; ++k) counts[s] += four[4 * s + k];
      }
      std::fill(four.begin(), four.end(), 0U);
    }
  });
  return counts;
}

}  // namespace

std::int64_t removed_by(std::uint64_t square, std::int64_t shortest_side) {
  if (square == 0) return 0;
  return root(square - 1) / shortest_side + 1;
}

void BallTally::add(const BallTally& other) {
  tally.add(other.tally);
  finite += other.finite;
  sum += other.sum;
  sum_of_squares += other.sum_of_squares;
  largest = std::max(largest, other.largest);
}

template <class Lane>
BallTally tally_of(const Context& context, const View<Lane>& view, const TallyRule& rule) {
  BallTally all;
  if constexpr (sizeof(Lane) == 2) {
    const std::vector<std::int64_t> counts = histogram_of(context, view);
    for (std::size_t s = 1; s + 1 < counts.size(); ++s) {
      if (counts[s] > 0) count_removed(all, s, counts[s], rule);
    }
    all.tally.never = counts.back();
  } else {
    std::vector<BallTally> slices(static_cast<std::size_t>(view.z));
    parallel_for(context, view.z, [&](std::int64_t z) {
      BallTally& slice = slices[static_cast<std::size_t>(z)];
      const Lane* const squares = view.row(z, 0);
      for (std::int64_t i = 0; i < view.y * view.x; ++i) {
        if (squares[i] == std::numeric_limits<Lane>::max()) {
          ++slice.tally.never;
        } else if (squares[i] > 0) {
          count_removed(slice, squares[i], 1, rule);
        }
      }
    });
    for (const BallTally& slice : slices) all.add(slice);
  }
  return all;
}

template BallTally tally_of(const Context&, const View<std::uint16_t>&, const TallyRule&);
template BallTally tally_of(const Context&, const View<std::uint32_t>&, const TallyRule&);
template BallTally tally_of(const Context&, const View<std::uint64_t>&, const TallyRule&);

std::optional<Thickness> thickness_of(const BallTally& tally, std::int64_t shortest_side) {
  if (tally.finite == 0) return std::nullopt;
  const auto count = static_cast<double>(tally.finite);
  const auto side = static_cast<double>(shortest_side);
  Thickness thickness;
  thickness.mean_radius = tally.sum / count / side;
  const double mean_of_squares = tally.sum_of_squares / count / (side * side);
  const double variance = mean_of_squares - thickness.mean_radius * thickness.mean_radius;
  thickness.standard_deviation = std::sqrt(std::max(0.0, variance));
  thickness.largest_radius = std::sqrt(static_cast<double>(tally.largest)) / side;
  return thickness;
}

}  // namespace tamis::granulometry_detail::cpu::balls
