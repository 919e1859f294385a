// Images with what a border shows around them, for borders that no engine knows: what they show may lie at the other
// end of the image, or turns at a sample. A step of a filter then works on the larger image, under any other border,
// and the middle of its result is cut out.
#pragma once

#include <tamis/image/border.hpp>
#include <tamis/context.hpp>
#include <tamis/element.hpp>
#include <tamis/image.hpp>

namespace tamis {

/// Whether a step sees such an image in place of its input.
[[nodiscard]] inline bool is_laid_out(const Border& border) {
  return border.kind == Border::Kind::Mirror || border.kind == Border::Kind::Wrap;
}

/// What of an endless plane a step by a window sees: the image begins at `origin` of it.
struct Extent {
  Shape shape;
  Offset origin;
};
[[nodiscard]] Extent extent_of(const Shape& image, const OffsetBox& window);

/// Bytes that a step by a window takes for it, and for its result.
[[nodiscard]] std::int64_t bytes_laid_out(Type type, const Shape& image, const OffsetBox& window);

/// A reach under a border: what `wrap` shows lies at the other end of each axis along which a window leaves the image.
[[nodiscard]] Offset reach_under(const Border& border, const Offset& reach);

/// As large as the extent. Throws ResourceError if the memory limit is less than that and a result of it.
[[nodiscard]] Image extended(const Context& context, const Image& image, const Extent& extent, Border::Kind border);

/// The image out of its extent, into `out`.
void cut_out(const Context& context, const Image& wide, const Extent& extent, Image& out);

}  // namespace tamis
