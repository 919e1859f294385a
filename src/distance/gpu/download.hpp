// A map on its way to the host: while some slices are handed on, the next are made and copied.
#pragma once

#include <cstddef>
#include <functional>

#include <tamis/gpu/array.hpp>
#include <tamis/granulometry.hpp>

#include "core/gpu/stream.hpp"
#include "core/stage.hpp"

namespace tamis::distance_detail::gpu {

class Download {
 public:
  /// Queues the samples of slices [begin, end) to an array in device memory.
  using Write = std::function<void(std::int64_t begin, std::int64_t end, const GpuOutput& out)>;

  Download(const Context& context, const cuda::Stream& stream, const Shape& shape, Type type);

  /// So many slices go to the sink, as z0 and on.
  void run(std::int64_t slices, const Write& write, std::int64_t z0, const MapSink& sink, Stage& stage);

 private:
  struct Part {
    explicit Part(int gpu) : copied(gpu) {}
    cuda::DeviceBuffer<std::byte> on_gpu;
    cuda::PinnedBuffer<std::byte> on_host;
    cuda::Event copied;
  };

  void queue(Part& part, std::int64_t begin, std::int64_t end, const Write& write);

  const cuda::Stream& stream_;
  Shape shape_;
  Type type_;
  std::int64_t at_once_;  ///< slices
  Part parts_[2];
};

}  // namespace tamis::distance_detail::gpu
