// The GPUs of this machine.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <tamis/context.hpp>

namespace TAMIS_PUBLIC tamis {

struct Gpu {
  int index = 0;                  ///< what Context::gpu and `--device cuda:N` take
  std::string name;               ///< "NVIDIA H200"
  int major = 0;                  ///< compute capability
  int minor = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t free_bytes = 0;
  std::string problem;            ///< why tamis cannot use it; empty: it can
};

/// The GPUs that CUDA sees; none where there is no GPU, no driver, or tamis was built without CUDA.
[[nodiscard]] std::vector<Gpu> gpus();

/// "CUDA 13.0, sm_90"; empty if tamis was built without CUDA.
[[nodiscard]] std::string cuda_build();

/// Why no GPU can be used, in a few words; empty if one can.
[[nodiscard]] std::string why_no_gpu();

}  // namespace tamis
