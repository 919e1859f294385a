// Extrema of shifted copies of an image on the GPU, for elements of any form.
//
// A padded image lies in memory as one line of samples: what the border shows is there, so that a displacement in z, y
// and x is one distance along the line. Where it leads around the end of a row nobody looks.
#pragma once

#include <cstdint>

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/gpu/stream.hpp"
#include "morphology/gpu/kernels.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::gpu {

struct LinearTerm {
  const std::uint32_t* source = nullptr;
  std::int64_t bits = 0;  ///< from a sample of the result to that of the source
};

/// Words before and behind a line, which whoever makes it sets to 0: the words of a line are whole, also where only
/// some of their bits are asked for, and so lead to a word more of its sources on either side.
constexpr int line_margin = 4;

/// The extremum of all terms for each of `words` words of 32 bits. Sets the margins of the result.
struct LinearTask {
  static constexpr int most_terms = 24;
  LinearTerm term[most_terms];
  int count = 0;
  bool and_before = false;  ///< with what the result holds already
  std::uint32_t* to = nullptr;
  std::int64_t words = 0;
  Order order = Order::Min;
  Type type = Type::U8;
};
void linear_extremum(const cuda::Stream& stream, const LinearTask& task);

/// A part of an image with what lies around it. Bool images are packed bits here, as in an Image.
struct PaddedPart {
  DeviceImage image;
  Type type = Type::U8;
  Shape shape;                ///< of the image
  std::int64_t z = 0, y = 0;  ///< of the part's first sample in the image; it begins at `x`
  std::int64_t x = 0;
  std::int64_t nz = 0, ny = 0;     ///< slices and rows of the part
  std::int64_t rows_of_slice = 0;  ///< in the line, for empty_line()
  std::int64_t pitch_words = 0;    ///< of a row in the line
  Border border;
  Order order = Order::Min;  ///< whose neutral value counts
};
/// Fills the line with a part, border included, and sets its margins.
void fill_line(const cuda::Stream& stream, const PaddedPart& part, std::uint32_t* line);
/// Copies the samples of a part (x = 0, inside the image) from the line to the image.
void empty_line(const cuda::Stream& stream, const PaddedPart& part, const std::uint32_t* line);

}  // namespace tamis::morphology_detail::gpu
