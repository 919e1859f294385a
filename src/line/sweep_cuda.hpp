// Sweeps over angles on the GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/stream.hpp"
#include "line/sweep.hpp"
#include "line/traced_cuda.hpp"

namespace tamis::line_detail {

/// sweep() on the GPU of the context.
[[nodiscard]] SweepResult sweep_cuda(const Context& context, const Image& image, const SweepTask& task, Stage& stage);

/// Where a sweep of a slice that is on the device goes. All slices are laid out as `from`, `index` with two bytes a
/// sample and twice the pitch.
struct DeviceSweep {
  DeviceImage from;
  DeviceImage best, worst;              ///< null data: no maps
  DeviceImage index;                    ///< U16
  unsigned long long* counts = nullptr;  ///< one an angle; is added to
  SweepScale scale;
};

/// Traced lines: queues the sweep. `stack` is room for openings, as many slices as fit there are made at once.
void sweep_slice_cuda(const cuda::Stream& stream, const SweepTask& task, Type type, const Shape& shape,
                      const DeviceSweep& sweep, const cuda::DeviceBuffer<std::byte>& stack);

/// Takes `count` openings, one slice each in `stack`, into the maps; they are those of angles first, first + 1 ...; the
/// first one of all (0) begins the maps.
struct MapTask {
  Type type = Type::U8;
  bool dark = false;
  std::int64_t nx = 0, ny = 0;
  DeviceImage stack;
  int count = 0, first = 0;
  DeviceImage best, worst, index;
};
void take_into_maps(const cuda::Stream& stream, const MapTask& task);

/// Adds the counts of the samples of a slice to `sum`. I16 samples count with 32768 added.
void count_slice(const cuda::Stream& stream, Type type, const DeviceImage& slice, std::int64_t nx, std::int64_t ny,
                 const SweepScale& scale, unsigned long long* sum);

}  // namespace tamis::line_detail
