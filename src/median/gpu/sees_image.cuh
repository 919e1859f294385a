// Whether a window sees anything of the image.
#pragma once

#include <cstdint>

#include <tamis/image/border.hpp>

#include "median/gpu/device_runs.hpp"

namespace tamis::median_detail::gpu {

/// Of the window at a sample. Tasks have the border, the image's nx, ny and nz, and the window's runs.
template <class Task, class Index>
__device__ bool sees_image(const Task& task, Index z, Index y, Index x) {
  if (task.border != Border::Kind::Neutral) return true;
  for (const DeviceRun& run : task.runs.whole()) {
    const Index run_z = z + run.z, run_y = y + run.y, run_x = x + run.x;
    const bool row_inside = run_z >= 0 && run_z < task.nz && run_y >= 0 && run_y < task.ny;
    if (row_inside && run_x < task.nx && run_x + run.length > 0) return true;
  }
  return false;
}

}  // namespace tamis::median_detail::gpu
