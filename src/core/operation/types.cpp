#include <tamis/operations/types.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "core/visit_type.hpp"

namespace tamis {
namespace {

/// Whether it is a whole number of the type, and F32 has it.
bool has_value(Type type, double value) {
  return visit_type(type, [&](auto sample) {
    using Sample = decltype(sample);
    const double above = std::ldexp(1.0, std::numeric_limits<Sample>::digits);
    const bool inside = value >= static_cast<double>(std::numeric_limits<Sample>::lowest()) && value < above;
    return inside && value == std::floor(value) && value == static_cast<float>(value);
  });
}

/// Floats are checked by the filters themselves, which do not know of other types.
void require_constants(const OperationDescription& operation, const Arguments& arguments, Type type) {
  for (const Parameter& parameter : operation.parameters) {
    if (parameter.kind != ParameterKind::Border) continue;
    const auto border = parse_border(arguments.text(parameter.name));
    if (!border || border->kind != Border::Kind::Constant || has_value(type, border->value)) continue;
    throw InputError(fmt::format("border {} of a {} image; wanted a value that the type has, and f32",
                                 to_string(*border), name(type)));
  }
}

}  // namespace

SampleTypes sample_types(const OperationDescription& operation, const Arguments& arguments,
                         std::span<const Type> images) {
  const Type type = images.back();
  const bool wide = std::any_of(images.begin(), images.end(), [](Type one) { return one > Type::F32; });
  if (!wide) return {type, type, {}};  // filters refuse several types, but for the bits of a mask
  const auto is_float = [](Type one) { return one == Type::F32 || one == Type::F64; };
  for (const Type other : images) {
    if (other == type || other == Type::Bool || (is_float(other) && is_float(type))) continue;
    throw InputError(fmt::format("{} of {} and {} images; wanted one type", operation.name, name(other), name(type)));
  }
  if (!is_float(type)) require_constants(operation, arguments, type);
  const Type result = is_float(type) || operation.gives_new_values ? Type::F32 : type;
  std::string note = fmt::format("{} samples were {}", name(is_float(type) ? Type::F64 : type),
                                 is_float(type) ? "rounded to f32" : "taken as f32, which has them all");
  if (operation.filter) note += fmt::format("; the result is {}", name(result));
  return {Type::F32, result, std::move(note)};
}

}  // namespace tamis
