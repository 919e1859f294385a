// Conversion between sample types, with a window.
#pragma once

#include <memory>
#include <optional>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis {

/// Values low .. high of the source are mapped linearly onto the whole range of an integer type (0 .. 1 for F32),
/// clamped, rounded half away from zero.
struct Window {
  double low = 0;
  double high = 1;
};

/// A source of another sample type: U8, U16, I16 or F32. Without a window values are kept: rounded half away from
/// zero and clamped to the range of the type. NaN becomes 0 in an integer type only if a window is given, otherwise
/// reading throws InputError. The source moves into the result.
[[nodiscard]] std::unique_ptr<SliceSource> convert(std::unique_ptr<SliceSource> source, Type type,
                                                   const std::optional<Window>& window = {});

}  // namespace tamis
