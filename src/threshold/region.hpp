// The region of interest as bits.
#pragma once

#include <cstdint>

#include <tamis/threshold.hpp>

namespace tamis::threshold_detail {

/// Which samples count. Without bits: all. One slice of bits serves every slice of the image.
struct Domain {
  Image bits;
  std::int64_t volume = 0;

  /// The words of a row; null if all samples count.
  [[nodiscard]] const std::uint64_t* row(std::int64_t z, std::int64_t y) const {
    return bits.empty() ? nullptr : bits.row<std::uint64_t>(bits.shape().z == 1 ? 0 : z, y);
  }
};

/// Throws InputError for a mask of another shape, in colour, with NaN, or with nothing inside.
[[nodiscard]] Domain domain_of(const Context& context, const Layout& layout, const Region& region);

/// The same of a mask that is a part of a larger one, and may have nothing inside.
[[nodiscard]] Domain domain_of_mask(const Context& context, const Layout& layout, SliceSource* mask);

}  // namespace tamis::threshold_detail
