#include "median/network_kernel.cuh"
#include "median/network_types.hpp"

namespace tamis::median_detail {

void network_u16(const cuda::Stream& stream, int edge, int depth, const NetworkTask& task) {
  if (depth == 3) return run_network<std::uint16_t, 3, 3>(stream, task);
  switch (edge) {
    case 3:
      return run_network<std::uint16_t, 3, 1>(stream, task);
    case 5:
      return run_network<std::uint16_t, 5, 1>(stream, task);
    case 7:
      return run_network<std::uint16_t, 7, 1>(stream, task);
    default:
      return run_network<std::uint16_t, 9, 1>(stream, task);
  }
}

void network_i16(const cuda::Stream& stream, int edge, int depth, const NetworkTask& task) {
  if (depth == 3) return run_network<std::int16_t, 3, 3>(stream, task);
  switch (edge) {
    case 3:
      return run_network<std::int16_t, 3, 1>(stream, task);
    case 5:
      return run_network<std::int16_t, 5, 1>(stream, task);
    case 7:
      return run_network<std::int16_t, 7, 1>(stream, task);
    default:
      return run_network<std::int16_t, 9, 1>(stream, task);
  }
}

}  // namespace tamis::median_detail
