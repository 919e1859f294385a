#include <tamis/context.hpp>

#include <tamis/error.hpp>

#include "core/cpu/parallel.hpp"
#include "core/cpu/simd.hpp"

namespace tamis {

Context Context::best() { return {}; }

std::string Context::describe() const {
  const int count = thread_count(*this);
  return "CPU, " + std::to_string(count) + (count == 1 ? " thread, " : " threads, ") + simd_name(simd);
}

void require_device(const Context& context) {
  if (context.cancel.stop_requested()) throw Cancelled();
  if (context.device == Device::Cuda) {
    throw EnvironmentError("device cuda: this build of tamis has no GPU backend; wanted auto or cpu");
  }
}

}  // namespace tamis
