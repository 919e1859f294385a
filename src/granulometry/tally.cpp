#include "granulometry/request.hpp"

#include <algorithm>

namespace tamis::granulometry_detail {

void Tally::add(const Tally& other) {
  if (other.removed_by.size() > removed_by.size()) removed_by.resize(other.removed_by.size());
  for (std::size_t i = 0; i < other.removed_by.size(); ++i) removed_by[i] += other.removed_by[i];
  never += other.never;
}

void Tally::put_into(parts::Tally& tally) const {
  tally.counts("removed by") = removed_by;
  tally.set_sum("never", never);
}

Tally Tally::from(const parts::Tally& tally) { return {tally.counts("removed by"), tally.sum("never")}; }

Sizes sizes_of(const Tally& tally, const GranulometryOptions& options) {
  std::int64_t last = static_cast<std::int64_t>(tally.removed_by.size()) - 1;
  while (last > 0 && tally.removed_by[static_cast<std::size_t>(last)] == 0) --last;
  last = std::max<std::int64_t>(last, 0);
  if (options.max_size) last = std::min(last, *options.max_size);
  Sizes sizes;
  sizes.volume.assign(static_cast<std::size_t>(last) + 1, tally.never);
  std::int64_t left = tally.never;
  for (std::size_t t = tally.removed_by.size(); t-- > 1;) {
    left += tally.removed_by[t];
    if (static_cast<std::int64_t>(t) - 1 <= last) sizes.volume[t - 1] = left;
  }
  sizes.limited = options.max_size && sizes.volume.back() > 0;
  sizes.never_empties = !sizes.limited && tally.never > 0;
  return sizes;
}

}  // namespace tamis::granulometry_detail
