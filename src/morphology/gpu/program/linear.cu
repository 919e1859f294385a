#include "morphology/gpu/program/linear.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"
#include "morphology/gpu/samples.cuh"

namespace tamis::morphology_detail::gpu {
namespace {

constexpr int threads = 256;
constexpr int words_of_thread = 2;

/// By threads 0, 1 ... of the first block.
__device__ __forceinline__ void clear_margins(std::uint32_t* line, std::int64_t words, unsigned thread) {
  constexpr unsigned margin = line_margin;
  if (thread >= 2 * margin) return;
  const std::int64_t at = thread < margin ? std::int64_t{thread} - margin : words + (thread - margin);
  line[at] = 0;
}

constexpr int words_of_block = threads * words_of_thread;

/// `whole`: the line has as many words as a block makes. Then the last block makes those that end with the line, some
/// of them for the second time, which changes nothing: nothing beyond the line is read, and no thread has to ask.
template <class T, Order order, bool whole>
__global__ void __launch_bounds__(threads) linear_kernel(const __grid_constant__ LinearTask task) {
  if (blockIdx.x == 0) clear_margins(task.to, task.words, threadIdx.x);
  std::int64_t first = std::int64_t{blockIdx.x} * words_of_block;
  if (whole) first = min(first, task.words - words_of_block);
  first += threadIdx.x;
  const auto own = [&](int k) { return whole || first + k * threads < task.words; };
  std::uint32_t result[words_of_thread];
#pragma unroll
  for (int k = 0; k < words_of_thread; ++k) {
    result[k] = task.and_before && own(k) ? task.to[first + k * threads] : 0;
  }
  for (int t = 0; t < task.count; ++t) {
    const std::uint32_t* const source = task.term[t].source + (task.term[t].bits >> 5) + first;
    const auto rest = static_cast<unsigned>(task.term[t].bits & 31);
    const bool alone = t == 0 && !task.and_before;
#pragma unroll
    for (int k = 0; k < words_of_thread; ++k) {
      std::uint32_t word = own(k) ? source[k * threads] : 0;
      if (rest != 0) word = __funnelshift_r(word, own(k) ? source[k * threads + 1] : 0, rest);
      result[k] = alone ? word : extremum_of_words<T, order>(result[k], word);
    }
  }
#pragma unroll
  for (int k = 0; k < words_of_thread; ++k) {
    if (own(k)) task.to[first + k * threads] = result[k];
  }
}

template <class T, Order order>
void launch_order(const cuda::Stream& stream, const LinearTask& task) {
  cuda::LaunchShape shape;
  shape.blocks = dim3(static_cast<unsigned>((task.words + words_of_block - 1) / words_of_block));
  shape.threads = dim3(threads);
  const auto kernel = task.words >= words_of_block ? linear_kernel<T, order, true> : linear_kernel<T, order, false>;
  cuda::launch(stream, shape, "extremum", kernel, task);
}

template <class T>
void launch_linear(const cuda::Stream& stream, const LinearTask& task) {
  if (task.order == Order::Min) return launch_order<T, Order::Min>(stream, task);
  launch_order<T, Order::Max>(stream, task);
}

/// One sample of a row; bool: bits.
template <class T>
__device__ __forceinline__ std::uint32_t sample_at(const std::byte* row, std::int64_t x) {
  if constexpr (std::is_same_v<T, bool>) {
    return reinterpret_cast<const std::uint32_t*>(row)[x >> 5] >> (x & 31) & 1U;
  } else {
    const T value = reinterpret_cast<const T*>(row)[x];
    std::uint32_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
  }
}

template <class T>
constexpr int bits_of = std::is_same_v<T, bool> ? 1 : 8 * static_cast<int>(sizeof(T));

template <class T>
__device__ __forceinline__ std::uint32_t outside_of(const PaddedPart& part) {
  const bool min = part.order == Order::Min;
  if constexpr (std::is_same_v<T, bool>) {
    return part.border.kind == Border::Kind::Constant ? part.border.value != 0 : min;
  } else {
    T value = min ? neutral<T, Order::Min>() : neutral<T, Order::Max>();
    if (part.border.kind == Border::Kind::Constant) value = static_cast<T>(part.border.value);
    std::uint32_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
  }
}

/// A thread a word; blockIdx.y counts rows.
template <class T>
__global__ void fill_kernel(const __grid_constant__ PaddedPart part, std::uint32_t* line) {
  constexpr int samples = 32 / bits_of<T>;
  const std::int64_t word = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0 && blockIdx.y == 0) clear_margins(line, part.nz * part.ny * part.pitch_words, threadIdx.x);
  if (word >= part.pitch_words) return;
  const std::int64_t first = part.x + word * samples;
  for (std::int64_t row = blockIdx.y; row < part.nz * part.ny; row += gridDim.y) {
    const std::int64_t z = seen_at(part.z + row / part.ny, part.shape.z, part.border.kind);
    const std::int64_t y = seen_at(part.y + row % part.ny, part.shape.y, part.border.kind);
    const std::byte* const source = part.image.data + z * part.image.slice + y * part.image.pitch;
    const bool there = z >= 0 && y >= 0;
    std::uint32_t result = 0;
    if (there && first >= 0 && first + samples <= part.shape.x) {
      const std::int64_t bit = first * bits_of<T>;
      const std::uint32_t* const words = reinterpret_cast<const std::uint32_t*>(source) + (bit >> 5);
      result = words[0];
      if ((bit & 31) != 0) result = __funnelshift_r(result, words[1], static_cast<unsigned>(bit & 31));
    } else {
      for (int i = 0; i < samples; ++i) {
        const std::int64_t x = seen_at(first + i, part.shape.x, part.border.kind);
        const std::uint32_t value = there && x >= 0 ? sample_at<T>(source, x) : outside_of<T>(part);
        result |= value << (i * bits_of<T> % 32);
      }
    }
    line[row * part.pitch_words + word] = result;
  }
}

/// Whole words: what lies behind the end of a row is padding, and zero in rows of bits, which are words of 64.
template <class T>
__global__ void empty_kernel(const __grid_constant__ PaddedPart part, const std::uint32_t* line) {
  constexpr int samples = 32 / bits_of<T>;
  const std::int64_t word = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t words =
      std::is_same_v<T, bool> ? (part.shape.x + 63) / 64 * 2 : (part.shape.x + samples - 1) / samples;
  if (word >= words) return;
  const auto left = static_cast<int>(max(min(part.shape.x - word * samples, std::int64_t{samples}), std::int64_t{0}));
  const std::uint32_t keep = left * bits_of<T> >= 32 ? ~0U : (1U << (left * bits_of<T>)) - 1U;
  for (std::int64_t row = blockIdx.y; row < part.nz * part.ny; row += gridDim.y) {
    std::byte* const to =
        part.image.data + (part.z + row / part.ny) * part.image.slice + (part.y + row % part.ny) * part.image.pitch;
    const std::int64_t in_line = row / part.ny * part.rows_of_slice + row % part.ny;
    reinterpret_cast<std::uint32_t*>(to)[word] = keep == 0 ? 0 : line[in_line * part.pitch_words + word] & keep;
  }
}

cuda::LaunchShape by_rows(std::int64_t words, std::int64_t rows) {
  cuda::LaunchShape shape;
  constexpr unsigned row_threads = 128;
  shape.threads = dim3(row_threads);
  shape.blocks = dim3(static_cast<unsigned>((words + row_threads - 1) / row_threads),
                      static_cast<unsigned>(std::min<std::int64_t>(rows, 32768)));
  return shape;
}

}  // namespace

void linear_extremum(const cuda::Stream& stream, const LinearTask& task) {
  if (task.type == Type::Bool) return launch_linear<bool>(stream, task);
  if (task.type == Type::U8) return launch_linear<std::uint8_t>(stream, task);
  if (task.type == Type::U16) return launch_linear<std::uint16_t>(stream, task);
  if (task.type == Type::I16) return launch_linear<std::int16_t>(stream, task);
  launch_linear<float>(stream, task);
}

void fill_line(const cuda::Stream& stream, const PaddedPart& part, std::uint32_t* line) {
  const cuda::LaunchShape shape = by_rows(part.pitch_words, part.nz * part.ny);
  if (part.type == Type::Bool) return cuda::launch(stream, shape, "border", fill_kernel<bool>, part, line);
  if (part.type == Type::U8) return cuda::launch(stream, shape, "border", fill_kernel<std::uint8_t>, part, line);
  if (part.type == Type::U16) return cuda::launch(stream, shape, "border", fill_kernel<std::uint16_t>, part, line);
  if (part.type == Type::I16) return cuda::launch(stream, shape, "border", fill_kernel<std::int16_t>, part, line);
  cuda::launch(stream, shape, "border", fill_kernel<float>, part, line);
}

void empty_line(const cuda::Stream& stream, const PaddedPart& part, const std::uint32_t* line) {
  const cuda::LaunchShape shape = by_rows(part.pitch_words + 1, part.nz * part.ny);
  if (part.type == Type::Bool) return cuda::launch(stream, shape, "result", empty_kernel<bool>, part, line);
  if (part.type == Type::U8) return cuda::launch(stream, shape, "result", empty_kernel<std::uint8_t>, part, line);
  if (part.type == Type::F32) return cuda::launch(stream, shape, "result", empty_kernel<float>, part, line);
  cuda::launch(stream, shape, "result", empty_kernel<std::uint16_t>, part, line);
}

}  // namespace tamis::morphology_detail::gpu
