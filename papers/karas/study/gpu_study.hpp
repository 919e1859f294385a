// The figures and tables of Karas et al. (2015) on this GPU, beside tamis. Lines of JSON.
#pragma once

#include <string>

#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"

namespace tamis::karas {

/// Noise of all values, and curved ridges as in the paper's textures, with some noise.
[[nodiscard]] Image noise(std::int64_t nx, std::int64_t ny);
[[nodiscard]] Image texture(std::int64_t nx, std::int64_t ny);
/// Dark staves and notes on a bright page, turned by 2 degrees.
[[nodiscard]] Image music(std::int64_t nx, std::int64_t ny);

/// Throws if some version, configuration, border, length or angle gives another answer than tamis on the CPU.
void check_versions(const cuda::Stream& stream);

struct Arguments {
  int repetitions = 5;
  int largest = 8192;  ///< edge of the largest image
  std::string only;    ///< "figure 5", "table 2"; empty: all
};
inline bool wants(const Arguments& arguments, const std::string& name) {
  return arguments.only.empty() || arguments.only == name;
}
/// Figures 5, 8, 9, 10 and 11.
void measure_figures(const cuda::Stream& stream, const Arguments& arguments);
/// Table 2.
void measure_table(const cuda::Stream& stream, const Arguments& arguments);

}  // namespace tamis::karas
