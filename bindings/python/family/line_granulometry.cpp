#include "python/family/line_granulometry.hpp"

#include <nanobind/stl/string.h>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>

// The shell and Python read the same texts.
#include "cli/option/parse.hpp"
#include "python/array/array.hpp"
#include "python/array/binary.hpp"
#include "python/array/input.hpp"

namespace tamis::python {

std::optional<double> line_angle_of(nb::handle element) {
  if (!PyUnicode_Check(element.ptr())) return std::nullopt;
  const auto text = nb::cast<std::string>(element);
  return about_keyword("element='" + text + "'", [&] { return cli::line_angle_of(text); });
}

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
  LineGranulometryOptions options;
  options.angle = *line_angle_of(arguments.element);
  options.border = border_of(arguments.border);
  options.max_size = arguments.max_size;
  if (algorithm_of(arguments.algorithm) == Algorithm::Paper) {
    throw InputError("algorithm='paper': along lines there is no such choice; wanted 'recursion'");
  }
  const std::optional<Spacing> spacing = spacing_of(arguments.spacing, arguments.unit, layout.shape.rank);
  Binary binary = binary_of(call, input, arguments.threshold, arguments.phase);
  binary.object.spacing = spacing.value_or(layout.spacing);
  SizesResult result;
  result.sizes = call.run(
      [&](const Context& context) { return line_granulometry(context, binary.object, options, binary.domain); });
  result.element = line_name(options.angle);
  result.border = name(options.border);
  return result;
}

}  // namespace tamis::python
