// Borders on the host: which are possible, and what an axis shows outside.
#pragma once

#include <cstdint>

#include <tamis/border.hpp>
#include <tamis/image.hpp>

namespace tamis {

/// Throws InputError for a constant that is no value of the type.
void require_value_of(const Border& border, Type type);

/// Index of the sample that an axis of n samples shows at i; -1 where it shows a value that is no sample.
[[nodiscard]] inline std::int64_t seen_at(std::int64_t i, std::int64_t n, Border::Kind border) {
  if (i >= 0 && i < n) return i;
  if (border == Border::Kind::Nearest) return i < 0 ? 0 : n - 1;
  if (border != Border::Kind::Reflect) return -1;
  std::int64_t turn = i % (2 * n);
  if (turn < 0) turn += 2 * n;
  return turn < n ? turn : 2 * n - 1 - turn;
}

}  // namespace tamis
