#include "python/family/grey_granulometry.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>

// The shell and Python read the same texts.
#include "cli/option/parse.hpp"
#include "python/array/array.hpp"
#include "python/array/input.hpp"
#include "python/family/line_granulometry.hpp"

namespace tamis::python {
namespace {

constexpr cli::Choice<GreyElement> elements[] = {
    {"cross", GreyElement::Cross},   {"cube", GreyElement::Cube},         {"square", GreyElement::Square},
    {"disk", GreyElement::Disk},     {"octagon", GreyElement::Octagon},   {"ball", GreyElement::Ball},
    {"cross:1", GreyElement::Cross}, {"cube:3", GreyElement::Cube},       {"square:3", GreyElement::Square},
    {"disk:1", GreyElement::Disk},   {"octagon:1", GreyElement::Octagon}, {"ball:1", GreyElement::Ball}};

GreyElement grey_element_of(nb::handle element, int rank) {
  nb::object spec = nb::borrow(element);
  if (!PyUnicode_Check(element.ptr())) {
    spec = nb::module_::import_("tamis._elements").attr("unit_element_spec")(element, rank);
  }
  const auto word = nb::cast<std::string>(spec);
  return about_keyword("element='" + word + "'", [&] { return cli::parse_choice(word, elements); });
}

void refuse_what_objects_have(const ObjectArguments& arguments) {
  if (!arguments.threshold.is_none()) {
    throw InputError("threshold=" + text_of(arguments.threshold) +
                     ": grey=True counts grey values, which have no threshold; wanted one of the two");
  }
  if (!arguments.roi.is_none()) throw InputError("roi: grey=True counts the whole image; wanted crop");
  if (algorithm_of(arguments.algorithm) == Algorithm::Paper) {
    throw InputError("algorithm='paper': is one for objects; wanted grey=False");
  }
}

void require_grey_type(Type type) {
  if (type == Type::U8 || type == Type::U16 || type == Type::I16 || type == Type::F32) return;
  throw InputError("grey=True of an array of " + std::string(name(type)) +
                   "; wanted uint8, uint16, int16 or float32: tamis.convert makes them");
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
    throw EnvironmentError(
        "image: an array on a GPU, where grey granulometry does not run yet; wanted one in host "
        "memory: array.get() of CuPy, tensor.cpu() of PyTorch");
  }
  refuse_what_objects_have(arguments);
  Input input = take_input(arguments.image, arguments.roi, arguments.crop, call.context().memory_bytes);
  const Layout& layout = input.layout();
  require_grey_type(layout.type);
  GreyGranulometryOptions options;
  const std::optional<double> angle = line_angle_of(arguments.element);
  if (angle) {
    require_cpu(call);
  } else {
    options.element = grey_element_of(arguments.element, layout.shape.rank);
  }
  options.border = border_of(arguments.border);
  options.phase = threshold_of(nb::none(), arguments.phase).phase;
  options.max_size = arguments.max_size;
  const Spacing spacing = spacing_of(arguments.spacing, arguments.unit, layout.shape.rank).value_or(layout.spacing);
  SizesResult result;
  result.sizes = call.run([&](const Context& context) {
    Image image = read_all(context, *input.source);
    image.spacing = spacing;
    if (!angle) return grey_granulometry(context, image, options);
    return line_granulometry(context, image, {*angle, options.border, options.phase, options.max_size});
  });
  result.element = angle ? line_name(*angle) : std::string(name(options.element));
  result.border = name(options.border);
  return result;
}

}  // namespace tamis::python
