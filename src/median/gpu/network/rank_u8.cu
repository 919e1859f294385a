#include "median/gpu/network/kernel.cuh"

namespace tamis::median_detail::gpu {

template NetworkKernel rank_network<std::uint8_t>(int, int);

}  // namespace tamis::median_detail::gpu
