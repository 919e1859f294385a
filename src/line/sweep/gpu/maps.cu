#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/bits/ordered_bits.hpp"
#include "line/sweep/gpu/run.hpp"
#include "line/traced/gpu/cells.cuh"

namespace tamis::line_detail::gpu {
namespace {

constexpr int threads = 256;

template <class T>
constexpr int samples_of_a_word = static_cast<int>(4 / sizeof(T));

template <class T>
union Word {
  std::uint32_t whole;
  T sample[samples_of_a_word<T>];
};

/// -0 is below +0: floats compare as whole numbers.
template <class T>
__device__ __forceinline__ int key_of(T value) {
  if constexpr (sizeof(T) == 4) {
    return detail::ordered_bits(value);
  } else {
    return static_cast<int>(value);
  }
}
template <class T>
__device__ __forceinline__ T sample_of(int key) {
  if constexpr (sizeof(T) == 4) {
    return detail::float_of_ordered(key);
  } else {
    return static_cast<T>(key);
  }
}

/// What is known of the samples of a word.
template <class T>
struct Found {
  int best[samples_of_a_word<T>], worst[samples_of_a_word<T>];
};

/// Openings `begin` ... `end` - 1 of the stack, which lie in one half of the angles, with the next ones on their way.
template <class T, bool dark>
__device__ __forceinline__ void take_half(const MapTask& task, const std::byte* stack, int half, int begin, int end,
                                          Found<T>& found, TiedAngles (&tied)[samples_of_a_word<T>]) {
  constexpr int samples = samples_of_a_word<T>;
  constexpr int ahead = 8;
  if (begin >= end) return;
  int best[samples], first[samples], last[samples];
  Word<T> start;
  start.whole = *reinterpret_cast<const std::uint32_t*>(stack + begin * task.stack.slice);
#pragma unroll
  for (int i = 0; i < samples; ++i) {
    best[i] = key_of(start.sample[i]);
    first[i] = last[i] = begin;
  }
  for (int from = begin; from < end; from += ahead) {
    Word<T> now[ahead];
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      const int at = min(from + a, end - 1);
      now[a].whole = *reinterpret_cast<const std::uint32_t*>(stack + at * task.stack.slice);
    }
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      const int at = min(from + a, end - 1);  // the last one again changes nothing
#pragma unroll
      for (int i = 0; i < samples; ++i) {
        const int key = key_of(now[a].sample[i]);
        if (dark ? key < best[i] : key > best[i]) first[i] = at;
        if (dark ? key <= best[i] : key >= best[i]) last[i] = at;
        best[i] = dark ? min(key, best[i]) : max(key, best[i]);
        found.worst[i] = dark ? max(key, found.worst[i]) : min(key, found.worst[i]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < samples; ++i) {
    if (dark ? best[i] < found.best[i] : best[i] > found.best[i]) {
      found.best[i] = best[i];
      tied[i] = {};
    }
    if (best[i] != found.best[i]) continue;
    const auto own_first = static_cast<std::uint16_t>(task.first + first[i]);
    const auto own_last = static_cast<std::uint16_t>(task.first + last[i] + task.width - 1);
    tied[i].first[half] = min(tied[i].first[half], own_first);
    tied[i].last[half] = max(tied[i].last[half], own_last);
  }
}

/// A thread has one word of the image.
template <class T, bool dark>
__global__ void __launch_bounds__(threads) maps_kernel(MapTask task, int words) {
  constexpr int samples = samples_of_a_word<T>;
  const std::int64_t index = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (index >= words * task.ny) return;
  const std::int64_t y = index / words;
  const std::int64_t x = index % words * 4;
  const std::byte* const stack = task.stack.data + y * task.stack.pitch + x;
  auto* const best_at = reinterpret_cast<std::uint32_t*>(task.best.data + y * task.best.pitch + x);
  auto* const worst_at = reinterpret_cast<std::uint32_t*>(task.worst.data + y * task.worst.pitch + x);
  TiedAngles* const tied_at = task.tied + index * samples;
  const bool begins = task.first == 0;
  Word<T> best, worst;
  best.whole = begins ? *reinterpret_cast<const std::uint32_t*>(stack) : *best_at;
  worst.whole = begins ? best.whole : *worst_at;
  Found<T> found;
  TiedAngles tied[samples];
#pragma unroll
  for (int i = 0; i < samples; ++i) {
    found.best[i] = key_of(best.sample[i]);
    found.worst[i] = key_of(worst.sample[i]);
    if (!begins) tied[i] = tied_at[i];
  }
  const int border = task.second_half - task.first;
  take_half<T, dark>(task, stack, 0, 0, min(border, task.count), found, tied);
  take_half<T, dark>(task, stack, 1, max(border, 0), task.count, found, tied);
#pragma unroll
  for (int i = 0; i < samples; ++i) {
    best.sample[i] = sample_of<T>(found.best[i]);
    worst.sample[i] = sample_of<T>(found.worst[i]);
  }
  *best_at = best.whole;
  *worst_at = worst.whole;
  if (task.first + task.count + task.width - 1 < task.angles) {
#pragma unroll
    for (int i = 0; i < samples; ++i) tied_at[i] = tied[i];
  } else {
    auto* const twice_at =
        reinterpret_cast<std::uint16_t*>(task.twice.data + y * task.twice.pitch) + x / static_cast<int>(sizeof(T));
#pragma unroll
    for (int i = 0; i < samples; ++i) {
      twice_at[i] = static_cast<std::uint16_t>(twice_the_middle(tied[i], task.angles));
    }
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    count_kernel(DeviceImage slice, std::int64_t nx, std::int64_t ny, SweepScale scale, unsigned long long* sum) {
  unsigned long long own = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < nx * ny; i += step) {
    const T value = reinterpret_cast<const T*>(slice.data + i / nx * slice.pitch)[i % nx];
    if constexpr (sizeof(T) == 4) {
      own += count_of_float(value, scale.base, scale.step);
    } else {
      own += static_cast<unsigned long long>(static_cast<int>(value) + (static_cast<T>(-1) < T{0} ? 32768 : 0));
    }
  }
  for (int distance = 16; distance > 0; distance /= 2) own += __shfl_down_sync(~0U, own, distance);
  if (threadIdx.x % 32 == 0 && own != 0) atomicAdd(sum, own);
}

template <class T>
void run_maps(const cuda::Stream& stream, const MapTask& task) {
  const auto words = static_cast<int>((task.nx * static_cast<std::int64_t>(sizeof(T)) + 3) / 4);
  const std::int64_t blocks = (words * task.ny + threads - 1) / threads;
  const auto kernel = task.dark ? maps_kernel<T, true> : maps_kernel<T, false>;
  cuda::launch(stream, {dim3(static_cast<unsigned>(blocks)), dim3(threads)}, "take openings into maps", kernel, task,
               words);
}

}  // namespace

std::int64_t tied_room(Type type, const Shape& shape) {
  const std::int64_t samples = 4 / sample_bytes(type);
  return (shape.x + samples - 1) / samples * samples * shape.y;
}

void take_into_maps(const cuda::Stream& stream, const MapTask& task) {
  if (task.type == Type::U8) return run_maps<std::uint8_t>(stream, task);
  if (task.type == Type::U16) return run_maps<std::uint16_t>(stream, task);
  if (task.type == Type::I16) return run_maps<std::int16_t>(stream, task);
  run_maps<float>(stream, task);
}

void count_slice(const cuda::Stream& stream, Type type, const DeviceImage& slice, std::int64_t nx, std::int64_t ny,
                 const SweepScale& scale, unsigned long long* sum) {
  constexpr std::int64_t most_blocks = 2048;
  const auto blocks = static_cast<unsigned>(std::min((nx * ny + threads - 1) / threads, most_blocks));
  const auto kernel = type == Type::U8    ? count_kernel<std::uint8_t>
                      : type == Type::U16 ? count_kernel<std::uint16_t>
                      : type == Type::I16 ? count_kernel<std::int16_t>
                                          : count_kernel<float>;
  cuda::launch(stream, {dim3(blocks), dim3(threads)}, "count samples", kernel, slice, nx, ny, scale, sum);
}

}  // namespace tamis::line_detail::gpu
