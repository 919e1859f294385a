// The tables of Perrot (2013) on this machine, beside tamis.
#pragma once

#include <string>

#include <tamis/image.hpp>
#include <tamis/median.hpp>

#include "bench/measure.hpp"

namespace tamis::perrot {

struct Arguments {
  int most_calls = 1000;  ///< of which the mean is taken
  double seconds = 0.2;   ///< for them; slow cases make fewer calls
  int largest = 4096;     ///< edge of the largest image
  std::string only;       ///< "kernels", "smoother", "cpu", "check"; empty: all
};

/// Lines of JSON. Every version is first compared with tamis on the CPU, on small images; and each
/// case with tamis on the GPU before it is timed. Without a GPU: the CPU's part.
void measure(const Arguments& arguments);
/// The paper's versions on a GPU. Throws if some version, edge or block gives another answer than tamis on the CPU, or
/// tamis on the GPU does. Tables 1 and 2: kernels of fixed and of any size, 512^2 to 4096^2, on the device and with
/// transfers; table 3: the separable smoother, edges 3 to 121.
void measure_on_gpu(const Arguments& arguments);

/// A U16 image of values below 256: smooth shapes under salt and pepper of density 0.25, as in the paper's figures.
[[nodiscard]] Image grey_image(const Shape& shape);
/// U16 noise of all values.
[[nodiscard]] Image noise(const Shape& shape);
/// The paper's borders: the texture repeats the edge.
[[nodiscard]] inline MedianOptions median_of(int edge) {
  return {.window = StructuringElement::square(edge), .border = Border::nearest()};
}

struct Mean {
  double ms = 0;
  int calls = 0;
};
/// Of so many calls as fit into the seconds, at least two; `milliseconds(calls)` is what one of them takes.
template <class Call>
Mean mean_of(const Call& milliseconds, const Arguments& arguments) {
  const double fit = arguments.seconds * 1e3 / std::max(milliseconds(1), 1e-4);
  const int calls = static_cast<int>(std::clamp(fit, 2.0, static_cast<double>(arguments.most_calls)));
  return {milliseconds(calls), calls};
}
/// What a row says of a mean.
[[nodiscard]] bench::Json figures(const Mean& mean, const Shape& shape);

/// Throws where an answer is not that of tamis: nothing is timed then.
void require_same(const Image& got, const Image& wanted, const std::string& what);

}  // namespace tamis::perrot
