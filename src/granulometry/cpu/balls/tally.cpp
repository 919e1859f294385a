#include "granulometry/cpu/balls/size_map.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

#include "core/cpu/parallel.hpp"

namespace tamis::granulometry_detail::cpu::balls {
namespace {

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

template <class Lane>
BallTally tally_of(const Context& context, const View<Lane>& view, const TallyRule& rule) {
  BallTally all;
  if constexpr (sizeof(Lane) == 2) {
    const std::vector<std::int64_t> counts = histogram_of(context, view);
    for (std::size_t s = 1; s + 1 < counts.size(); ++s) {
      if (counts[s] > 0) all.add(s, counts[s], rule);
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
          slice.add(squares[i], 1, rule);
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

}  // namespace tamis::granulometry_detail::cpu::balls
