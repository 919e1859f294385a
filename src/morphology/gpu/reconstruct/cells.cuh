// Images on the device to cells and back. For run.cu.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/gpu/launch.hpp"
#include "morphology/gpu/reconstruct/run.hpp"

namespace tamis::morphology_detail::gpu {
namespace reconstruct_kernel {

constexpr int threads = 256;

struct CellsTask {
  DeviceImage marker, mask, out;
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t pitch = 0;  ///< of rows of cells, a multiple of 64
  bool turned = false, clip_marker = false;
};

inline cuda::LaunchShape shape_of(const CellsTask& task) {
  cuda::LaunchShape shape;
  shape.threads = dim3(threads);
  constexpr std::int64_t most = 65535;
  shape.blocks = dim3(static_cast<unsigned>((task.pitch + threads - 1) / threads),
                      static_cast<unsigned>(std::min(task.ny * task.nz, most)));
  return shape;
}

template <class Sample>
__device__ __forceinline__ Sample sample_at(const DeviceImage& image, std::int64_t z, std::int64_t y, std::int64_t x) {
  const std::byte* const row = image.data + z * image.slice + y * image.pitch;
  if constexpr (std::is_same_v<Sample, bool>) {
    return (static_cast<unsigned>(row[x / 8]) >> (x % 8) & 1U) != 0;
  } else {
    return reinterpret_cast<const Sample*>(row)[x];
  }
}

/// faults: the first NaN, the first marker above its mask.
template <class Sample>
__global__ void __launch_bounds__(threads)
    fill_kernel(const CellsTask task, CellOf<Sample>* j, CellOf<Sample>* i, unsigned long long* faults) {
  const std::int64_t x = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (x >= task.pitch) return;
  for (std::int64_t row = blockIdx.y; row < task.ny * task.nz; row += gridDim.y) {
    CellOf<Sample> of_marker = 0;
    CellOf<Sample> of_mask = 0;
    if (x < task.nx) {
      const Sample marker = sample_at<Sample>(task.marker, row / task.ny, row % task.ny, x);
      const Sample mask = sample_at<Sample>(task.mask, row / task.ny, row % task.ny, x);
      of_marker = cell_of<Sample>(marker, task.turned);
      of_mask = cell_of<Sample>(mask, task.turned);
      const auto index = static_cast<unsigned long long>(row * task.nx + x);
      if (is_nan(marker) || is_nan(mask)) {
        atomicMin(faults, index);
      } else if (of_marker > of_mask) {
        if (!task.clip_marker) atomicMin(faults + 1, index);
        of_marker = of_mask;
      }
    }
    j[row * task.pitch + x] = of_marker;
    i[row * task.pitch + x] = of_mask;
  }
}

template <class Sample>
__global__ void __launch_bounds__(threads) write_kernel(const CellsTask task, const CellOf<Sample>* j) {
  const std::int64_t x = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (x >= task.pitch) return;  // whole warps: the pitch is a multiple of their cells
  for (std::int64_t row = blockIdx.y; row < task.ny * task.nz; row += gridDim.y) {
    const Sample sample = sample_of<Sample>(j[row * task.pitch + x], task.turned);
    std::byte* const to = task.out.data + row / task.ny * task.out.slice + row % task.ny * task.out.pitch;
    if constexpr (std::is_same_v<Sample, bool>) {
      // Bits behind the row's end are 0, in words that belong to it.
      const unsigned bits = __ballot_sync(~0U, x < task.nx && sample);
      if (x % 32 == 0 && x / 8 < task.out.pitch) reinterpret_cast<unsigned*>(to)[x / 32] = bits;
    } else {
      if (x < task.nx) reinterpret_cast<Sample*>(to)[x] = sample;
    }
  }
}

inline CellsTask task_of(const ReconstructArrays& arrays, const ReconstructForm& form, std::int64_t pitch) {
  const Shape& shape = arrays.shape;
  return {arrays.marker, arrays.mask, arrays.out, shape.x, shape.y, shape.z, pitch, form.turned, form.clip_marker};
}

}  // namespace reconstruct_kernel

/// Cells of marker and mask, rows `pitch` apart with zeros behind them. Waits for the device.
template <class Sample>
ReconstructFaults fill_cells(const cuda::Stream& stream, const ReconstructArrays& arrays, const ReconstructForm& form,
                             std::int64_t pitch, CellOf<Sample>* j, CellOf<Sample>* i) {
  using namespace reconstruct_kernel;
  constexpr auto none = static_cast<unsigned long long>(ReconstructFaults::none);
  std::array<unsigned long long, 2> found{none, none};
  const cuda::DeviceBuffer<unsigned long long> faults(stream, 2);
  cuda::check(cudaMemcpyAsync(faults.data(), found.data(), sizeof(found), cudaMemcpyHostToDevice, stream.get()),
              "look for faults");
  const CellsTask task = task_of(arrays, form, pitch);
  cuda::launch(stream, shape_of(task), "fill cells", fill_kernel<Sample>, task, j, i, faults.data());
  cuda::check(cudaMemcpyAsync(found.data(), faults.data(), sizeof(found), cudaMemcpyDeviceToHost, stream.get()),
              "look for faults");
  stream.synchronize();
  return {static_cast<std::int64_t>(found[0]), static_cast<std::int64_t>(found[1])};
}

/// Queues the samples of the result.
template <class Sample>
void write_cells(const cuda::Stream& stream, const ReconstructArrays& arrays, const ReconstructForm& form,
                 std::int64_t pitch, const CellOf<Sample>* j) {
  using namespace reconstruct_kernel;
  const CellsTask task = task_of(arrays, form, pitch);
  cuda::launch(stream, shape_of(task), "write cells", write_kernel<Sample>, task, j);
}

}  // namespace tamis::morphology_detail::gpu
