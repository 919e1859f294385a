#include "median/rank_map.hpp"

#include <algorithm>
#include <type_traits>

namespace tamis::median_detail {
namespace {

/// Adds to `counts` how many keys of a row each window sees in a run. `before[x]`: present keys in front of x, for x
/// from `low` to `high`, both inside.
void add_run(const std::int32_t* before, std::int64_t low, std::int64_t high, const OffsetSet::Run& run,
             std::vector<std::int32_t>& counts) {
  const auto nx = static_cast<std::int64_t>(counts.size());
  for (std::int64_t x = 0; x < nx; ++x) {
    const std::int64_t first = std::clamp(x + run.start.x, low, high);
    const std::int64_t end = std::clamp(x + run.start.x + run.length, low, high);
    counts[static_cast<std::size_t>(x)] += before[end - low] - before[first - low];
  }
}

}  // namespace

template <class K>
std::vector<std::int32_t> ranks_of(const KeySlab<K>& in, const RankStep& step, const Band& band, const Shape& shape) {
  constexpr bool by_key = std::is_same_v<K, std::uint32_t>;
  const OffsetBox& box = step.window.box();
  const std::int64_t low = std::min<std::int64_t>(box.low.x, 0);
  const std::int64_t high = shape.x + std::max<std::int64_t>(box.high.x, 0);
  std::vector<std::int32_t> ranks;
  ranks.reserve(static_cast<std::size_t>((band.z1 - band.z0) * (band.y1 - band.y0) * shape.x));
  std::vector<std::int32_t> before(static_cast<std::size_t>(high - low + 1));
  std::vector<std::int32_t> counts(static_cast<std::size_t>(shape.x));
  const auto inside = [](std::int64_t i, std::int64_t n) { return i >= 0 && i < n; };
  for (std::int64_t z = band.z0; z < band.z1; ++z) {
    for (std::int64_t y = band.y0; y < band.y1; ++y) {
      std::fill(counts.begin(), counts.end(), 0);
      for (const OffsetSet::Run& run : step.window.runs()) {
        const std::int64_t at_z = z + run.start.z, at_y = y + run.start.y;
        const bool row_inside = inside(at_z, shape.z) && inside(at_y, shape.y);
        if (!by_key && !row_inside) continue;
        const K* const keys = in.row(at_z, at_y);
        std::int32_t sum = 0;
        for (std::int64_t x = low; x < high; ++x) {
          before[static_cast<std::size_t>(x - low)] = sum;
          sum += by_key ? keys[x] != absent<K> : inside(x, shape.x);
        }
        before[static_cast<std::size_t>(high - low)] = sum;
        add_run(before.data(), low, high, run, counts);
      }
      for (const std::int32_t n : counts) {
        ranks.push_back(n == 0 ? -1 : static_cast<std::int32_t>(rank_of(step.percentile, n)));
      }
    }
  }
  return ranks;
}

template std::vector<std::int32_t> ranks_of(const KeySlab<std::uint8_t>&, const RankStep&, const Band&, const Shape&);
template std::vector<std::int32_t> ranks_of(const KeySlab<std::uint16_t>&, const RankStep&, const Band&, const Shape&);
template std::vector<std::int32_t> ranks_of(const KeySlab<std::uint32_t>&, const RankStep&, const Band&, const Shape&);

}  // namespace tamis::median_detail
