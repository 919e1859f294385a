// A step of a filter under a border that kernels do not know, as core/border.hpp has it on the host.
#pragma once

#include <cstdint>
#include <functional>

#include "core/border.hpp"
#include "core/gpu/filter.hpp"

namespace tamis::cuda {

/// Queues: `to` at p is what `from`, of the other shape, shows at p + shift.
void copy_shown(const Stream& stream, Type type, const DeviceImage& from, const Shape& from_shape, const Offset& shift,
                Border::Kind border, const DeviceImage& to, const Shape& to_shape);

/// Steps that are made for an image with what the border shows around it, and work on that. Memory: three of these
/// images where there is more than one step, else two.
class LaidOutSteps : public DeviceFilter {
 public:
  using Make = std::function<DeviceSteps(const Shape& shape)>;
  LaidOutSteps(const Stream& stream, Type type, const Shape& shape, const OffsetBox& window, Border::Kind border,
               const Make& make);

  void run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const override;
  [[nodiscard]] bool looks_for_nan() const override { return !steps_.empty() && steps_.front()->looks_for_nan(); }

 private:
  const Stream& stream_;
  Type type_;
  Shape shape_;
  Extent extent_;
  Border::Kind border_;
  DeviceSteps steps_;
  DeviceStore wide_, result_, between_;
};

/// How many images more a filter holds at a time, at most, whose largest step sees so far.
[[nodiscard]] int images_laid_out(const Shape& shape, const Offset& reach);

}  // namespace tamis::cuda
