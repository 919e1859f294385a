#include <algorithm>

#include "core/cuda/launch.hpp"
#include "line/sweep_cuda.hpp"
#include "line/traced_cells.cuh"

namespace tamis::line_detail {
namespace {

constexpr int threads = 256;

/// A thread has one word of the image; it looks through the openings with the next ones on their way.
template <class T, bool dark>
__global__ void __launch_bounds__(threads) maps_kernel(MapTask task, int words) {
  constexpr int samples = static_cast<int>(4 / sizeof(T));
  constexpr int ahead = 8;
  const std::int64_t index = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (index >= words * task.ny) return;
  const std::int64_t y = index / words;
  const std::int64_t x = index % words * 4;
  // -0 is below +0: floats compare as whole numbers, those of negative ones turned round.
  const auto key = [](T value) {
    if constexpr (sizeof(T) == 4) {
      const int bits = __float_as_int(value);
      return bits ^ ((bits >> 31) & 0x7FFFFFFF);
    } else {
      return static_cast<int>(value);
    }
  };
  const auto better = [key](T a, T b) { return dark ? key(a) < key(b) : key(a) > key(b); };
  union Word {
    std::uint32_t whole;
    T sample[samples];
  };
  union Angles {
    std::uint16_t sample[samples];
  };
  const std::byte* const stack = task.stack.data + y * task.stack.pitch + x;
  auto* const best_at = reinterpret_cast<std::uint32_t*>(task.best.data + y * task.best.pitch + x);
  auto* const worst_at = reinterpret_cast<std::uint32_t*>(task.worst.data + y * task.worst.pitch + x);
  auto* const index_at = reinterpret_cast<std::uint16_t*>(task.index.data + y * task.index.pitch) + x / sizeof(T);
  Word best, worst;
  Angles angle;
  best.whole = task.first == 0 ? *reinterpret_cast<const std::uint32_t*>(stack) : *best_at;
  worst.whole = task.first == 0 ? best.whole : *worst_at;
#pragma unroll
  for (int i = 0; i < samples; ++i) angle.sample[i] = task.first == 0 ? std::uint16_t{0} : index_at[i];
  for (int first = 0; first < task.count; first += ahead) {
    Word now[ahead];
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      const int at = min(first + a, task.count - 1);
      now[a].whole = *reinterpret_cast<const std::uint32_t*>(stack + at * task.stack.slice);
    }
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      // The last one again changes nothing.
      const auto number = static_cast<std::uint16_t>(task.first + min(first + a, task.count - 1));
#pragma unroll
      for (int i = 0; i < samples; ++i) {
        const T value = now[a].sample[i];
        if (better(value, best.sample[i])) {
          best.sample[i] = value;
          angle.sample[i] = number;
        }
        if (better(worst.sample[i], value)) worst.sample[i] = value;
      }
    }
  }
  *best_at = best.whole;
  *worst_at = worst.whole;
#pragma unroll
  for (int i = 0; i < samples; ++i) index_at[i] = angle.sample[i];
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

}  // namespace tamis::line_detail
