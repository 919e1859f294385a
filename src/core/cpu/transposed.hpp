// Narrow images by way of wide ones: engines work along rows, and a row costs them something whatever its length.
#pragma once

#include <cstddef>

#include <tamis/context.hpp>
#include <tamis/element.hpp>
#include <tamis/image.hpp>

#include "core/image_over.hpp"

namespace tamis {

[[nodiscard]] inline Shape transposed(const Shape& shape) { return {shape.z, shape.x, shape.y, shape.rank}; }
/// Boxes, and sets whose offsets can be listed.
[[nodiscard]] bool is_easily_transposed(const OffsetSet& set);
[[nodiscard]] OffsetSet transposed(const OffsetSet& set);
/// `to` at (z, x, y) becomes `from` at (z, y, x), by all threads.
void transpose(const Context& context, const Image& from, Image& to);

/// Whether an image has so many short rows that a filter of it takes less time with x and y exchanged, the copies there
/// and back with it, and the limit of memory allows these.
[[nodiscard]] bool better_transposed(const Context& context, Type type, const Shape& shape);

/// run(in, result) on the image with x and y exchanged, and the result in `out`; false if `run` says so.
template <class Run>
[[nodiscard]] bool run_transposed(const Context& context, const Image& image, Image& out, const Run& run) {
  const Shape shape = transposed(image.shape());
  // One column is one row, and nothing has to move.
  const bool dense = has_no_gaps(out) && image.type() != Type::Bool;
  const bool same = shape.y == 1 && has_no_gaps(image) && dense;
  // The image may lie in the output until that is wanted: pages of new memory take as long as the filter.
  auto* const memory = same ? const_cast<std::byte*>(image.data()) : out.data();
  Image in = dense ? image_over(memory, image.type(), shape) : Image(image.type(), shape);
  Image result = same ? image_over(out.data(), image.type(), shape) : Image(image.type(), shape);
  if (!same) transpose(context, image, in);
  if (!run(static_cast<const Image&>(in), result)) return false;
  if (result.data() != out.data()) transpose(context, result, out);
  return true;
}

}  // namespace tamis
