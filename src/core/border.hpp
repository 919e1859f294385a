// Borders: which are possible, and what an axis shows outside.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/element.hpp>
#include <tamis/image.hpp>
#include <tamis/image/border.hpp>

#include "core/both.hpp"

namespace tamis {

/// Throws InputError for a constant that is no value of the type.
void require_value_of(const Border& border, Type type);

// Kernels go by these too, where any border may come. Most see only some kinds: core/gpu/border.cuh is for those.

/// After how many samples an axis of n shows the same again; 0 where it does not.
[[nodiscard]] TAMIS_BOTH inline std::int64_t period_of(Border::Kind border, std::int64_t n) {
  if (border == Border::Kind::Reflect) return 2 * n;
  if (border == Border::Kind::Mirror) return n > 1 ? 2 * n - 2 : 1;
  return border == Border::Kind::Wrap ? n : 0;
}

/// Index of the sample that an axis of n samples shows at i; -1 where it shows a value that is no sample.
[[nodiscard]] TAMIS_BOTH inline std::int64_t seen_at(std::int64_t i, std::int64_t n, Border::Kind border) {
  if (i >= 0 && i < n) return i;
  if (border == Border::Kind::Nearest) return i < 0 ? 0 : n - 1;
  const std::int64_t period = period_of(border, n);
  if (period == 0) return -1;
  std::int64_t turn = i % period;
  if (turn < 0) turn += period;
  if (turn < n) return turn;
  return border == Border::Kind::Mirror ? period - turn : period - 1 - turn;
}

// Images with what a border shows around them, for borders that no engine knows: what they show may lie at the other
// end of the image, or turns at a sample. A step of a filter then works on the larger image, under any other border,
// and the middle of its result is cut out.

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

// Sets of offsets that reach beyond an image, cut down to what shows something of it.

/// A set with the same minima and maxima on an image of this shape, which reaches at most the image's length (twice
/// that in all) along each axis: offsets that lead outside from everywhere lead to the same sample, or to none.
[[nodiscard]] OffsetSet fitted(OffsetSet set, const Shape& shape, Border::Kind border);

/// As many offsets that see the same from everywhere, nearer to the image: where a set of few offsets reaches far
/// beyond it, what lies between costs nothing then. Other sets stay as they are.
[[nodiscard]] OffsetSet drawn_near(OffsetSet set, const Shape& shape, Border::Kind border);

}  // namespace tamis
