// The size map from the device to whoever wants it, in dense slices.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

#include "core/cuda/stream.hpp"
#include "granulometry/window_run.hpp"

namespace tamis::granulometry_detail {

class MapDownload {
 public:
  /// `sample`: bytes of a sample that is delivered. Object voxels whose value is 0 get `never_value`.
  MapDownload(const Context& context, const cuda::Stream& stream, const Image& object, int sample,
              std::int64_t never_value);

  /// Delivers `count` slices of the run's map from slice `from` on, which is slice `z0` of the image.
  void run(const WindowRun& run, std::int64_t from, std::int64_t z0, std::int64_t count, const MapSink& sink);

 private:
  void finish_row(std::byte* row, int device_sample, std::byte* out, std::int64_t z, std::int64_t y) const;

  const Context& context_;
  const cuda::Stream& stream_;
  const Image& object_;
  int sample_;
  std::int64_t never_value_;
  std::int64_t slices_;  ///< at a time
  cuda::PinnedBuffer<std::byte> arrived_;
  std::vector<std::byte> dense_;
};

}  // namespace tamis::granulometry_detail
