#include "core/gpu/extended.hpp"
#include "core/gpu/filter.hpp"

#include <algorithm>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/operations.hpp>

namespace tamis::cuda {

void run_steps(const Stream& stream, const DeviceSteps& steps, std::int64_t times, const StepImages& images,
               unsigned* nan) {
  std::int64_t left = static_cast<std::int64_t>(steps.size()) * times;
  if (left == 0) {
    check(cudaMemcpyAsync(images.out.data, images.image.data, static_cast<std::size_t>(images.bytes),
                          cudaMemcpyDeviceToDevice, stream.get()),
          "copy an image");
    return;
  }
  DeviceImage now = images.image;
  for (std::int64_t i = 0; i < times; ++i) {
    for (const auto& step : steps) {
      const DeviceImage& next = left-- % 2 == 1 ? images.out : images.between;
      step->run(now, next, std::exchange(nan, nullptr));
      now = next;
    }
  }
}

std::optional<Offset> reach_if_local(const Offset& reach, const Shape& shape) {
  return (shape.z > 1 ? reach.z : reach.y) == whole_axis ? std::nullopt : std::optional(reach);
}

void run_and_look(const Stream& stream, const DeviceFilter& filter, const Shape& shape, const DeviceImage& image,
                  const DeviceImage& out, unsigned* nan) {
  const bool looks = filter.looks_for_nan();
  if (nan != nullptr && !looks) find_nan(stream, image, shape, nan);
  filter.run(image, out, looks ? nan : nullptr);
}

bool run_once(const Stream& stream, const GpuFilter& filter, const Shape& shape, const DeviceImage& image,
              const DeviceImage& out) {
  std::unique_ptr<DeviceFilter> made = filter.make(stream, shape, false);
  if (filter.type != Type::F32) {
    made->run(image, out, nullptr);
    return true;
  }
  const NanSearch search(stream);
  // The filter starts before the search for NaN is over, unless that could waste a whole run of it.
  const bool at_once = made->looks_for_nan() || filter.refuses_nan();
  if (at_once) {
    run_and_look(stream, *made, shape, image, out, search.flag());
  } else {
    search.look_at(image, shape);
  }
  const bool found = search.found();
  if (found && filter.refuses_nan()) return false;
  if (found) {
    made.reset();  // so that the other one can have its memory
    made = filter.make(stream, shape, true);
  }
  if (found || !at_once) made->run(image, out, nullptr);
  return true;
}

void refuse_nan(const GpuFilter& filter, const std::string& whose, const std::string& where) {
  throw InputError(std::string(filter.what) + ": " + whose + " holds NaN" + where + "; wanted numbers, or nan ignore");
}

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
