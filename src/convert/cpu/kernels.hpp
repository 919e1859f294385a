// Rows of one sample type as rows of another, by vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <tamis/convert.hpp>

namespace tamis::convert_detail::cpu {

/// Samples side by side.
struct RowTask {
  Type from = Type::U8;
  Type to = Type::U8;
  std::optional<Window> window;
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::int64_t count = 0;
  bool chosen = false;  ///< any type to F32 or back, as as_f32() and from_f32() do it
};

/// The index of the first sample that has no answer, or -1; what comes after it may be left as it is.
[[nodiscard]] std::int64_t convert_row(Simd simd, const RowTask& task);

}  // namespace tamis::convert_detail::cpu
