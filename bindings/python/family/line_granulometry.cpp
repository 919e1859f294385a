#include "python/family/line_granulometry.hpp"

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>

#include "python/array/array.hpp"
#include "python/array/binary.hpp"
#include "python/array/input.hpp"

namespace tamis::python {

std::string line_name(double angle) { return fmt::format("line@{:g}", angle); }

void require_cpu(const Call& call) {
  if (call.context().device == Device::Cuda) {
    throw InputError("device='cuda': granulometry along lines runs on the CPU; wanted 'auto' or 'cpu'");
  }
}

SizesResult line_granulometry_of_array(Call& call, const ObjectArguments& arguments) {
  if (lives_on_gpu(arguments.image)) {
    throw EnvironmentError(
        "image: an array on a GPU, where granulometry along lines does not run; wanted one in host "
        "memory: array.get() of CuPy, tensor.cpu() of PyTorch");
  }
  require_cpu(call);
  Input input = take_input(arguments.image, arguments.roi, arguments.crop, call.context().memory_bytes);
  const Layout layout = input.layout();
  const GranulometryArguments parameters = arguments.on(layout.shape.rank);
  if (parameters.algorithm == Algorithm::Paper) {
    throw InputError("algorithm='paper': along lines there is no such choice; wanted 'recursion'");
  }
  LineGranulometryOptions options = parameters.line_options();
  options.phase = Phase::Bright;  // the object is made already
  Binary binary = binary_of(call, input, parameters.threshold_options());
  binary.object.spacing = arguments.spacing_on(layout.shape.rank).value_or(layout.spacing);
  SizesResult result;
  result.sizes = call.run(
      [&](const Context& context) { return line_granulometry(context, binary.object, options, binary.domain); });
  result.element = line_name(options.angle);
  result.border = name(options.border);
  return result;
}

}  // namespace tamis::python
