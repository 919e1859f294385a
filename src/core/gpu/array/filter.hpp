// A filter of arrays that lie on a GPU and belong to others.
#pragma once

#include <tamis/gpu/array.hpp>

#include "core/gpu/filter.hpp"

namespace tamis::cuda {

/// `out` may be the image or overlap it; then it stays as it was where the image holds NaN that is refused. Queued;
/// waits for F32 only, and on a stream of its own. Throws as the functions of gpu/array.hpp.
void filter_array(const Context& context, const GpuArray& image, const GpuOutput& out, const PlanFilter& plan);

}  // namespace tamis::cuda
