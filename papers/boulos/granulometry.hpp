// A granulometry by the scheme of Boulos et al. 2012, one unit erosion more and n unit dilations for size n: the same
// sizes and the same map as tamis::granulometry() and tamis::size_map(), whose parameters these are.
#pragma once

#include <tamis/granulometry.hpp>

namespace tamis::boulos {

/// On the CPU or the GPU of the context. Throws ResourceError if all of the volume does not fit into its memory: there
/// are no slabs.
[[nodiscard]] Sizes granulometry(const Context& context, const Image& object, const GranulometryOptions& options = {},
                                 const Image& domain = {});
[[nodiscard]] Image size_map(const Context& context, const Image& object, const GranulometryOptions& options = {},
                             const Image& domain = {});

}  // namespace tamis::boulos
