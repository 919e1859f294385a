#include "python/family/granulometry.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "python/parameter.hpp"

namespace tamis::python {
namespace {

/// "cross" for "cross:1": the text of a unit element is also that of the shape with its size.
std::string name_of_unit(const std::string& text) {
  static constexpr std::string_view units[] = {"cross:1", "cube:3", "square:3", "disk:1", "octagon:1", "ball:1"};
  const bool unit = std::find(std::begin(units), std::end(units), text) != std::end(units);
  return unit ? text.substr(0, text.find(':')) : text;
}

}  // namespace

ObjectArguments::ObjectArguments(const Given& given)
    : image(given["image"]),
      element(given["element"]),
      roi(given["roi"]),
      crop(given["crop"]),
      spacing(given["spacing"]),
      unit(given.text("unit")),
      parameters(given.arguments()) {
  if (!given.has("phase")) return;
  // A command makes one table of both phases; a call has one object, as that of size_map.
  Arguments one = operation("size_map").defaults;
  give(one, parameter_of(operation("size_map"), "phase"), given["phase"]);
  parameters.set("phase", one.text("phase"));
}

GranulometryArguments ObjectArguments::on(int rank) const {
  if (element.is_none()) return parameters.as<GranulometryArguments>();
  nb::object text = nb::borrow(element);
  if (!PyUnicode_Check(element.ptr())) {
    text = nb::module_::import_("tamis._elements").attr("unit_element_spec")(element, rank);
  }
  Arguments all = parameters;
  about_argument("element", text, [&] { all.set("element", name_of_unit(nb::cast<std::string>(text))); });
  return all.as<GranulometryArguments>();
}

std::optional<double> ObjectArguments::line_angle() const {
  if (!PyUnicode_Check(element.ptr())) return std::nullopt;
  return on(0).element.line_angle;
}

Keyword element_keyword(const OperationDescription& operation) {
  Keyword element = keyword_of(operation, "element");
  element.type = "str | numpy.typing.ArrayLike";
  element.documented = "str or array";
  element.text += " `cross(1)`, `cube(3)`, `square(3)`, or an array that equals one of them.";
  return element;
}

}  // namespace tamis::python
