#include "median/select_cpu.hpp"

#include <algorithm>
#include <vector>

namespace tamis::median_detail {

template <class K>
void select_band(const BandWork<K>& work) {
  const RankStep& step = *work.step;
  std::vector<K> seen(static_cast<std::size_t>(step.count));
  for (std::int64_t z = work.band.z0; z < work.band.z1; ++z) {
    for (std::int64_t y = work.band.y0; y < work.band.y1; ++y) {
      const std::int32_t* const ranks = work.rank_row(z, y);
      K* const out = work.out_row(z, y);
      for (std::int64_t x = 0; x < work.nx; ++x) {
        const std::int64_t rank = ranks ? ranks[x] : step.rank;
        if (rank < 0) continue;
        auto end = seen.begin();
        for (const OffsetSet::Run& run : step.window.runs()) {
          const K* const keys = work.in->row(z + run.start.z, y + run.start.y) + x + run.start.x;
          end = std::copy(keys, keys + run.length, end);
        }
        std::nth_element(seen.begin(), seen.begin() + rank, end);
        out[x] = seen[static_cast<std::size_t>(rank)];
      }
    }
  }
}

template void select_band(const BandWork<std::uint8_t>&);
template void select_band(const BandWork<std::uint16_t>&);
template void select_band(const BandWork<std::uint32_t>&);

}  // namespace tamis::median_detail
