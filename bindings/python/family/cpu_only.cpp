#include "python/family/granulometry.hpp"

#include <tamis/error.hpp>

#include "python/array/array.hpp"

namespace tamis::python {

void require_cpu(const Call& call, nanobind::handle image, const std::string& what) {
  if (lives_on_gpu(image)) {
    throw ResourceError("image: an array on a GPU, where " + what +
                        " does not run yet; wanted one in host memory: array.get() of CuPy, tensor.cpu() of PyTorch");
  }
  if (call.context().device == Device::Cuda) {
    throw InputError("device='cuda': " + what + " runs on the CPU; wanted 'auto' or 'cpu'");
  }
}

}  // namespace tamis::python
