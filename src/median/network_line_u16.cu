#include "median/network_line_kernel.cuh"
#include "median/network_types.hpp"

namespace tamis::median_detail {

void network_line_u16(const cuda::Stream& stream, int length, bool along_x, const NetworkTask& task) {
  run_line<std::uint16_t>(stream, length, along_x, task);
}

}  // namespace tamis::median_detail
