#include "median/gpu/network/line_kernel.cuh"

namespace tamis::median_detail::gpu {

template NetworkKernel line_network<float>(int, bool);

}  // namespace tamis::median_detail::gpu
