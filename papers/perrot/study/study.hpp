// The tables of Perrot (2013) on this machine, beside tamis. Lines of JSON.
#pragma once

#include <string>
#include <string_view>

#include <tamis/image.hpp>

#include "bench/gpu_timer.hpp"
#include "core/gpu/stream.hpp"
#include "papers/perrot/gpu/kernels.hpp"

namespace tamis::perrot {

/// A U16 image of values below 256: smooth shapes under salt and pepper of density 0.25, as in the paper's figures.
[[nodiscard]] Image grey_image(const Shape& shape);
/// U16 noise of all values.
[[nodiscard]] Image noise(const Shape& shape);

struct Arguments {
  int most_calls = 1000;  ///< of which the mean is taken
  double seconds = 0.2;   ///< for them; slow cases make fewer calls
  int largest = 4096;     ///< edge of the largest image
  std::string only;       ///< "kernels", "smoother", "cpu", "check"; empty: all
};
inline bool wants(const Arguments& arguments, std::string_view part) {
  return arguments.only.empty() || arguments.only == part;
}

struct Mean {
  double ms = 0;
  int calls = 0;
};
/// So many calls fit into the seconds, at least two.
[[nodiscard]] int calls_of(double once_ms, const Arguments& arguments);
/// What a row says of a mean.
[[nodiscard]] bench::Json figures(const Mean& mean, const Shape& shape);

/// Throws if some version, edge or block gives another answer than tamis on the CPU, or tamis on the GPU does.
void check_versions(const cuda::Stream& stream);
/// Tables 1 and 2: kernels of fixed and of any size, 512^2 to 4096^2, on the device and with transfers.
void measure_kernels(const cuda::Stream& stream, const Arguments& arguments);
/// Table 3: the separable smoother, edges 3 to 121, 4096^2.
void measure_smoother(const cuda::Stream& stream, const Arguments& arguments);
/// The paper's reference and histogram on the CPU, and tamis there.
void measure_cpu(const Arguments& arguments);

}  // namespace tamis::perrot
