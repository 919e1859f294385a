// What the parts of the study on a GPU share.
#pragma once

#include <string>
#include <vector>

#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "papers/karas/gpu/run.hpp"
#include "papers/karas/study/measure.hpp"

namespace tamis::karas {

/// Noise of all values, and curved ridges as in the paper's textures, with some noise.
[[nodiscard]] Image noise(std::int64_t nx, std::int64_t ny);
[[nodiscard]] Image texture(std::int64_t nx, std::int64_t ny);
/// Dark staves and notes on a bright page, turned by 2 degrees.
[[nodiscard]] Image music(std::int64_t nx, std::int64_t ny);

/// The task's openings or closings, as tamis computes them on the CPU.
[[nodiscard]] std::vector<Image> answers(const Image& image, const gpu::Task& task);
/// Throws where an answer is not that of tamis: nothing is timed then.
void require_same(const Image& got, const Image& wanted, const std::string& what);

/// Figures 5, 8, 9, 10 and 11.
void measure_figures(const cuda::Stream& stream, const Arguments& arguments);
/// Table 2.
void measure_table(const cuda::Stream& stream, const Arguments& arguments);

}  // namespace tamis::karas
