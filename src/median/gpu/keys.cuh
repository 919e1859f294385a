// median/cpu/keys.hpp in kernels, in words of 32 bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tamis/image/border.hpp>

#include "core/bits/ordered_bits.hpp"
#include "median/gpu/step.hpp"

namespace tamis::median_detail::gpu {

/// What has no sample, or NaN. It is above the keys of all samples of all types.
inline constexpr std::uint32_t absent_key = 0xFFFFFFFFU;

template <class Sample>
__device__ __forceinline__ std::uint32_t key_of(Sample sample) {
  if constexpr (std::is_same_v<Sample, float>) {
    return sample != sample ? absent_key : detail::ordered_key(sample);
  } else if constexpr (std::is_same_v<Sample, std::int16_t>) {
    return static_cast<std::uint16_t>(sample ^ 0x8000);
  } else {
    return sample;
  }
}

template <class Sample>
__device__ __forceinline__ Sample sample_of(std::uint32_t key) {
  if constexpr (std::is_same_v<Sample, float>) {
    return detail::float_of_key(key);
  } else if constexpr (std::is_same_v<Sample, std::int16_t>) {
    return static_cast<std::int16_t>(key ^ 0x8000U);
  } else {
    return static_cast<Sample>(key);
  }
}

// rank_of() in kernels, rounded alike.

/// Index of the percentile in n sorted values; -1 of none.
__device__ __forceinline__ std::int64_t device_rank_of(double percentile, std::int64_t n) {
  const auto index = static_cast<std::int64_t>(floor(__ddiv_rn(__dmul_rn(static_cast<double>(n), percentile), 100.0)));
  return index < n - 1 ? index : n - 1;
}

// Whether a window sees anything of the image.

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
