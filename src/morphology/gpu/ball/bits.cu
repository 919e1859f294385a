#include "morphology/gpu/ball/bits.hpp"

#include "core/gpu/launch.hpp"

namespace tamis::morphology_detail::gpu {
namespace {

constexpr unsigned threads = 256;
constexpr int samples_at_once = 8;  // of a thread: 16 bytes of squares, a byte of bits

struct CopyTask {
  const std::byte* from;
  std::int64_t pitch;  ///< bytes
  std::uint64_t* to;
  std::int64_t words, rows;  ///< words of a row
  bool inverted;
};

__global__ void __launch_bounds__(threads) copy_rows_kernel(const CopyTask task) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= task.words * task.rows) return;
  const std::int64_t row = i / task.words;
  const std::uint64_t word = reinterpret_cast<const std::uint64_t*>(task.from + row * task.pitch)[i - row * task.words];
  task.to[i] = task.inverted ? ~word : word;
}

struct AboveTask {
  const uint4* squares;
  std::int64_t parts, rows;  ///< parts of eight samples of a row
  std::int64_t x;
  unsigned limit;  ///< twice, for two samples of a word
  bool inverted;
  std::byte* to;
  std::int64_t pitch;  ///< bytes
};

/// Bits 0 and 1 for the two samples of a word.
__device__ __forceinline__ unsigned two_above(unsigned word, unsigned limit) {
  const unsigned above = __vcmpgtu2(word, limit);
  return (above & 1U) | (above >> 16 & 2U);
}

__global__ void __launch_bounds__(threads) bits_above_kernel(const AboveTask task) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= task.parts * task.rows) return;
  const std::int64_t row = i / task.parts;
  const std::int64_t part = i - row * task.parts;
  const uint4 eight = task.squares[i];
  unsigned bits = two_above(eight.x, task.limit) | two_above(eight.y, task.limit) << 2 |
                  two_above(eight.z, task.limit) << 4 | two_above(eight.w, task.limit) << 6;
  if (task.inverted) {
    const std::int64_t left = task.x - part * samples_at_once;
    bits = left <= 0 ? 0 : ~bits & (left >= samples_at_once ? 0xffU : (1U << left) - 1);
  }
  task.to[row * task.pitch + part] = static_cast<std::byte>(bits);
}

dim3 blocks_for(std::int64_t count) { return dim3(static_cast<unsigned>((count + threads - 1) / threads)); }

}  // namespace

void copy_rows(const cuda::Stream& stream, const DeviceImage& from, const Shape& shape, bool inverted, std::uint64_t* to) {
  const CopyTask task{from.data, from.pitch, to, (shape.x + 63) / 64, shape.z * shape.y, inverted};
  cuda::launch(stream, {blocks_for(task.words * task.rows), dim3(threads)}, "copy bits", copy_rows_kernel, task);
}

void bits_above(const cuda::Stream& stream, const distance_detail::gpu::SquareRows<std::uint16_t>& squares, unsigned limit,
                bool inverted, const DeviceImage& to) {
  const AboveTask task{reinterpret_cast<const uint4*>(squares.data),
                       squares.pitch / samples_at_once,
                       squares.z * squares.y,
                       squares.x,
                       limit | limit << 16,
                       inverted,
                       to.data,
                       to.pitch};
  cuda::launch(stream, {blocks_for(task.parts * task.rows), dim3(threads)}, "compare distances", bits_above_kernel, task);
}

}  // namespace tamis::morphology_detail::gpu
