// Objects in the memory of a GPU.
#pragma once

#include <optional>

#include <tamis/gpu/memory.hpp>
#include <tamis/threshold.hpp>

#include "c/call.hpp"

namespace tamis::c {

/// One that is ready to be measured. Work on it is queued, and waited for where it goes.
struct GpuObject {
  GpuArray samples;
  GpuArray domain;                     ///< empty: everything
  std::optional<GpuMemory> made = {};  ///< where it is not the image itself
};

/// The object of the first image; the figures say by which threshold. Outputs have its shape.
[[nodiscard]] GpuObject object_on_gpu(const Call& call, const ThresholdOptions& threshold);

}  // namespace tamis::c
