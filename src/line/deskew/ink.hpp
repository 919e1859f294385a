// What a page has written on it, without its light, its borders and its type.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis::line_detail {

struct Ink {
  Image grey;              ///< U8: 0 the ground, up to 255 ink
  int reduction = 1;       ///< each sample is the mean of so many by so many of the page
  bool dark_page = false;  ///< the ink is brighter than the ground
};

/// Of a page of type Bool, U8, U16, I16 or F32, reduced until no edge is longer than `longest`. Ink is what a closing
/// by a square fills (on dark pages: what an opening takes away): uneven light, pictures and the black around a page in
/// a scanner are wider than the square. Throws InputError for NaN and infinities.
[[nodiscard]] Ink find_ink(const Context& context, const Image& page, std::int64_t longest);

/// The mean of `factor` by `factor` samples; what is left over at the right and below is not taken.
[[nodiscard]] Image reduced_ink(const Image& ink, int factor);

}  // namespace tamis::line_detail
