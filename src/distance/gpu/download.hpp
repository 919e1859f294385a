// A map on its way to the host: while some slices are handed on, the next are made and copied.
#pragma once

#include <cstddef>

#include <tamis/granulometry.hpp>

#include "core/gpu/event.hpp"
#include "core/gpu/stream.hpp"
#include "core/stage.hpp"
#include "distance/gpu/squares.hpp"

namespace tamis::distance_detail::gpu {

class Download {
 public:
  Download(const Context& context, const cuda::Stream& stream, const Shape& shape, Type type);

  /// `table` has a sample for each square. Slices go to the sink as z0 and on.
  void run(const SquareRows<std::uint16_t>& squares, const std::byte* table, std::int64_t z0, const MapSink& sink,
           Stage& stage);

 private:
  struct Part {
    explicit Part(int gpu) : copied(gpu) {}
    cuda::DeviceBuffer<std::byte> on_gpu;
    cuda::PinnedBuffer<std::byte> on_host;
    cuda::Event copied;
  };

  void queue(Part& part, const SquareRows<std::uint16_t>& slices, const std::byte* table);

  const cuda::Stream& stream_;
  Shape shape_;
  Type type_;
  std::int64_t at_once_;  ///< slices
  Part parts_[2];
};

}  // namespace tamis::distance_detail::gpu
