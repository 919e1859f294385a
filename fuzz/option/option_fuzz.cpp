// Values of options: the first byte says of which parameter of which operation, the rest is the text.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image/crop.hpp>
#include <tamis/error.hpp>
#include <tamis/operations.hpp>

#include "core/operation/operation.hpp"
#include "fuzz/harness.hpp"
#include "operations.hpp"

namespace {

using tamis::fuzz::expect;

/// A member of each type that parameters have.
struct Every {
  bool flag = false;
  std::int64_t whole = 0;
  double number = 0;
  std::vector<double> numbers = {1};
  tamis::Border border;
  tamis::Shape extent;
  tamis::Spacing spacing;
  tamis::StructuringElement element = tamis::StructuringElement::square(1);
  std::string edges = "3";
};

tamis::OperationDescription describe_every() {
  using tamis::parameter;
  return tamis::describe({}, Every(), "", parameter(&Every::flag, "flag"), parameter(&Every::whole, "whole").between(-3, 1000),
                         parameter(&Every::number, "number").above(-2).at_most(1e6),
                         parameter(&Every::numbers, "numbers").at_least(1),
                         parameter(&Every::border, "border")
                             .words({"neutral", "reflect", "nearest", "constant:V", "shrink", "fit"}),
                         parameter(&Every::extent, "extent"), parameter(&Every::spacing, "spacing"),
                         parameter(&Every::element, "element"), parameter(&Every::edges, "edges").read_by(tamis::parse_edges));
}

struct Option {
  const tamis::OperationDescription* operation;
  const tamis::Parameter* parameter;
};

/// Those of the operations that a fuzzer is linked with, and of every type.
std::vector<Option> all_options() {
  static const std::vector<tamis::OperationDescription> described = [] {
    std::vector<tamis::OperationDescription> all{describe_every(), tamis::running(), tamis::reading()};
    for (const tamis::OperationDescription& operation : tamis::describe_thresholds()) all.push_back(operation);
    for (const tamis::OperationDescription& operation : tamis::describe_convert()) all.push_back(operation);
    return all;
  }();
  std::vector<Option> options;
  for (const tamis::OperationDescription& operation : described) {
    for (const tamis::Parameter& parameter : operation.parameters) options.push_back({&operation, &parameter});
  }
  return options;
}

/// What is taken is in the range, and is taken again.
void check(const Option& option, std::string_view text) {
  tamis::Arguments arguments = option.operation->defaults;
  const std::string& name = option.parameter->name;
  arguments.set(name, text);
  expect(arguments.given(name) && arguments.text(name) == text, "a text that was taken and is not there");
  const tamis::ParameterKind kind = option.parameter->kind;
  if (kind != tamis::ParameterKind::Integer && kind != tamis::ParameterKind::Number) return;
  const std::optional<double> number = tamis::finite_number(text);
  expect(number && tamis::holds(option.parameter->range, *number), "a number outside of its range");
}

void check_crop(std::string_view text) {
  const tamis::Box box = tamis::parse_crop(text).box;
  expect(box.x0 >= 0 && box.x0 < box.x1 && box.y0 >= 0 && box.y0 < box.y1 && box.z0 >= 0, "a crop that is empty");
}

}  // namespace

TAMIS_FUZZ_TARGET(option) {
  if (bytes.empty()) return;
  static const std::vector<Option> options = all_options();
  const std::string_view text = tamis::fuzz::text_of(bytes.subspan(1));
  static_cast<void>(tamis::spelled(text, [](std::string_view name, std::string_view) { return std::string(name); }));
  // A letter, so that an input can be written by hand: "c2.5" is a number.
  const auto which = static_cast<std::size_t>(bytes[0] - 'a') % (options.size() + 1);
  if (which == options.size()) {
    check_crop(text);
  } else {
    check(options[which], text);
  }
}
