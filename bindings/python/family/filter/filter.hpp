// Filters: an array becomes an array of its type and shape.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/gpu/array.hpp>
#include <tamis/operations.hpp>

#include "python/arguments.hpp"
#include "python/array/image.hpp"
#include "python/context.hpp"

namespace tamis::python {

// The axes of arrays that are filtered: channels beside (y, x) or (z, y, x).

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

/// An array and the name of its parameter.
struct NamedArray {
  nb::handle array;
  std::string_view name;
};

struct FilterArguments {
  std::vector<NamedArray> images;  ///< of one shape; the result is of the kind of the last
  bool batch = false;
  std::optional<int> channel_axis;
  nb::handle out;
  AsType as_type;
  nb::handle mask = Py_None;  ///< what counts, of the shape of an image without channels
};

/// The filter of arrays that lie on a GPU.
using GpuFilter = std::function<void(const Context&, const std::vector<GpuArray>&, const GpuOutput&)>;

/// Reads the arrays, filters channel by channel, and writes when all went well. Arrays on a GPU stay there. Arrays that
/// lie as images do are filtered where they lie, if the filter reads and writes nothing behind the last sample.
[[nodiscard]] ArrayResult filter_arrays(Call& call, const FilterArguments& arguments,
                                        const OperationDescription& operation, const Arguments& parameters);

// Filters of arrays that lie on a GPU: nothing is copied to the host, results are arrays of the same library.

/// As filter_arrays, on the stream that is current for the library of the arrays.
[[nodiscard]] ArrayResult filter_gpu_arrays(Call& call, const FilterArguments& arguments, const GpuFilter& filter);

}  // namespace tamis::python
