// How many voxels each opening removes, and the sizes that follow from it. The same for every backend.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/granulometry.hpp>

#include "core/parts/tally.hpp"

namespace tamis::granulometry_detail {

struct Tally {
  std::vector<std::int64_t> removed_by;  ///< index T
  std::int64_t never = 0;                ///< what no opening removes

  void add(const Tally& other);

  /// As part of what parts hand on, and out of that.
  void put_into(parts::Tally& tally) const;
  [[nodiscard]] static Tally from(const parts::Tally& tally);
};

/// Rows n = 0 ... until nothing that can be removed is left, or max_size.
Sizes sizes_of(const Tally& tally, const GranulometryOptions& options);

}  // namespace tamis::granulometry_detail
