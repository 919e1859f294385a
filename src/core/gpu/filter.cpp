#include "core/gpu/filter.hpp"

#include <algorithm>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/operations.hpp>

#include "core/gpu/find_nan.hpp"

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

}  // namespace tamis::cuda
