// The kernels of Izmantoko and Choi, "Time Complexity Measurement on CUDA-based GPU Parallel Architecture of Morphology
// Operation" (2013), for the benchmark. History: tamis uses none of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/gpu/stream.hpp"

namespace tamis::izmantoko::gpu {

/// The paper's names:
///   Naive    a thread a pixel, all pixels of the square written out by hand, for a few fixed sizes
///   Global   the same with loops over a radius; erosion counts the ones and compares with (2R+1)^2
///   Shared   Global, reading a tile and its halo from shared memory
/// Erosions gather; dilations scatter: a pixel that is one writes ones into its whole square, in global memory.
enum class Kernel : std::uint8_t { Naive, Global, Shared };
[[nodiscard]] std::string_view name(Kernel kernel);

/// A binary image on the device, a byte a pixel, 0 or 1.
struct BinaryPixels {
  std::uint8_t* data = nullptr;
  int pitch = 0;  ///< bytes from a row to the next
  int nx = 0, ny = 0;
};

/// Whether the kernel is written for this radius: Naive has edges 3 to 15.
[[nodiscard]] bool has_radius(Kernel kernel, int radius);

/// Queues an erosion or a dilation by the square of edge 2 * radius + 1; pixels outside are left out. What the paper
/// says of the border is nothing.
void erode(const cuda::Stream& stream, Kernel kernel, const BinaryPixels& from, const BinaryPixels& to, int radius);
void dilate(const cuda::Stream& stream, Kernel kernel, const BinaryPixels& from, const BinaryPixels& to, int radius);

}  // namespace tamis::izmantoko::gpu
