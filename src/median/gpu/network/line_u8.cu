#include "median/gpu/network/line_kernel.cuh"

namespace tamis::median_detail::gpu {

template NetworkKernel line_network<std::uint8_t>(int, bool);

}  // namespace tamis::median_detail::gpu
