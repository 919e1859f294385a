// How a device is chosen, apart from asking it. core/gpu/gpus.cpp asks; without CUDA src/no_gpu.cpp answers.
#pragma once

#include <cstdint>

#include <tamis/gpu.hpp>

namespace tamis {

/// Voxels from which a GPU pays where CUDA has yet to start, which takes 0.33 s once in a process (H200). Two cores
/// (Zen 4, AVX-512) need that long for the granulometry of 2^27 voxels.
inline constexpr std::int64_t voxels_worth_a_start = std::int64_t{1} << 27;
/// The same where CUDA runs: below, copies and launches take as long as the whole work on the CPU.
inline constexpr std::int64_t voxels_worth_a_copy = std::int64_t{1} << 18;

/// Whether a GPU, if there is one, pays for an operation on so many voxels.
constexpr bool gpu_pays(std::int64_t voxels, bool cuda_has_started) {
  return voxels >= (cuda_has_started ? voxels_worth_a_copy : voxels_worth_a_start);
}

/// Whether this process has paid the start of CUDA on a GPU.
[[nodiscard]] bool cuda_has_started();

/// What is known of one GPU, `problem` for an index without a GPU; its free bytes may be those of an earlier call.
/// Starts CUDA where there is a GPU; a GPU that can be used is asked once in a process.
[[nodiscard]] Gpu ask_gpu(int index);

}  // namespace tamis
