#include "core/gpu/extended.hpp"

#include <algorithm>

namespace tamis::cuda {

LaidOutSteps::LaidOutSteps(const Stream& stream, Type type, const Shape& shape, const OffsetBox& window,
                           Border::Kind border, const Make& make)
    : stream_(stream),
      type_(type),
      shape_(shape),
      extent_(extent_of(shape, window)),
      border_(border),
      steps_(make(extent_.shape)),
      wide_(stream, type, extent_.shape),
      result_(stream, type, extent_.shape) {
  if (steps_.size() > 1) between_ = DeviceStore(stream, type, extent_.shape);
}

void LaidOutSteps::run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const {
  copy_shown(stream_, type_, image, shape_, -extent_.origin, border_, wide_.get(), extent_.shape);
  const std::int64_t bytes = DeviceStore::layout(type_, extent_.shape).slice * extent_.shape.z;
  run_steps(stream_, steps_, 1, {wide_.get(), result_.get(), between_.get(), bytes}, nan);
  copy_shown(stream_, type_, result_.get(), extent_.shape, extent_.origin, Border::Kind::Nearest, out, shape_);
}

int images_laid_out(const Shape& shape, const Offset& reach) {
  const auto larger = [](std::int64_t n, std::int64_t side) {
    return static_cast<double>(n + 2 * side) / static_cast<double>(n);
  };
  constexpr double at_a_time = 3, most = 1e6;
  const double images = at_a_time * larger(shape.z, reach.z) * larger(shape.y, reach.y) * larger(shape.x, reach.x);
  return static_cast<int>(std::min(images, most)) + 1;
}

}  // namespace tamis::cuda
