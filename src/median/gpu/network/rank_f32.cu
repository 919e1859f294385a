#include "median/gpu/network/kernel.cuh"

namespace tamis::median_detail {

template NetworkKernel rank_network<float>(int, int);

}  // namespace tamis::median_detail
