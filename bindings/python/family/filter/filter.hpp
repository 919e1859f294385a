// Filters: an array becomes an array of its type and shape.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <tamis/gpu/array.hpp>
#include <tamis/operations.hpp>

#include "python/arguments.hpp"
#include "python/array/image.hpp"
#include "python/context.hpp"

namespace tamis::python {

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

}  // namespace tamis::python
