// Into quads and out of them: bits to quads before the first pass, counters to samples after the last one.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "papers/boulos/gpu/quads.cuh"

namespace tamis::boulos::gpu {
namespace {

using namespace quad_kernel;

/// Dense rows of words to rows of quads: a thread a quad.
__global__ void load_kernel(const std::uint64_t* bits, std::int64_t rows, int x, const uint4* domain,
                            std::int64_t domain_rows, uint4* out, unsigned long long* ones) {
  const int words = (x + 63) / 64;
  const int quads = (x + 127) / 128;
  int found = 0;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * quads; i += stride) {
    const std::int64_t row = i / quads;
    const int quad = static_cast<int>(i - row * quads);
    const std::uint64_t* const from = bits + row * words + 2 * quad;
    const std::uint64_t low = from[0];
    const std::uint64_t high = 2 * quad + 1 < words ? from[1] : 0;
    uint4 value = {static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
                   static_cast<unsigned>(high >> 32)};
    value = value & (domain ? domain[row % domain_rows * quads + quad] : tail_of(x, quad));
    out[i] = value;
    found += count(value);
  }
  if (ones) add_up(found, ones);
}

/// A thread takes 8 counters.
__global__ void start_map_kernel(const std::uint8_t* bits, std::int64_t bytes, uint4* map) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= bytes) return;
  const unsigned b = bits[i];
  map[i] = {(b & 1U) | (b & 2U) << 15, (b >> 2 & 1U) | (b & 8U) << 13, (b >> 4 & 1U) | (b & 32U) << 11,
            (b >> 6 & 1U) | (b & 128U) << 9};
}

template <class Sample>
__global__ void narrow_kernel(const std::uint16_t* map, std::int64_t rows, int x, Sample* out) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t row = i / x;
  if (row >= rows) return;
  const std::int64_t pitch = (std::int64_t{x} + quad_bits - 1) / quad_bits * quad_bits;
  out[i] = static_cast<Sample>(map[row * pitch + (i - row * x)]);
}

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>((threads + block_threads - 1) / block_threads);
}

}  // namespace

void load_quads(const cuda::Stream& stream, const std::uint64_t* bits, std::int64_t rows, std::int64_t x,
                const uint4* domain, std::int64_t domain_rows, uint4* out, unsigned long long* ones) {
  constexpr unsigned most_blocks = 1U << 14;
  const unsigned blocks = std::min(most_blocks, blocks_for(std::min(rows * quads_of(x), std::int64_t{1} << 30)));
  cuda::launch(stream, {dim3(blocks), dim3(block_threads)}, "load bits", load_kernel, bits, rows, static_cast<int>(x),
               domain, domain_rows, out, ones);
}

void start_map(const cuda::Stream& stream, const uint4* bits, std::int64_t quads, std::uint16_t* map) {
  constexpr std::int64_t bytes = 16;
  cuda::launch(stream, {dim3(blocks_for(quads * bytes)), dim3(block_threads)}, "start the size map", start_map_kernel,
               reinterpret_cast<const std::uint8_t*>(bits), quads * bytes, reinterpret_cast<uint4*>(map));
}

void narrow_map(const cuda::Stream& stream, const std::uint16_t* map, std::int64_t first_row, std::int64_t rows,
                std::int64_t x, int bytes, void* out) {
  const cuda::LaunchShape shape = {dim3(blocks_for(rows * x)), dim3(block_threads)};
  const std::uint16_t* const from = map + first_row * quads_of(x) * quad_bits;
  const auto width = static_cast<int>(x);
  if (bytes == 1) {
    cuda::launch(stream, shape, "copy the size map", narrow_kernel<std::uint8_t>, from, rows, width,
                 static_cast<std::uint8_t*>(out));
  } else {
    cuda::launch(stream, shape, "copy the size map", narrow_kernel<std::uint16_t>, from, rows, width,
                 static_cast<std::uint16_t*>(out));
  }
}

}  // namespace tamis::boulos::gpu
