// The axes of arrays that are filtered: channels beside (y, x) or (z, y, x).
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tamis::python {

[[nodiscard]] nanobind::tuple axes_of(nanobind::handle array);
/// "(3, 4)".
[[nodiscard]] std::string shape_text(nanobind::handle array);

/// Throws InputError for what looks like a colour image: colours come last in nearly every library. Masks have no
/// colours, and small arrays are somebody's test.
void refuse_colour(nanobind::handle image, std::string_view what);

/// One axis of an array of channels.
class Channels {
 public:
  /// Throws InputError unless the array has two or three other axes, and a channel.
  Channels(nanobind::handle image, int axis);

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// A view of one channel.
  [[nodiscard]] nanobind::object of(nanobind::handle array, std::int64_t channel) const;

 private:
  int rank_;
  int axis_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace tamis::python
