// Eight samples are a byte of bits: a thread packs one such byte, or the eight of a word.
#include "core/gpu/array/copy.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/gpu/array/strided.hpp"
#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"

namespace tamis::cuda {
namespace {

constexpr unsigned warp = 32;
using cuda::whole_warp;

/// Where rows lie; the axis that lanes follow comes first.
struct Rows {
  const std::uint8_t* samples;
  std::int64_t stride_x;
  std::int64_t columns, words;
  std::int64_t ny, nz;
  Strides strides;
  bool z_first;  ///< rows are counted along z before y
  bool aligned;  ///< eight samples can be loaded at once
  const std::uint8_t* inside;
  bool same_inside;  ///< one slice for all
  std::uint8_t* bits;
  unsigned long long* ones;
};

struct Row {
  std::int64_t z, y;
};

__device__ __forceinline__ Row row_at(const Rows& rows, std::int64_t index) {
  if (rows.z_first) return {index % rows.nz, index / rows.nz};
  return {index / rows.ny, index % rows.ny};
}

/// One bit for each byte that is not 0.
__device__ __forceinline__ unsigned bits_of(std::uint64_t bytes) {
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7fU;
  const std::uint64_t high = (((bytes & low) + low) | bytes) & ~low;  // bit 7 of each byte
  return static_cast<unsigned>(((high >> 7) * 0x0102040810204080U) >> 56);
}

__device__ __forceinline__ unsigned pack_eight(const Rows& rows, const std::uint8_t* row, std::int64_t x) {
  const std::int64_t left = rows.columns - x;
  if (left <= 0) return 0;
  if (rows.aligned && left >= 8) return bits_of(*reinterpret_cast<const std::uint64_t*>(row + x));
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    if (k < left) bits |= static_cast<unsigned>(row[(x + k) * rows.stride_x] != 0) << k;
  }
  return bits;
}

/// The `octets` bytes of bits from `first` on, in a row. Returns how many of them are 1.
template <int octets>
__device__ __forceinline__ unsigned pack_part(const Rows& rows, Row row, std::int64_t first) {
  const std::uint8_t* const samples = rows.samples + row.z * rows.strides.z + row.y * rows.strides.y;
  const std::int64_t at = (row.z * rows.ny + row.y) * rows.words * 8 + first;
  const std::int64_t inside_at = rows.same_inside ? row.y * rows.words * 8 + first : at;
  std::uint64_t bits = 0;
#pragma unroll
  for (int i = 0; i < octets; ++i) {
    bits |= std::uint64_t{pack_eight(rows, samples, (first + i) * 8)} << (8 * i);
  }
  if (octets == 8) {
    if (rows.inside) bits &= *reinterpret_cast<const std::uint64_t*>(rows.inside + inside_at);
    *reinterpret_cast<std::uint64_t*>(rows.bits + at) = bits;
  } else {
    if (rows.inside) bits &= rows.inside[inside_at];
    rows.bits[at] = static_cast<std::uint8_t>(bits);
  }
  return static_cast<unsigned>(__popcll(bits));
}

__device__ __forceinline__ void add_ones(unsigned count, unsigned long long* ones) {
  if (!ones) return;
  for (int distance = warp / 2; distance > 0; distance /= 2) count += __shfl_down_sync(whole_warp, count, distance);
  if (threadIdx.x == 0 && count > 0) atomicAdd(ones, static_cast<unsigned long long>(count));
}

/// x is the fastest axis: lanes go along it.
__global__ void __launch_bounds__(256) pack_along_x(const Rows rows) {
  const std::int64_t octets = rows.words * 8;
  const std::int64_t all = rows.nz * rows.ny;
  unsigned count = 0;
  for (std::int64_t i = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y; i < all;
       i += std::int64_t{gridDim.y} * blockDim.y) {
    const Row row = row_at(rows, i);
    for (std::int64_t octet = std::int64_t{blockIdx.x} * warp + threadIdx.x; octet < octets;
         octet += std::int64_t{gridDim.x} * warp) {
      count += pack_part<1>(rows, row, octet);
    }
  }
  add_ones(count, rows.ones);
}

/// Another axis is: lanes go along that, each with a word of its own row.
__global__ void __launch_bounds__(256) pack_along_rows(const Rows rows) {
  const std::int64_t all = rows.nz * rows.ny;
  unsigned count = 0;
  for (std::int64_t word = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y; word < rows.words;
       word += std::int64_t{gridDim.y} * blockDim.y) {
    for (std::int64_t i = std::int64_t{blockIdx.x} * warp + threadIdx.x; i < all; i += std::int64_t{gridDim.x} * warp) {
      count += pack_part<8>(rows, row_at(rows, i), word * 8);
    }
  }
  add_ones(count, rows.ones);
}

bool aligned(const GpuArray& array) {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.data));
  return array.stride_x == 1 && address % 8 == 0 && (array.shape.y == 1 || array.stride_y % 8 == 0) &&
         (array.shape.z == 1 || array.stride_z % 8 == 0);
}

/// How far apart samples are along an axis; where there is only one, further than along any other.
std::int64_t distance(std::int64_t stride, std::int64_t extent) { return extent == 1 ? INT64_MAX : std::abs(stride); }

}  // namespace

DeviceBits pack_array(const Stream& stream, const GpuArray& array, const DeviceBits& inside, unsigned long long* ones) {
  DeviceBits bits(stream, array.shape);
  const Shape& shape = array.shape;
  const std::int64_t x = distance(array.stride_x, shape.x);
  const std::int64_t y = distance(array.stride_y, shape.y);
  const std::int64_t z = distance(array.stride_z, shape.z);
  Rows rows = {};
  rows.samples = static_cast<const std::uint8_t*>(array.data);
  rows.stride_x = array.stride_x;
  rows.columns = shape.x;
  rows.words = bits.words_of_row;
  rows.ny = shape.y;
  rows.nz = shape.z;
  rows.strides = strides_of(array);
  rows.z_first = z < y;
  rows.aligned = aligned(array);
  rows.inside = reinterpret_cast<const std::uint8_t*>(inside.words.data());
  rows.same_inside = inside.slices == 1;
  rows.bits = reinterpret_cast<std::uint8_t*>(bits.words.data());
  rows.ones = ones;
  constexpr std::int64_t most_blocks = 65535;
  constexpr unsigned down = 8;
  const auto blocks = [&](std::int64_t work, std::int64_t of_block, std::int64_t most) {
    return static_cast<unsigned>(std::clamp<std::int64_t>((work + of_block - 1) / of_block, 1, most));
  };
  const std::int64_t all = shape.z * shape.y;
  if (x <= std::min(y, z)) {
    launch(stream, {dim3(blocks(rows.words * 8, warp, most_blocks), blocks(all, down, most_blocks)), dim3(warp, down)},
           "pack an array", pack_along_x, rows);
  } else {
    launch(stream, {dim3(blocks(all, warp, most_blocks), blocks(rows.words, down, most_blocks)), dim3(warp, down)},
           "pack an array", pack_along_rows, rows);
  }
  return bits;
}

DeviceBits whole_bits(const Stream& stream, const Shape& shape) {
  const DeviceBuffer<std::uint8_t> one(stream, 1);
  check(cudaMemsetAsync(one.data(), 1, 1, stream.get()), "set a byte");
  GpuArray array;  // all strides are 0: one sample everywhere
  array.data = one.data();
  array.shape = {1, shape.y, shape.x, 3};
  return pack_array(stream, array, {});
}

}  // namespace tamis::cuda
