// What prepared filters are where tamis was built without CUDA: nothing, and refused.
#pragma once

#include <tamis/context.hpp>

namespace tamis {
namespace cuda {
class PreparedWork {};
}  // namespace cuda

/// Throws EnvironmentError: there is no GPU.
inline void refuse_gpu(const Context& context) {
  Context asking = context;
  asking.device = Device::Cuda;
  require_device(asking);
}

}  // namespace tamis
