// Rows of samples to other types, and samples between samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/convert.hpp>

#include "core/memory.hpp"

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

namespace tamis::convert_detail {

// Samples between samples.

/// The samples along an axis that one sample of the result is made of, and their weights; those of weight 0 are left
/// out.
struct Taps {
  int count = 0;
  std::array<std::int64_t, 4> index{};
  std::array<double, 4> weight{};
};

/// Those of each of `to` samples, which are `ratio` old samples long; the old ones are `from`.
[[nodiscard]] std::vector<Taps> taps_of(std::int64_t from, std::int64_t to, double ratio, Interpolation interpolation);

}  // namespace tamis::convert_detail

namespace tamis::convert_detail::cpu {

/// A slice of any type, interpolated along x and y; `out` has the new width and height, in 64-bit floats.
void interpolate_slice(const Context& context, const Layout& layout, const std::byte* in,
                       const std::vector<Taps>& along_x, const std::vector<Taps>& along_y, Buffer<double>& between,
                       double* out);

/// The sum of weighted slices as samples of a type.
void combine_slices(const Context& context, const std::vector<const double*>& slices, const Taps& taps,
                    std::int64_t rows, std::int64_t row, Type type, std::byte* out);

/// The nearest samples of a slice, of any type.
void pick_slice(const Layout& layout, const std::byte* in, const std::vector<Taps>& along_x,
                const std::vector<Taps>& along_y, std::byte* out);

}  // namespace tamis::convert_detail::cpu
