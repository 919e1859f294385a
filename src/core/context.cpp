#include <tamis/context.hpp>

#include "core/cpu/parallel.hpp"
#include "core/cpu/simd.hpp"
#include "core/device.hpp"

namespace tamis {

Context Context::best() { return {}; }

std::string Context::describe() const { return describe(device); }

std::string Context::describe(Device chosen) const {
  if (chosen == Device::Cuda) return ask_gpu(gpu).name + " (GPU " + std::to_string(gpu) + ")";
  const int count = thread_count(*this);
  return "CPU, " + std::to_string(count) + (count == 1 ? " thread, " : " threads, ") + simd_name(simd);
}

}  // namespace tamis
