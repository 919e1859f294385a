// Units of length.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace tamis {

/// How many micrometres a unit is; nothing for a unit that is not known.
[[nodiscard]] constexpr std::optional<double> micrometres(std::string_view unit) {
  constexpr std::pair<std::string_view, double> units[] = {{"nm", 1e-3}, {"um", 1},  {"mm", 1e3},
                                                           {"cm", 1e4},  {"m", 1e6}, {"A", 1e-4}};
  for (const auto& [name, size] : units) {
    if (unit == name) return size;
  }
  return std::nullopt;
}

}  // namespace tamis
