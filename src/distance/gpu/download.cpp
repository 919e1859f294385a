#include "distance/gpu/download.hpp"

#include <algorithm>

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

void Download::queue(Part& part, std::int64_t begin, std::int64_t end, const Write& write) {
  const Shape shape{end - begin, shape_.y, shape_.x, 3};
  write(begin, end, dense_gpu_array<void>(part.on_gpu.data(), type_, shape, stream_.device()));
  cuda::check(cudaMemcpyAsync(part.on_host.data(), part.on_gpu.data(),
                              static_cast<std::size_t>(shape.count() * sample_bytes(type_)), cudaMemcpyDeviceToHost,
                              stream_.get()),
              "read a map");
  part.copied.record(stream_);
}

void Download::run(std::int64_t slices, const Write& write, std::int64_t z0, const MapSink& sink, Stage& stage) {
  const auto queue_from = [&](Part& part, std::int64_t begin) {
    queue(part, begin, std::min(begin + at_once_, slices), write);
  };
  queue_from(parts_[0], 0);
  for (std::int64_t begin = 0, turn = 0; begin < slices; begin += at_once_, ++turn) {
    const std::int64_t next = begin + at_once_;
    if (next < slices) queue_from(parts_[(turn + 1) % 2], next);
    const Part& part = parts_[turn % 2];
    part.copied.wait();
    const std::int64_t count = std::min(next, slices) - begin;
    sink(part.on_host.data(), z0 + begin, count);
    stage.advance(count);
  }
}

}  // namespace tamis::distance_detail::gpu
