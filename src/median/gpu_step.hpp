// A step from image to image on the device, and what every way of doing it is: prepared once, queued as often as
// wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tamis/image.hpp>

#include "core/cuda/device_image.hpp"
#include "core/cuda/stream.hpp"
#include "median/median_plan.hpp"

namespace tamis::median_detail {

/// What a way is made for.
struct GpuStep {
  const RankStep& rank;  ///< read while the way is made
  Type type = Type::U8;
  Shape shape;
  Border border;  ///< of this way: one that knows no shrinking is given Reflect and a frame follows
  /// F32 may hold NaN, which is left out.
  bool around_nan = false;
  /// Only results whose windows leave the image, and whoever shares a tile with one: all others are there already.
  bool frame_only = false;

  /// Whether the number of samples may differ from result to result.
  [[nodiscard]] bool varies() const { return around_nan || border.kind == Border::Kind::Neutral; }
};

/// What it is given each time.
struct GpuImages {
  cuda::DeviceImage from, to;      ///< not the same; the padding of rows of `to` is written too
  unsigned* nan = nullptr;         ///< networks of F32: becomes 1 if there is NaN; or null
  std::byte* workspace = nullptr;  ///< as many bytes as the way wants, at a multiple of 16
};

class GpuWay {
 public:
  GpuWay() = default;
  virtual ~GpuWay() = default;
  GpuWay(const GpuWay&) = delete;
  GpuWay& operator=(const GpuWay&) = delete;

  /// Queues it.
  virtual void run(const GpuImages& images) const = 0;
  /// Of device memory, while it runs.
  [[nodiscard]] virtual std::int64_t workspace_bytes() const { return 0; }
};

/// Four bytes that begin with the sample that the border shows outside, if it is a constant.
[[nodiscard]] std::uint32_t outside_bits(Type type, const Border& border);

/// function(Sample{}) for the type, which is not Bool.
template <class Function>
decltype(auto) visit_sample(Type type, Function&& function) {
  switch (type) {
    case Type::U16:
      return std::forward<Function>(function)(std::uint16_t{});
    case Type::I16:
      return std::forward<Function>(function)(std::int16_t{});
    case Type::F32:
      return std::forward<Function>(function)(float{});
    default:
      return std::forward<Function>(function)(std::uint8_t{});
  }
}

}  // namespace tamis::median_detail
