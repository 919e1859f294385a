#include "median/gpu/bucket/sort.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace tamis::median_detail::gpu {
namespace {

constexpr const char* what = "sort the samples of tiles";
using Buffers = cub::DoubleBuffer<std::uint64_t>;

std::size_t sort(const WordSort& task, Buffers& buffers, void* workspace, std::size_t bytes, cudaStream_t stream) {
  cuda::check(cub::DeviceRadixSort::SortKeys(workspace, bytes, buffers, static_cast<std::uint32_t>(task.count),
                                             task.low, task.high, stream),
              what);
  return bytes;
}

}  // namespace

std::int64_t WordSort::workspace_bytes() const {
  Buffers none;
  return static_cast<std::int64_t>(sort(*this, none, nullptr, 0, nullptr));
}

std::uint64_t* WordSort::run(const cuda::Stream& stream, std::uint64_t* words, std::uint64_t* others,
                             std::byte* workspace) const {
  Buffers buffers(words, others);
  sort(*this, buffers, workspace, static_cast<std::size_t>(workspace_bytes()), stream.get());
  return buffers.Current();
}

}  // namespace tamis::median_detail::gpu
