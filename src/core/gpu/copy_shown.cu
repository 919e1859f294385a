// What a border shows around an image, written out.
#include <algorithm>
#include <cstdint>

#include "core/border.hpp"
#include "core/gpu/extended.hpp"
#include "core/gpu/filter.hpp"
#include "core/gpu/launch.hpp"

namespace tamis::cuda {
namespace {

struct Task {
  DeviceImage from, to;
  Shape from_shape, to_shape;
  Offset shift;
  Border::Kind border;
  std::int64_t rows, units;  ///< of `to`; a unit is a sample, of bits 32 of them
};

__device__ const std::byte* row_seen(const Task& task, std::int64_t row) {
  const std::int64_t z = seen_at(row / task.to_shape.y + task.shift.z, task.from_shape.z, task.border);
  const std::int64_t y = seen_at(row % task.to_shape.y + task.shift.y, task.from_shape.y, task.border);
  return task.from.data + z * task.from.slice + y * task.from.pitch;
}

__device__ std::byte* row_to(const Task& task, std::int64_t row) {
  return task.to.data + row / task.to_shape.y * task.to.slice + row % task.to_shape.y * task.to.pitch;
}

/// A thread has a sample.
template <class T>
__global__ void samples_kernel(const Task task) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (x >= task.units) return;
  const std::int64_t from = seen_at(x + task.shift.x, task.from_shape.x, task.border);
  for (std::int64_t row = blockIdx.y; row < task.rows; row += gridDim.y) {
    reinterpret_cast<T*>(row_to(task, row))[x] = reinterpret_cast<const T*>(row_seen(task, row))[from];
  }
}

/// A thread has 32 bits; those behind the last one are 0.
__global__ void bits_kernel(const Task task) {
  const std::int64_t unit = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (unit >= task.units) return;
  const std::int64_t left = task.to_shape.x - 32 * unit;
  const int count = left < 32 ? static_cast<int>(left) : 32;
  for (std::int64_t row = blockIdx.y; row < task.rows; row += gridDim.y) {
    const auto* const bits = reinterpret_cast<const std::uint32_t*>(row_seen(task, row));
    std::uint32_t word = 0;
    for (int i = 0; i < count; ++i) {
      const std::int64_t from = seen_at(32 * unit + i + task.shift.x, task.from_shape.x, task.border);
      word |= (bits[from / 32] >> (from % 32) & 1U) << i;
    }
    reinterpret_cast<std::uint32_t*>(row_to(task, row))[unit] = word;
  }
}

void launch_kernel(const Stream& stream, const Task& task, void (*kernel)(Task)) {
  constexpr std::int64_t threads = 128, most_rows = 65535;
  const dim3 blocks(static_cast<unsigned>((task.units + threads - 1) / threads),
                    static_cast<unsigned>(std::min(task.rows, most_rows)));
  launch(stream, {blocks, dim3(static_cast<unsigned>(threads))}, "lay out a border", kernel, task);
}

}  // namespace

void copy_shown(const Stream& stream, Type type, const DeviceImage& from, const Shape& from_shape, const Offset& shift,
                Border::Kind border, const DeviceImage& to, const Shape& to_shape) {
  Task task{from, to, from_shape, to_shape, shift, border, to_shape.z * to_shape.y, to_shape.x};
  if (type == Type::Bool) {
    task.units = (to_shape.x + 63) / 64 * 2;
    return launch_kernel(stream, task, bits_kernel);
  }
  const std::int64_t bytes = sample_bytes(type);
  if (bytes == 1) return launch_kernel(stream, task, samples_kernel<std::uint8_t>);
  if (bytes == 2) return launch_kernel(stream, task, samples_kernel<std::uint16_t>);
  launch_kernel(stream, task, samples_kernel<std::uint32_t>);
}

}  // namespace tamis::cuda
