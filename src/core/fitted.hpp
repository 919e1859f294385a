// Sets of offsets that reach beyond an image, cut down to what shows something of it.
#pragma once

#include <tamis/element.hpp>
#include <tamis/image.hpp>
#include <tamis/image/border.hpp>

namespace tamis {

/// A set with the same minima and maxima on an image of this shape, which reaches at most the image's length (twice
/// that in all) along each axis: offsets that lead outside from everywhere lead to the same sample, or to none.
[[nodiscard]] OffsetSet fitted(OffsetSet set, const Shape& shape, Border::Kind border);

/// As many offsets that see the same from everywhere, nearer to the image: where a set of few offsets reaches far
/// beyond it, what lies between costs nothing then. Other sets stay as they are.
[[nodiscard]] OffsetSet drawn_near(OffsetSet set, const Shape& shape, Border::Kind border);

}  // namespace tamis
