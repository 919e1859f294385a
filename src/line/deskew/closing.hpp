// How much ink lies in long straight lines, for lines at any angle (Karas 2015, section 6.1.3).
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis::line_detail {

/// The sum of what openings of the ink by segments of `length` samples along traced lines leave, for each angle: on a
/// page with an even ground that is its brightness less the sum of the closings of the page. Segments have to lie
/// within the image.
[[nodiscard]] std::vector<double> ink_in_lines(const Context& context, const Image& ink, std::int64_t length,
                                               const std::vector<double>& angles);

/// The sum of all ink.
[[nodiscard]] double total_ink(const Image& ink);

}  // namespace tamis::line_detail
