// tamis.orientation.
#include <tamis/orientation.hpp>

#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <vector>

#include <tamis/operations/arguments.hpp>
#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "python/array/array.hpp"
#include "python/array/gpu.hpp"
#include "python/array/image.hpp"
#include "python/array/result/output.hpp"
#include "python/family/families.hpp"
#include "python/family/filter/filter.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

using namespace nb::literals;

/// The caller's array, or a copy of one that lies on a GPU, and arrays of its kind.
class Exchange {
 public:
  explicit Exchange(nb::handle image) : image_(nb::borrow(image)) {
    if (!lives_on_gpu(image)) return;
    gpu_.emplace(image);
    image_ = gpu_->download();
  }

  [[nodiscard]] nb::handle image() const { return image_; }
  [[nodiscard]] Context device_of(const Context& context) const { return gpu_ ? gpu_->on_gpu(context) : context; }
  [[nodiscard]] nb::object array_of(const Context& context, const Image& image, const Output& output) const {
    write(context, image, output.samples());
    const nb::object array = output.result(image_).value;
    return gpu_ ? gpu_->upload(array).object : array;
  }

 private:
  nb::object image_;
  std::optional<GpuExchange> gpu_;
};

void require_one_channel(nb::handle image) {
  try {
    refuse_colour(image, "image");
  } catch (const InputError&) {
    throw InputError("image: an array of shape " + shape_text(image) +
                     " looks like a colour image; wanted one channel, image[..., 0], or of a volume this thin "
                     "image.transpose(2, 0, 1)");
  }
}

nb::object doubles(const std::vector<double>& values) { return numpy_array(values.data(), values.size()).value; }

/// tamis._orientation.Orientation of it.
nb::object object_of(const Orientation& found, const OrientationOptions& options, const std::string& device,
                     nb::object orientation, nb::object enhanced, nb::object contrast) {
  std::vector<double> angles;
  for (std::int64_t i = 0; i < found.angles.count; ++i) angles.push_back(found.angles.at(i));
  nb::list removed;
  nb::list left;
  nb::list dominant;
  for (const AngularSpectrum& spectrum : found.spectra) {
    removed.append(doubles(spectrum.removed));
    left.append(doubles(spectrum.left));
    const std::optional<double> angle = dominant_angle(spectrum, found.angles);
    dominant.append(angle ? nb::object(nb::float_(*angle)) : nb::none());
  }
  const std::optional<AxialMean> mean = axial_mean(found.histogram, found.angles);
  return nb::module_::import_("tamis._orientation")
      .attr("made")("orientation"_a = orientation, "enhanced"_a = enhanced, "contrast"_a = contrast,
                    "angles"_a = doubles(angles), "range"_a = nb::make_tuple(found.angles.first, found.angles.last),
                    "lengths"_a = doubles(options.lengths), "removed"_a = removed, "left"_a = left,
                    "dominant"_a = dominant, "longest"_a = found.longest, "histogram"_a = doubles(found.histogram),
                    "mean"_a = mean ? nb::object(nb::float_(mean->angle)) : nb::none(), "resultant"_a = mean ? mean->resultant : 0.0,
                    "dark"_a = options.phase == Phase::Dark, "lines"_a = std::string(name(options.lines)),
                    "border"_a = to_string(options.border), "device"_a = device);
}

nb::object orientation_of_array(Call& call, const Given& given) {
  const OrientationOptions options = given.arguments().as<OrientationArguments>().options();
  const Exchange exchange(given["image"]);
  require_one_channel(exchange.image());
  const ImageInput input(exchange.image(), "image", false, call.context().memory_bytes);
  const Layout& layout = input.layout();
  const Output degrees(Type::F32, input.array_shape(), nb::none());
  const bool chosen = input.type() != Type::F64;
  const Output enhanced(chosen ? input.type() : Type::F32, input.array_shape(), nb::none());
  const Output contrast(layout.type, input.array_shape(), nb::none());
  std::string device;
  const Orientation found = call.run([&](const Context& caller) {
    const Context context = exchange.device_of(caller);
    Orientation result = orientation(context, input.read(context), options);
    device = device_text({result.device, context.gpu});
    return result;
  });
  const Context& context = call.context();
  return object_of(found, options, device, exchange.array_of(context, found.orientation, degrees),
                   exchange.array_of(context, found.enhanced, enhanced),
                   exchange.array_of(context, found.contrast, contrast));
}

}  // namespace

void add_orientation(nb::module_& module) {
  add_operation(module, operation("orientation"),
                {"image length * angles range dark lines border",
                 {},
                 "tamis._orientation.Orientation",
                 "Orientation\n"
                 "    With `orientation`, `enhanced`, `contrast`, `angles`, `spectrum`, `sum`, `histogram`, `dominant`,\n"
                 "    `mean`, `resultant`;\n"
                 "    `plot()`, `rose()` and `picture(image)`."},
                orientation_of_array);
}

}  // namespace tamis::python
