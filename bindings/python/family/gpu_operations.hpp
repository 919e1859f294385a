// The operations for images that lie on a GPU: nothing is copied to the host, results are arrays of the same library.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "python/arguments.hpp"
#include "python/context.hpp"
#include "python/object/sizes.hpp"

namespace tamis::python {

/// The keywords of granulometry and size_map.
struct ObjectArguments {
  nb::handle image;
  nb::handle threshold;
  nb::handle element;
  std::string_view border;
  std::string_view phase;
  nb::handle roi;
  std::string_view crop;
  std::optional<std::int64_t> max_size;
  std::string_view algorithm;
  nb::handle spacing;
  std::string_view unit;
};

[[nodiscard]] ArrayResult gpu_threshold(Call& call, nb::handle image, nb::handle threshold, std::string_view phase,
                                        nb::handle roi, std::string_view crop, nb::handle out);
[[nodiscard]] double gpu_threshold_value(Call& call, nb::handle image, ThresholdMethod method, nb::handle roi,
                                         std::string_view crop);
[[nodiscard]] SizesResult gpu_granulometry(Call& call, const ObjectArguments& arguments);
[[nodiscard]] ArrayResult gpu_size_map(Call& call, const ObjectArguments& arguments, bool widths, nb::handle out);

}  // namespace tamis::python
