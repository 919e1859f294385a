// Filters of arrays that lie on a GPU: nothing is copied to the host, results are arrays of the same library.
#pragma once

#include "python/context.hpp"
#include "python/family/filter/filter.hpp"

namespace tamis::python {

/// As filter_arrays, on the stream that is current for the library of the arrays.
[[nodiscard]] ArrayResult filter_gpu_arrays(Call& call, const FilterArguments& arguments, const GpuFilter& filter);

}  // namespace tamis::python
