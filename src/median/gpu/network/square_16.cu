#include "median/gpu/network/kernel.cuh"

namespace tamis::median_detail::gpu {

template NetworkKernel square_network<std::uint16_t>(int, int);
template NetworkKernel square_network<std::int16_t>(int, int);

}  // namespace tamis::median_detail::gpu
