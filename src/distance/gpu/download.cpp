#include "distance/gpu/download.hpp"

#include <algorithm>

#include "distance/gpu/samples.hpp"

namespace tamis::distance_detail::gpu {
namespace {

constexpr std::int64_t bytes_at_once = std::int64_t{16} << 20;

}  // namespace

Download::Download(const Context& context, const cuda::Stream& stream, const Shape& shape, Type type)
    : stream_(stream), shape_(shape), type_(type), parts_{Part(context.gpu), Part(context.gpu)} {
  const std::int64_t slice = shape.y * shape.x * sample_bytes(type);
  at_once_ = std::clamp<std::int64_t>(bytes_at_once / slice, 1, shape.z);
  for (Part& part : parts_) {
    part.on_gpu = cuda::DeviceBuffer<std::byte>(stream, at_once_ * slice);
    part.on_host = cuda::PinnedBuffer<std::byte>(stream, at_once_ * slice);
  }
}

void Download::queue(Part& part, const SquareRows<std::uint16_t>& slices, const std::byte* table) {
  const Shape shape{slices.z, shape_.y, shape_.x, 3};
  const GpuOutput out = dense_gpu_array<void>(part.on_gpu.data(), type_, shape, stream_.device());
  look_up(stream_, slices, table, out);
  cuda::check(cudaMemcpyAsync(part.on_host.data(), part.on_gpu.data(),
                              static_cast<std::size_t>(shape.count() * sample_bytes(type_)), cudaMemcpyDeviceToHost,
                              stream_.get()),
              "read a map");
  part.copied.record(stream_);
}

void Download::run(const SquareRows<std::uint16_t>& squares, const std::byte* table, std::int64_t z0,
                      const MapSink& sink, Stage& stage) {
  const auto part_at = [&](std::int64_t begin) {
    return squares.slices(begin, std::min(begin + at_once_, squares.z));
  };
  queue(parts_[0], part_at(0), table);
  for (std::int64_t begin = 0, turn = 0; begin < squares.z; begin += at_once_, ++turn) {
    if (begin + at_once_ < squares.z) queue(parts_[(turn + 1) % 2], part_at(begin + at_once_), table);
    const Part& part = parts_[turn % 2];
    part.copied.wait();
    const std::int64_t slices = part_at(begin).z;
    sink(part.on_host.data(), z0 + begin, slices);
    stage.advance(slices);
  }
}

}  // namespace tamis::distance_detail::gpu
