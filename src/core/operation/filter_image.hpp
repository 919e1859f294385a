// What filters ask of their images, and the images they make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/element.hpp>
#include <tamis/image.hpp>

namespace tamis {

/// Throws InputError if there is no image, and for sides of a voxel that are none.
void require_image(const Image& image, std::string_view what);
/// Throws InputError for a type that filters do not take.
void require_filter_type(Type type, std::string_view what);
/// Makes `out` an image like `image`; its memory is used again if type and shape fit. Throws InputError if it is
/// `image`.
void prepare_output(const Image& image, Image& out);
/// An intermediate image, of the type and shape of `like`. Throws ResourceError if the memory limit is too low for it.
[[nodiscard]] Image image_between(const Context& context, const Image& like);
/// How far a window sees to either side along each axis.
[[nodiscard]] Offset reach_of(const OffsetBox& window);
/// Whether every row is a whole number of cache lines. In images over a caller's memory that need not be so.
[[nodiscard]] bool has_whole_lines(const Image& image);
/// Whether an F32 image holds NaN, by all threads.
[[nodiscard]] bool holds_nan(const Context& context, const Image& image);
/// Position of the first NaN of an F32 image, "x 3, y 0, z 1"; empty if there is none. `z0`: of its first slice in what
/// the image is a part of.
[[nodiscard]] std::string first_nan(const Image& image, std::int64_t z0 = 0);

}  // namespace tamis
