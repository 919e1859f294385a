// An erosion, dilation, opening or closing by the paper's kernels, of an image of the host.
#pragma once

#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

namespace tamis::izmantoko::gpu {

/// `image` holds bytes 0 and 1; `kernel` is a name of kernels.hpp. Throws InputError for a radius that the kernel
/// lacks.
[[nodiscard]] Image run(const Context& context, Operation operation, const Image& image, int radius,
                        std::string_view kernel);

}  // namespace tamis::izmantoko::gpu
