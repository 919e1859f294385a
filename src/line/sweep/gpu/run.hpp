// Sweeps over angles on the GPU.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "line/sweep/sweep.hpp"
#include "line/traced/gpu/run.hpp"

namespace tamis::line_detail::gpu {

/// sweep() on the GPU of the context.
[[nodiscard]] SweepResult sweep(const Context& context, const Image& image, const SweepTask& task, Stage& stage);

/// Where a sweep of a slice that is on the device goes. Slices lie as DeviceStore has them.
struct DeviceSweep {
  DeviceImage from;
  DeviceImage best, worst;               ///< null data: no maps
  DeviceImage twice;                     ///< U16, see SweepResult
  TiedAngles* tied = nullptr;            ///< room between launches: tied_room()
  unsigned long long* counts = nullptr;  ///< one an angle; is added to
  SweepScale scale;
};

/// Entries of DeviceSweep::tied for a slice.
[[nodiscard]] std::int64_t tied_room(Type type, const Shape& shape);

/// Traced lines: queues the sweep. `stack` is room for openings, as many slices as fit there are made at once.
void sweep_slice(const cuda::Stream& stream, const SweepTask& task, Type type, const Shape& shape,
                 const DeviceSweep& sweep, const cuda::DeviceBuffer<std::byte>& stack);

/// Takes `count` openings, one slice each in `stack`, into the maps; they are those of angles first, first + 1 ..., or
/// one of `width` angles from `first` on, all in one half (TiedAngles). In rising order: the first angle begins the
/// maps, the last one completes them.
struct MapTask {
  Type type = Type::U8;
  bool dark = false;
  std::int64_t nx = 0, ny = 0;
  DeviceImage stack;
  int count = 0, first = 0, width = 1;
  int angles = 0, second_half = 0;  ///< of all
  DeviceImage best, worst, twice;
  TiedAngles* tied = nullptr;
};
void take_into_maps(const cuda::Stream& stream, const MapTask& task);

/// Adds the counts of the samples of a slice to `sum`. I16 samples count with 32768 added.
void count_slice(const cuda::Stream& stream, Type type, const DeviceImage& slice, std::int64_t nx, std::int64_t ny,
                 const SweepScale& scale, unsigned long long* sum);

}  // namespace tamis::line_detail::gpu
