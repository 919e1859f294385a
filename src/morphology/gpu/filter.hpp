// Operations of this family as a GPU filter: steps, differences, and NaN that is left out.
#pragma once

#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/gpu/filter.hpp"
#include "morphology/plan/filter.hpp"

namespace tamis::morphology_detail::gpu {

[[nodiscard]] cuda::GpuFilter make_filter(FilterPlan plan, Type type, const Shape& shape);

/// Filters one after the other. Each is made when its turn comes, so that they need no more memory than the one that
/// needs most; between them the chain is cancelled. At least one.
[[nodiscard]] cuda::GpuFilter make_chain(const Context& context, std::vector<FilterPlan> plans, Type type,
                                         const Shape& shape);

}  // namespace tamis::morphology_detail::gpu
