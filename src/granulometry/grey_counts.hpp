// The arithmetic of grey granulometry: extremes of an image, and sums of its values as whole counts.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

namespace tamis::granulometry_detail {

struct GreyRange {
  double lowest = 0;
  double highest = 0;
};

/// Of a U8, U16, I16 or F32 image. Throws InputError for the first sample that is NaN or infinite.
[[nodiscard]] GreyRange grey_range(const Context& context, const Image& image);

/// The base that `phase` counts from, and a step with which no sum over `samples` samples overflows.
[[nodiscard]] GreyScale grey_scale(Type type, const GreyRange& range, Phase phase, std::int64_t samples);

/// |value - base| / step, rounded for F32, summed over the image. All values lie on one side of the base, above it
/// unless `phase` is dark. Whole numbers are added, so the order in which threads finish does not matter.
[[nodiscard]] std::int64_t grey_count(const Context& context, const Image& image, const GreyScale& scale, Phase phase);

/// The same over the outermost layer; along z too where it is an axis of the element.
[[nodiscard]] std::int64_t grey_border_count(const Image& image, const GreyScale& scale, Phase phase, bool z_is_axis);

/// What would be left if each slice had nothing but its own lowest value, of the dark phase its highest.
[[nodiscard]] std::int64_t grey_floor_count(const Context& context, const Image& image, const GreyScale& scale,
                                            Phase phase);

}  // namespace tamis::granulometry_detail
