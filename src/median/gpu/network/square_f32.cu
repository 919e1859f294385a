#include "median/gpu/network/kernel.cuh"

namespace tamis::median_detail::gpu {

template NetworkKernel square_network<float>(int, int);

}  // namespace tamis::median_detail::gpu
