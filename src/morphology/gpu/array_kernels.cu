#include "morphology/gpu/kernels.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/gpu/array/strided.cuh"

namespace tamis::morphology_detail::gpu {
namespace {

using cuda::Together;

constexpr unsigned threads = 256;

/// The NaN that x86 gives: a quieted one of the two, otherwise its own. GPUs have another one.
__device__ __forceinline__ float difference_of_floats(float a, float b) {
  const float exact = a - b;
  if (!isnan(exact)) return exact;
  constexpr unsigned quiet = 0x00400000, of_infinities = 0xffc00000;
  if (isnan(a)) return __uint_as_float(__float_as_uint(a) | quiet);
  return __uint_as_float(isnan(b) ? __float_as_uint(b) | quiet : of_infinities);
}

template <class T>
__device__ __forceinline__ T difference(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
    return difference_of_floats(a, b);
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {  // a word of bits
    return a & ~b;
  } else {
    const int exact = int{a} - int{b};
    if constexpr (std::is_same_v<T, std::int16_t>) return static_cast<T>(max(-32768, min(32767, exact)));
    return static_cast<T>(max(0, exact));
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    subtract_kernel(const std::byte* a, const std::byte* b, bool clip, std::int64_t pieces, std::byte* to) {
  constexpr int count = 16 / sizeof(T);
  using Piece = Together<T, count>;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < pieces;
       i += std::int64_t{gridDim.x} * threads) {
    const Piece left = reinterpret_cast<const Piece*>(a)[i];
    const Piece right = reinterpret_cast<const Piece*>(b)[i];
    Piece out;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      out.sample[k] = difference(left.sample[k], right.sample[k]);
      if constexpr (std::is_signed_v<T>) {
        if (clip && out.sample[k] < T{0}) out.sample[k] = T{0};
      }
    }
    reinterpret_cast<Piece*>(to)[i] = out;
  }
}

template <class T>
void subtract_as(const cuda::Stream& stream, const std::byte* a, const std::byte* b, bool clip, std::int64_t bytes,
                 std::byte* to) {
  constexpr std::int64_t most_blocks = 1 << 20;
  const std::int64_t pieces = bytes / 16;
  const auto blocks = static_cast<unsigned>(std::min((pieces + threads - 1) / threads, most_blocks));
  cuda::launch(stream, {dim3(blocks), dim3(threads)}, "subtract images", subtract_kernel<T>, a, b, clip, pieces, to);
}

/// Where rows of an F32 image and its bits lie.
__device__ __forceinline__ std::byte* row_at(const DeviceImage& image, std::int64_t row, std::int64_t ny) {
  return image.data + row / ny * image.slice + row % ny * image.pitch;
}

/// A warp makes words of 32 bits: a ballot each.
__global__ void __launch_bounds__(threads)
    part_kernel(const DeviceImage image, const Shape shape, float neutral, const NanParts parts) {
  const std::int64_t x = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t words = (shape.x + 63) / 64 * 2;
  for (std::int64_t row = blockIdx.y; row < shape.z * shape.y; row += gridDim.y) {
    const bool inside = x < shape.x;
    const float value = inside ? reinterpret_cast<const float*>(row_at(image, row, shape.y))[x] : 0.0F;
    const bool nan = inside && isnan(value);
    const unsigned nans = __ballot_sync(0xffffffffU, nan);
    const unsigned numbers = __ballot_sync(0xffffffffU, inside && !nan);
    if (inside) reinterpret_cast<float*>(row_at(parts.image, row, shape.y))[x] = nan ? neutral : value;
    if (threadIdx.x % 32 != 0 || x / 32 >= words) continue;
    reinterpret_cast<std::uint32_t*>(row_at(parts.nan, row, shape.y))[x / 32] = nans;
    reinterpret_cast<std::uint32_t*>(row_at(parts.numbers, row, shape.y))[x / 32] = numbers;
  }
}

__global__ void __launch_bounds__(threads)
    put_kernel(const DeviceImage nan, const DeviceImage numbers, const Shape shape, const DeviceImage image) {
  const std::int64_t x = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (x >= shape.x) return;
  for (std::int64_t row = blockIdx.y; row < shape.z * shape.y; row += gridDim.y) {
    const std::uint32_t nans = reinterpret_cast<const std::uint32_t*>(row_at(nan, row, shape.y))[x / 32];
    const std::uint32_t others = reinterpret_cast<const std::uint32_t*>(row_at(numbers, row, shape.y))[x / 32];
    if (((nans & ~others) >> (x % 32) & 1U) == 0) continue;
    reinterpret_cast<std::uint32_t*>(row_at(image, row, shape.y))[x] = 0x7fc00000U;
  }
}

cuda::LaunchShape by_rows(std::int64_t columns, const Shape& shape) {
  constexpr std::int64_t most_rows = 32768;
  return {dim3(static_cast<unsigned>((columns + threads - 1) / threads),
               static_cast<unsigned>(std::min(shape.z * shape.y, most_rows))),
          dim3(threads)};
}

}  // namespace

void subtract_images(const cuda::Stream& stream, Type type, const std::byte* a, const std::byte* b, bool clip,
                     std::int64_t bytes, std::byte* to) {
  if (type == Type::Bool) return subtract_as<std::uint32_t>(stream, a, b, clip, bytes, to);
  if (type == Type::U8) return subtract_as<std::uint8_t>(stream, a, b, clip, bytes, to);
  if (type == Type::U16) return subtract_as<std::uint16_t>(stream, a, b, clip, bytes, to);
  if (type == Type::I16) return subtract_as<std::int16_t>(stream, a, b, clip, bytes, to);
  subtract_as<float>(stream, a, b, clip, bytes, to);
}

void part_nan(const cuda::Stream& stream, const DeviceImage& image, const Shape& shape, Order order,
              const NanParts& parts) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float neutral = order == Order::Min ? infinity : -infinity;
  cuda::launch(stream, by_rows((shape.x + 63) / 64 * 64, shape), "part NaN", part_kernel, image, shape, neutral, parts);
}

void put_nan(const cuda::Stream& stream, const DeviceImage& nan, const DeviceImage& numbers, const Shape& shape,
             const DeviceImage& image) {
  cuda::launch(stream, by_rows(shape.x, shape), "put NaN", put_kernel, nan, numbers, shape, image);
}

}  // namespace tamis::morphology_detail::gpu
