// What lies outside the part of a binary image that counts.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <string_view>

namespace TAMIS_PUBLIC tamis {

/// What lies outside the domain: background, or something that never erodes.
enum class DomainBorder : std::uint8_t { Background, Neutral };
[[nodiscard]] std::string_view name(DomainBorder border);

}  // namespace tamis
