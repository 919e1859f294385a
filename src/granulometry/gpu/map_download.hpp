// The size map from the device to whoever wants it, in dense slices.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/host.hpp"
#include "granulometry/gpu/window_run.hpp"

namespace tamis::granulometry_detail::gpu {

class MapDownload {
 public:
  /// `sample`: bytes of a sample that is delivered. Object voxels whose value is 0 get `never_value`.
  MapDownload(const Context& context, const cuda::Stream& stream, const Shape& shape, const BitVolume& object,
              int sample, std::int64_t never_value);

  /// Delivers `count` slices of the run's map from slice `from` on, which is slice `z0` of the image.
  void run(const WindowRun& run, std::int64_t from, std::int64_t z0, std::int64_t count, const MapSink& sink);

 private:
  const std::uint64_t* object_of(std::int64_t z, std::int64_t count);
  void finish_row(std::byte* row, int device_sample, std::byte* out, const std::uint64_t* object) const;

  const Context& context_;
  const cuda::Stream& stream_;
  Shape shape_;
  BitVolume object_;
  int sample_;
  std::int64_t never_value_;
  std::int64_t slices_;  ///< at a time
  cuda::PinnedBuffer<std::byte> arrived_;
  cuda::PinnedBuffer<std::uint64_t> arrived_object_;  ///< where it lies on the GPU
  std::vector<std::byte> dense_;
};

}  // namespace tamis::granulometry_detail::gpu
