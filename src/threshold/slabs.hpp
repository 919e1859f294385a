// How a source and its region of interest reach the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/threshold.hpp>

#include "core/stage.hpp"

namespace tamis::threshold_detail {

/// Slices z0 .. z0+count-1 in memory.
struct Slab {
  std::int64_t z0 = 0;
  std::int64_t count = 0;
  const std::byte* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t slice_stride = 0;
};

/// Rows of one slice, the unit of work of a thread. How an image is cut into bands depends on nothing but its layout.
struct Band {
  std::int64_t index = 0;  ///< counted from the first band of slice 0
  std::int64_t z = 0;
  std::int64_t y = 0;
  std::int64_t rows = 0;
  const std::byte* samples = nullptr;
  std::int64_t row_stride = 0;
};

/// Calls body with slabs that cover the source once, in order. Memory: two slabs; none if the source is mapped.
void for_each_slab(const Context& context, SliceSource& source, const std::function<void(const Slab&)>& body);

/// Calls body with every band of the slab, or its parts, which have its index, several at a time; `stage`, if given,
/// advances by rows.
void for_each_band(const Context& context, const Layout& layout, const Slab& slab, Stage* stage,
                   const std::function<void(const Band&)>& body);

[[nodiscard]] std::int64_t band_count(const Layout& layout);
/// The band of that index, which lies in the slab.
[[nodiscard]] Band band_at(const Layout& layout, const Slab& slab, std::int64_t index);

// The region of interest as bits.

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
