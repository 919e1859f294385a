// Borders: which are possible, and what an axis shows outside.
#pragma once

#include <cstdint>

#include <tamis/image/border.hpp>
#include <tamis/image.hpp>

#include "core/both.hpp"

namespace tamis {

/// Throws InputError for a constant that is no value of the type.
void require_value_of(const Border& border, Type type);

// Kernels go by these too, where any border may come. Most see only some kinds: core/gpu/border.cuh is for those.

/// After how many samples an axis of n shows the same again; 0 where it does not.
[[nodiscard]] TAMIS_BOTH inline std::int64_t period_of(Border::Kind border, std::int64_t n) {
  if (border == Border::Kind::Reflect) return 2 * n;
  if (border == Border::Kind::Mirror) return n > 1 ? 2 * n - 2 : 1;
  return border == Border::Kind::Wrap ? n : 0;
}

/// Index of the sample that an axis of n samples shows at i; -1 where it shows a value that is no sample.
[[nodiscard]] TAMIS_BOTH inline std::int64_t seen_at(std::int64_t i, std::int64_t n, Border::Kind border) {
  if (i >= 0 && i < n) return i;
  if (border == Border::Kind::Nearest) return i < 0 ? 0 : n - 1;
  const std::int64_t period = period_of(border, n);
  if (period == 0) return -1;
  std::int64_t turn = i % period;
  if (turn < 0) turn += period;
  if (turn < n) return turn;
  return border == Border::Kind::Mirror ? period - turn : period - 1 - turn;
}

}  // namespace tamis
