#include "line/traced/gpu/run.hpp"

#include "core/gpu/launch.hpp"

namespace tamis::line_detail::gpu {
namespace {

constexpr int threads = 256;

/// A thread has four samples.
__global__ void unpack_kernel(DeviceImage bits, DeviceImage bytes, std::int64_t words, std::int64_t rows) {
  const std::int64_t index = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (index >= words * rows) return;
  const std::int64_t row = index / words;
  const std::int64_t word = index % words;
  const unsigned byte = static_cast<unsigned>(bits.data[row * bits.pitch + word / 2]);
  const unsigned four = (byte >> (word % 2 * 4)) & 15U;
  // Bit i to byte i, and all of it.
  const unsigned ones = (four & 1U) | (four & 2U) << 7 | (four & 4U) << 14 | (four & 8U) << 21;
  reinterpret_cast<unsigned*>(bytes.data + row * bytes.pitch)[word] = ones * 255U;
}

/// A thread has the 32 samples of a word.
__global__ void pack_kernel(DeviceImage bytes, DeviceImage bits, std::int64_t nx, std::int64_t words,
                            std::int64_t rows) {
  const std::int64_t index = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (index >= words * rows) return;
  const std::int64_t row = index / words;
  const std::int64_t word = index % words;
  unsigned packed = 0;
  for (int i = 0; i < 32; ++i) {
    const std::int64_t x = word * 32 + i;
    if (x < nx && static_cast<unsigned>(bytes.data[row * bytes.pitch + x]) != 0) packed |= 1U << i;
  }
  reinterpret_cast<unsigned*>(bits.data + row * bits.pitch)[word] = packed;
}

dim3 blocks_for(std::int64_t count) { return dim3(static_cast<unsigned>((count + threads - 1) / threads)); }

}  // namespace

void bytes_of_bits(const cuda::Stream& stream, const DeviceImage& bits, const DeviceImage& bytes, std::int64_t nx,
                   std::int64_t rows) {
  const std::int64_t words = (nx + 3) / 4;
  cuda::launch(stream, {blocks_for(words * rows), dim3(threads)}, "unpack bits", unpack_kernel, bits, bytes, words,
               rows);
}

void bits_of_bytes(const cuda::Stream& stream, const DeviceImage& bytes, const DeviceImage& bits, std::int64_t nx,
                   std::int64_t rows) {
  const std::int64_t words = (nx + 63) / 64 * 2;
  cuda::launch(stream, {blocks_for(words * rows), dim3(threads)}, "pack bits", pack_kernel, bytes, bits, nx, words,
               rows);
}

}  // namespace tamis::line_detail::gpu
