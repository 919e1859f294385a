#include "python/family/granulometry.hpp"

#include <fmt/format.h>
#include <tamis/granulometry.hpp>

#include "python/array/array.hpp"
#include "python/array/input.hpp"
#include "python/array/result/binary.hpp"

namespace tamis::python {

std::string line_name(double angle) { return fmt::format("line@{:g}", angle); }

SizesResult line_granulometry_of_array(Call& call, const ObjectArguments& arguments) {
  require_cpu(call, arguments.image, "granulometry along lines");
  Input input = take_input(arguments.image, arguments.roi, arguments.crop, call.context().memory_bytes);
  const Layout layout = input.layout();
  const GranulometryArguments parameters = arguments.on(layout.shape.rank);
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
