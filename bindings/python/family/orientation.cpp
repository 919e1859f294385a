// tamis.orientation.
#include <tamis/orientation.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "cli/option/parse.hpp"
#include "python/array/array.hpp"
#include "python/array/gpu.hpp"
#include "python/array/image.hpp"
#include "python/array/output.hpp"
#include "python/family/families.hpp"
#include "python/family/filter_axes.hpp"
#include "python/family/morphology_arguments.hpp"
#include "python/operation.hpp"

TAMIS_PYTHON_ARGUMENT(LengthArgument, "float | collections.abc.Sequence[float]");
TAMIS_PYTHON_ARGUMENT(RangeArgument, "tuple[float, float]");
TAMIS_PYTHON_ARGUMENT(OrientationResult, "tamis._orientation.Orientation");

namespace tamis::python {
namespace {

using namespace nb::literals;

const char* const doc = R"(Where lines run: openings by segments at many angles.

At each sample the angle whose opening is the highest, and how much it differs from the others; over the image how much
the openings remove at each angle. Volumes slice by slice. Exact; the same with any number of threads, on any device.

Parameters
----------
image : array, shape (y, x) or (z, y, x)
    Of bool, uint8, uint16, int16 or float32 (finite). One that lies on a GPU is copied to host memory, the maps are
    copied back, and that GPU does the work.
length : float or sequence of float
    Length of the segments. Of several the longest makes the maps, and each has a spectrum.
angles : int
    So many directions, evenly spaced over the range.
range : (float, float)
    Degrees, counter-clockwise as the picture is seen, 0 to the right; the end is left out, so 180 angles from 0 to 180
    are the whole degrees.
dark : bool
    Dark lines on bright ground: closings instead of openings, infima instead of suprema.
lines : str
    'invariant', one digital segment for each angle, the same everywhere; 'traced', whole numbers of samples of Bresenham
    lines that tile the image, as fast at any length.
border : str
    What lies outside: 'neutral', nothing that counts; 'fit', along traced lines only segments inside the image count.
)" TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
Orientation
    With `orientation`, `enhanced`, `contrast`, `angles`, `spectrum`, `sum`, `histogram`, `dominant`; `plot()`, `rose()`
    and `picture(image)`.

Raises
------
InputError
    For other types, NaN and infinities, colour, lengths below 1, an empty range or one of more than 180 degrees, borders
    that traced lines do not have.

References
----------
P. Karas, V. Morard, J. Bartovský, T. Grandpierre, E. Dokládalová, P. Matula, P. Dokládal, "GPU implementation of linear
morphological openings with arbitrary angle", Journal of Real-Time Image Processing 10, 2015.

Examples
--------
>>> import numpy, tamis
>>> image = numpy.zeros((40, 40), numpy.uint8)
>>> image[numpy.arange(40), 39 - numpy.arange(40)] = 200  # rises to the right
>>> found = tamis.orientation(image, 15, angles=36)
>>> found.dominant
45.0
>>> found.orientation[20, 19], found.enhanced[20, 19], found.contrast[20, 19]
(np.float32(45.0), np.uint8(200), np.uint8(200))
)";

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

std::vector<double> lengths_of(nb::handle length) {
  double one = 0;
  std::vector<double> several;
  if (nb::try_cast(length, one)) return {one};
  if (!PyUnicode_Check(length.ptr()) && nb::try_cast(length, several)) return several;
  throw InputError("length=" + text_of(length) + ": wanted a number, or a sequence of numbers");
}

OrientationOptions options_of(nb::handle length, std::int64_t angles, nb::handle range, bool dark,
                              std::string_view lines, std::string_view border) {
  OrientationOptions options;
  options.lengths = lengths_of(length);
  std::vector<double> ends;
  if (PyUnicode_Check(range.ptr()) || !nb::try_cast(range, ends) || ends.size() != 2) {
    throw InputError("range=" + text_of(range) + ": wanted two angles, (first, last)");
  }
  options.angles = {ends[0], ends[1], angles};
  options.phase = dark ? Phase::Dark : Phase::Bright;
  options.lines = lines_of(lines);
  options.border = outside_of(border);
  return options;
}

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
  return nb::module_::import_("tamis._orientation")
      .attr("made")("orientation"_a = orientation, "enhanced"_a = enhanced, "contrast"_a = contrast,
                    "angles"_a = doubles(angles), "range"_a = nb::make_tuple(found.angles.first, found.angles.last),
                    "lengths"_a = doubles(options.lengths), "removed"_a = removed, "left"_a = left,
                    "dominant"_a = dominant, "longest"_a = found.longest, "histogram"_a = doubles(found.histogram),
                    "dark"_a = options.phase == Phase::Dark, "lines"_a = std::string(name(options.lines)),
                    "border"_a = to_string(options.border), "device"_a = device);
}

OrientationResult orientation_of_array(const Keywords& keywords, ImageArgument image, LengthArgument length,
                                       std::int64_t angles, RangeArgument range, bool dark, std::string_view lines,
                                       std::string_view border) {
  Call call(keywords);
  const OrientationOptions options = options_of(length.value, angles, range.value, dark, lines, border);
  const Exchange exchange(image.value);
  require_one_channel(exchange.image());
  const ImageInput input(exchange.image(), "image", false, call.context().memory_bytes);
  const Layout& layout = input.layout();
  const Output degrees(Type::F32, input.array_shape(), nb::none());
  const Output enhanced(layout.type, input.array_shape(), nb::none());
  const Output contrast(layout.type, input.array_shape(), nb::none());
  std::string device;
  const Orientation found = call.run([&](const Context& caller) {
    const Context context = exchange.device_of(caller);
    Orientation result = orientation(context, input.read(context), options);
    device = cli::device_text({result.device, context.gpu});
    return result;
  });
  const Context& context = call.context();
  return {object_of(found, options, device, exchange.array_of(context, found.orientation, degrees),
                    exchange.array_of(context, found.enhanced, enhanced),
                    exchange.array_of(context, found.contrast, contrast))};
}

}  // namespace

void add_orientation(nb::module_& module) {
  add_operation(module, "orientation", orientation_of_array, doc, "image"_a, "length"_a = 41, nb::kw_only(),
                "angles"_a = 180, "range"_a = nb::make_tuple(0, 180), "dark"_a = false, "lines"_a = "invariant",
                "border"_a = "neutral");
}

}  // namespace tamis::python
