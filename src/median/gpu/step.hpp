// A step from image to image on the device: what its kernels are made for. Each of them is a DeviceFilter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <tamis/image.hpp>

#include "core/gpu/filter.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::gpu {

/// Device memory that the kernels of a plan use in turn.
class Workspace {
 public:
  /// While kernels are made: they get as much as the one that wants most.
  void want(std::int64_t bytes) { bytes_ = std::max(bytes_, bytes); }
  /// When all are made.
  void allocate(const cuda::Stream& stream) {
    if (bytes_ > 0) memory_ = cuda::DeviceBuffer<std::byte>(stream, bytes_);
  }
  /// At a multiple of 16.
  [[nodiscard]] std::byte* data() const { return memory_.data(); }

 private:
  std::int64_t bytes_ = 0;
  cuda::DeviceBuffer<std::byte> memory_;
};

struct Step {
  const RankStep& rank;  ///< read while kernels are made
  Workspace& workspace;
  Type type = Type::U8;
  Shape shape;
  Border border;  ///< kernels that know only whole windows are given Reflect in place of Neutral, and a frame follows
  /// F32 may hold NaN, which is left out.
  bool around_nan = false;
  /// Redo only tiles that touch the image's edge: all other results are there already.
  bool frame_only = false;

  /// Whether the number of samples may differ from result to result.
  [[nodiscard]] bool varies() const { return around_nan || border.kind == Border::Kind::Neutral; }
};

/// Four bytes that begin with the sample that the border shows outside, if it is a constant.
[[nodiscard]] std::uint32_t outside_bits(Type type, const Border& border);

}  // namespace tamis::median_detail::gpu
