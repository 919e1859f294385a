#include "median/network_kernel.cuh"
#include "median/network_types.hpp"

namespace tamis::median_detail {

void network_u8(const cuda::Stream& stream, int edge, int depth, const NetworkTask& task) {
  if (depth == 3) return run_network<std::uint8_t, 3, 3>(stream, task);
  switch (edge) {
    case 3:
      return run_network<std::uint8_t, 3, 1>(stream, task);
    case 5:
      return run_network<std::uint8_t, 5, 1>(stream, task);
    case 7:
      return run_network<std::uint8_t, 7, 1>(stream, task);
    default:
      return run_network<std::uint8_t, 9, 1>(stream, task);
  }
}

}  // namespace tamis::median_detail
