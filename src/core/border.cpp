#include "core/border.hpp"

#include <cmath>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/door.hpp"

namespace tamis {

std::string to_string(const Border& border) {
  switch (border.kind) {
    case Border::Kind::Neutral:
      return "neutral";
    case Border::Kind::Reflect:
      return "reflect";
    case Border::Kind::Nearest:
      return "nearest";
    case Border::Kind::Fit:
      return "fit";
    case Border::Kind::Mirror:
      return "mirror";
    case Border::Kind::Wrap:
      return "wrap";
    case Border::Kind::Constant:
      break;
  }
  return fmt::format("constant:{}", border.value);
}

void require_value_of(const Border& border, Type type) {
  door::require_known(border.kind, Border::Kind::Wrap, "border");
  if (border.kind != Border::Kind::Constant) return;
  const auto whole = [&](double lowest, double highest) {
    return border.value >= lowest && border.value <= highest && border.value == std::floor(border.value);
  };
  const bool fits = type == Type::Bool  ? whole(0, 1)
                    : type == Type::U8  ? whole(0, 255)
                    : type == Type::U16 ? whole(0, 65535)
                    : type == Type::I16
                        ? whole(-32768, 32767)
                        // What rounds to a finite f32: people write its ends as NumPy prints them, in eight digits.
                        : std::isinf(border.value) || std::abs(border.value) < 0x1.ffffffp+127;
  if (!fits) {
    throw InputError(
        fmt::format("border {} of a {} image; wanted a value that the type has", to_string(border), name(type)));
  }
}

}  // namespace tamis
