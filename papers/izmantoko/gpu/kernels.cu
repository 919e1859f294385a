#include "papers/izmantoko/gpu/kernels.hpp"

#include <string>

#include <tamis/error.hpp>

#include "core/gpu/launch.hpp"

namespace tamis::izmantoko::gpu {
namespace {

constexpr int tile = 16;              // edge of a block; the paper does not say
constexpr int most_naive_radius = 7;  // the paper has edges up to 7; the larger ones show the order of growth

struct Pixel {
  int x, y;
};

__device__ Pixel pixel_of_thread() {
  return {static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
          static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y)};
}

__device__ bool inside(const BinaryPixels& image, int x, int y) {
  return x >= 0 && x < image.nx && y >= 0 && y < image.ny;
}

__device__ std::uint8_t& at(const BinaryPixels& image, int x, int y) {
  return image.data[static_cast<std::size_t>(y) * image.pitch + x];
}

/// What an erosion sees: a one where there is nothing.
__device__ bool one_or_outside(const BinaryPixels& image, int x, int y) {
  return !inside(image, x, y) || at(image, x, y) == 1;
}

__device__ void set_if_inside(const BinaryPixels& image, int x, int y) {
  if (inside(image, x, y)) at(image, x, y) = 1;
}

/// One condition over all pixels, as if written by hand: the first zero ends it.
template <int radius>
__global__ void naive_erode(const BinaryPixels from, const BinaryPixels to) {
  const auto [x, y] = pixel_of_thread();
  if (!inside(to, x, y)) return;
  bool all = true;
#pragma unroll
  for (int dy = -radius; dy <= radius; ++dy) {
#pragma unroll
    for (int dx = -radius; dx <= radius; ++dx) all = all && one_or_outside(from, x + dx, y + dy);
  }
  at(to, x, y) = all;
}

template <int radius>
__global__ void naive_dilate(const BinaryPixels from, const BinaryPixels to) {
  const auto [x, y] = pixel_of_thread();
  if (!inside(to, x, y) || at(from, x, y) != 1) return;
#pragma unroll
  for (int dy = -radius; dy <= radius; ++dy) {
#pragma unroll
    for (int dx = -radius; dx <= radius; ++dx) set_if_inside(to, x + dx, y + dy);
  }
}

/// Four quarters, four arms and the centre: 4 R^2 + 4 R + 1 ones.
__device__ int full_count(int radius) { return 4 * radius * radius + 4 * radius + 1; }

__global__ void global_erode(const BinaryPixels from, const BinaryPixels to, int radius) {
  const auto [x, y] = pixel_of_thread();
  if (!inside(to, x, y)) return;
  int counter = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) counter += one_or_outside(from, x + dx, y + dy);
  }
  at(to, x, y) = counter == full_count(radius);
}

__device__ void scatter(const BinaryPixels& to, int x, int y, int radius) {
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) set_if_inside(to, x + dx, y + dy);
  }
}

__global__ void global_dilate(const BinaryPixels from, const BinaryPixels to, int radius) {
  const auto [x, y] = pixel_of_thread();
  if (inside(to, x, y) && at(from, x, y) == 1) scatter(to, x, y, radius);
}

__device__ int halo_edge(int radius) { return tile + 2 * radius; }

/// The block's tile with its halo; ones outside of the image.
__device__ void load_tile(const BinaryPixels& from, std::uint8_t* shared, int radius) {
  const int edge = halo_edge(radius);
  const int left = static_cast<int>(blockIdx.x) * tile - radius;
  const int top = static_cast<int>(blockIdx.y) * tile - radius;
  for (int sy = static_cast<int>(threadIdx.y); sy < edge; sy += tile) {
    for (int sx = static_cast<int>(threadIdx.x); sx < edge; sx += tile) {
      shared[sy * edge + sx] = one_or_outside(from, left + sx, top + sy);
    }
  }
  __syncthreads();
}

__global__ void shared_erode(const BinaryPixels from, const BinaryPixels to, int radius) {
  extern __shared__ std::uint8_t shared[];
  load_tile(from, shared, radius);
  const auto [x, y] = pixel_of_thread();
  if (!inside(to, x, y)) return;
  const int edge = halo_edge(radius);
  int counter = 0;
  for (int dy = 0; dy <= 2 * radius; ++dy) {
    for (int dx = 0; dx <= 2 * radius; ++dx) {
      counter += shared[(static_cast<int>(threadIdx.y) + dy) * edge + static_cast<int>(threadIdx.x) + dx];
    }
  }
  at(to, x, y) = counter == full_count(radius);
}

__global__ void shared_dilate(const BinaryPixels from, const BinaryPixels to, int radius) {
  extern __shared__ std::uint8_t shared[];
  load_tile(from, shared, radius);
  const auto [x, y] = pixel_of_thread();
  const int centre =
      (static_cast<int>(threadIdx.y) + radius) * halo_edge(radius) + static_cast<int>(threadIdx.x) + radius;
  if (inside(to, x, y) && shared[centre] == 1) scatter(to, x, y, radius);
}

cuda::LaunchShape shape_of(const BinaryPixels& image, Kernel kernel, int radius) {
  const auto blocks = [](int n) { return static_cast<unsigned>((n + tile - 1) / tile); };
  const auto edge = static_cast<std::size_t>(tile + 2 * radius);
  return {dim3(blocks(image.nx), blocks(image.ny)), dim3(tile, tile), kernel == Kernel::Shared ? edge * edge : 0};
}

using NaiveKernel = void (*)(BinaryPixels, BinaryPixels);
/// By radius, from 1 on.
constexpr NaiveKernel naive_erosions[most_naive_radius] = {
    naive_erode<1>, naive_erode<2>, naive_erode<3>, naive_erode<4>, naive_erode<5>, naive_erode<6>, naive_erode<7>};
constexpr NaiveKernel naive_dilations[most_naive_radius] = {naive_dilate<1>, naive_dilate<2>, naive_dilate<3>,
                                                            naive_dilate<4>, naive_dilate<5>, naive_dilate<6>,
                                                            naive_dilate<7>};

void require_radius(Kernel kernel, int radius) {
  if (has_radius(kernel, radius)) return;
  throw InputError("the paper's kernel " + std::string(name(kernel)) + ": a square of edge " +
                   std::to_string(2 * radius + 1) + "; wanted one that it is written for");
}

}  // namespace

std::string_view name(Kernel kernel) {
  switch (kernel) {
    case Kernel::Naive:
      return "naive";
    case Kernel::Global:
      return "global";
    case Kernel::Shared:
      return "shared";
  }
  return "";
}

bool has_radius(Kernel kernel, int radius) {
  return radius >= 1 && (kernel != Kernel::Naive || radius <= most_naive_radius);
}

void erode(const cuda::Stream& stream, Kernel kernel, const BinaryPixels& from, const BinaryPixels& to, int radius) {
  require_radius(kernel, radius);
  const cuda::LaunchShape shape = shape_of(to, kernel, radius);
  if (kernel == Kernel::Naive) {
    cuda::launch(stream, shape, "erode, naive", naive_erosions[radius - 1], from, to);
  } else {
    cuda::launch(stream, shape, "erode", kernel == Kernel::Global ? global_erode : shared_erode, from, to, radius);
  }
}

void dilate(const cuda::Stream& stream, Kernel kernel, const BinaryPixels& from, const BinaryPixels& to, int radius) {
  require_radius(kernel, radius);
  // Only ones are written, so zeros have to be there.
  cuda::check(cudaMemset2DAsync(to.data, static_cast<std::size_t>(to.pitch), 0, static_cast<std::size_t>(to.nx),
                                static_cast<std::size_t>(to.ny), stream.get()),
              "clear an image");
  const cuda::LaunchShape shape = shape_of(to, kernel, radius);
  if (kernel == Kernel::Naive) {
    cuda::launch(stream, shape, "dilate, naive", naive_dilations[radius - 1], from, to);
  } else {
    cuda::launch(stream, shape, "dilate", kernel == Kernel::Global ? global_dilate : shared_dilate, from, to, radius);
  }
}

}  // namespace tamis::izmantoko::gpu
