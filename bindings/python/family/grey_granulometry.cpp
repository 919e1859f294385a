#include "python/family/granulometry.hpp"

#include <string>
#include <utility>

#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>

#include "python/array/array.hpp"
#include "python/array/input.hpp"

namespace tamis::python {
namespace {

void refuse_what_objects_have(const ObjectArguments& arguments) {
  if (arguments.parameters.given("threshold")) {
    throw InputError("threshold=" + arguments.parameters.text("threshold") +
                     ": grey=True counts grey values, which have no threshold; wanted one of the two");
  }
  if (!arguments.roi.is_none()) throw InputError("roi: grey=True counts the whole image; wanted crop");
}

Image read_all(const Context& context, SliceSource& source) {
  const Layout& layout = source.layout();
  Image image(layout.type, layout.shape, layout.spacing);
  for (std::int64_t z = 0; z < layout.shape.z; ++z) {
    if (context.cancel.stop_requested()) throw Cancelled();
    source.read(z, 1, image.row<std::byte>(z, 0));
  }
  return image;
}

}  // namespace

SizesResult grey_granulometry_of_array(Call& call, const ObjectArguments& arguments) {
  if (lives_on_gpu(arguments.image)) {
    throw ResourceError(
        "image: an array on a GPU, where grey granulometry does not run yet; wanted one in host "
        "memory: array.get() of CuPy, tensor.cpu() of PyTorch");
  }
  refuse_what_objects_have(arguments);
  Input input = take_input(arguments.image, arguments.roi, arguments.crop, call.context().memory_bytes);
  input.source = as_f32(std::move(input.source));
  const Layout& layout = input.layout();
  const GranulometryArguments parameters = arguments.on(layout.shape.rank);
  const std::optional<double> angle = parameters.element.line_angle;
  if (angle) require_cpu(call, arguments.image, "granulometry along lines");
  const Spacing spacing = arguments.spacing_on(layout.shape.rank).value_or(layout.spacing);
  SizesResult result;
  result.sizes = call.run([&](const Context& context) {
    Image image = read_all(context, *input.source);
    image.spacing = spacing;
    if (!angle) return grey_granulometry(context, image, parameters.grey_options());
    return line_granulometry(context, image, parameters.line_options());
  });
  const GreyElement element = parameters.element.element;
  const bool disks = element == GreyElement::Ball && layout.shape.rank == 2;
  result.element = angle ? line_name(*angle) : std::string(disks ? "disk" : name(element));
  result.border = name(parameters.border);
  return result;
}

}  // namespace tamis::python
