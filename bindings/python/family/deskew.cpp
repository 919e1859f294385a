// tamis.skew, deskew and rotate.
#include <tamis/deskew.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <new>
#include <tuple>
#include <utility>

#include <tamis/error.hpp>

#include "cli/option/parse.hpp"
#include "python/array/array.hpp"
#include "python/array/gpu.hpp"
#include "python/array/image.hpp"
#include "python/array/output.hpp"
#include "python/family/families.hpp"
#include "python/family/filter_axes.hpp"
#include "python/operation.hpp"

TAMIS_PYTHON_ARGUMENT(DeskewResult, "numpy.typing.NDArray | tuple[numpy.typing.NDArray, Skew]");

namespace tamis::python {
namespace {

using namespace nb::literals;

#define TAMIS_PAGE_DOC                                                                                           \
  "image : array, shape (y, x)\n"                                                                                \
  "    One page, of bool, uint8, uint16, int16 or float32; dark on bright or bright on dark.\n"                  \
  "max_angle : float\n"                                                                                          \
  "    Degrees to either side that are searched, above 0, at most 45.\n"                                         \
  "step : float\n"                                                                                               \
  "    Degrees between the angles tried first, above 0, at most 1; the answer is finer.\n"                       \
  "method : str\n"                                                                                               \
  "    'projection', the ink summed along parallel lines (Postl 1986), for text, tables and staves;\n"           \
  "    'closing', closings by long segments (Karas 2015, section 6.1.3), for pages with long lines; 'fused', \n" \
  "    projection, and closing where that knows nothing.\n"                                                      \
  "length : int, optional\n"                                                                                     \
  "    Closing: samples of a segment; otherwise half of the page's shorter edge.\n"                              \
  "channel_axis : int, optional\n"                                                                               \
  "    The axis of the channels, beside (y, x); -1 for colour images, of which the luma is looked at.\n"

const char* const class_doc = R"(How far a page is turned, as `skew` gives it.

Angles are degrees, counter-clockwise as the page is seen: positive where the text rises to the right.
)";

const char* const skew_doc = R"(How far a scanned page is turned.

Parameters
----------
)" TAMIS_PAGE_DOC TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
Skew
    Its `angle` is None where neither lines nor text say.

Raises
------
InputError
    For other types, volumes, NaN, and options out of range.

See Also
--------
deskew : the page turned back

References
----------
W. Postl, "Detection of linear oblique structures and skew scan in digitized documents", ICPR 1986.
P. Karas, V. Morard, J. Bartovsky, T. Grandpierre, E. Dokladalova, P. Matula, P. Dokladal, "GPU implementation of linear
morphological openings with arbitrary angle", Journal of Real-Time Image Processing 10, 2015.

Examples
--------
>>> import numpy, tamis
>>> y, x = numpy.mgrid[:400, :600]
>>> page = numpy.where((y + numpy.tan(numpy.radians(3)) * x) % 24 < 8, 0, 255).astype(numpy.uint8)
>>> round(tamis.skew(page).angle, 1)
3.0
)";

const char* const deskew_doc = R"(A scanned page turned straight: text that rises to the right is turned back.

By cubic convolution. A page that lies on its side stays so.

Parameters
----------
)" TAMIS_PAGE_DOC R"(expand : bool
    Makes room for the corners; otherwise the page keeps its size.
fill : float, optional
    What comes into the corners, in every channel; otherwise the background: the median of what is
    brighter than the middle between the page's extremes, or of what is darker, whichever is more.
return_skew : bool
    Returns the Skew too.
)" TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
array of the type of the image, or (array, Skew)

Raises
------
InputError
    As `skew`, and where neither lines nor text say how far the page is turned: `skew` asks first.

Examples
--------
>>> import numpy, tamis
>>> y, x = numpy.mgrid[:400, :600]
>>> page = numpy.where((y + numpy.tan(numpy.radians(3)) * x) % 24 < 8, 0, 255).astype(numpy.uint8)
>>> abs(tamis.skew(tamis.deskew(page)).angle) < 0.1
True
)";

const char* const rotate_doc = R"(An image turned counter-clockwise about its centre.

By cubic convolution (Keys 1981, a = -1/2); bool: where the interpolated value is at least 1/2.

Parameters
----------
image : array, shape (y, x) or (z, y, x)
    Of bool, uint8, uint16, int16 or float32. Volumes are turned slice by slice.
degrees : float
    As the image is seen, its first row at the top.
expand : bool
    Makes room for the corners; otherwise the image keeps its size.
fill : float
    What comes into the corners.
channel_axis : int, optional
    The axis of the channels, beside (y, x) or (z, y, x).
)" TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
array of the type of the image

Raises
------
InputError
    For other types, an angle that is no number, a fill that is no value of the type.

References
----------
R. Keys, "Cubic convolution interpolation for digital image processing", IEEE Trans. ASSP 29, 1981.

Examples
--------
>>> import numpy, tamis
>>> tamis.rotate(numpy.array([[1, 2], [3, 4]], numpy.uint8), 90)
array([[2, 4],
       [1, 3]], dtype=uint8)
)";

constexpr cli::Choice<DeskewMethod> methods[] = {
    {"fused", DeskewMethod::Fused}, {"projection", DeskewMethod::Projection}, {"closing", DeskewMethod::Closing}};

/// The channels of an array, and how to make an array of channels. Arrays on a GPU are copied to host memory and back.
class Planes {
 public:
  Planes(Call& call, nb::handle image, std::optional<int> channel_axis) : image_(nb::borrow(image)) {
    const std::int64_t memory = call.context().memory_bytes;
    if (lives_on_gpu(image)) {
      gpu_.emplace(image);
      image_ = gpu_->download();
    }
    if (!channel_axis) {
      refuse_colour(image_, "image");
      inputs_.push_back(std::make_unique<ImageInput>(image_, "image", false, memory));
    } else {
      array_ = nb::module_::import_("numpy").attr("asanyarray")(image_);
      channels_.emplace(array_, *channel_axis);
      axis_ = *channel_axis;
      for (std::int64_t c = 0; c < channels_->count(); ++c) {
        inputs_.push_back(std::make_unique<ImageInput>(channels_->of(array_, c), "image", false, memory));
      }
    }
  }

  [[nodiscard]] Context device_of(const Context& context) const { return gpu_ ? gpu_->on_gpu(context) : context; }

  /// Without the GIL.
  [[nodiscard]] std::vector<Image> read(const Context& context) const {
    std::vector<Image> images;
    for (const auto& input : inputs_) images.push_back(input->read(context));
    return images;
  }

  /// Images of one shape as an array of the kind of the caller's.
  [[nodiscard]] ArrayResult array_of(Call& call, const std::vector<Image>& images) const {
    const Image& first = images.front();
    if (!channels_) {
      const Output output(first.type(), first.shape(), nb::none());
      call.run([&](const Context& context) { write(context, first, output.samples()); });
      return there(output.result(image_));
    }
    nb::list shape(axes_of(array_));
    const auto rank = static_cast<int>(nb::len(shape));
    const int own = axis_ < 0 ? axis_ + rank : axis_;
    const int x = own == rank - 1 ? rank - 2 : rank - 1;
    const int y = own >= x - 1 && own < x ? x - 2 : x - 1;
    shape[x] = first.shape().x;
    shape[y] = first.shape().y;
    const nb::object whole = numpy_empty(nb::tuple(shape), numpy_name(first.type()));
    for (std::size_t c = 0; c < images.size(); ++c) {
      const Output output(first.type(), first.shape(), channels_->of(whole, static_cast<std::int64_t>(c)));
      call.run([&](const Context& context) { write(context, images[c], output.samples()); });
    }
    return there(like(whole, image_));
  }

 private:
  /// On the GPU where the image is.
  [[nodiscard]] ArrayResult there(const ArrayResult& array) const {
    return gpu_ ? ArrayResult{gpu_->upload(array.value).object} : array;
  }

  nb::object image_;  ///< in host memory
  std::optional<GpuExchange> gpu_;
  nb::object array_;
  std::optional<Channels> channels_;
  int axis_ = 0;
  std::vector<std::unique_ptr<ImageInput>> inputs_;
};

DeskewOptions options_of(double max_angle, double step, std::string_view method, std::optional<std::int64_t> length) {
  DeskewOptions options;
  options.max_angle = max_angle;
  options.step = step;
  options.method =
      about_keyword("method='" + std::string(method) + "'", [&] { return cli::parse_choice(method, methods); });
  options.length = length;
  return options;
}

Skew skew_of(const Keywords& keywords, ImageArgument image, double max_angle, double step, std::string_view method,
             std::optional<std::int64_t> length, std::optional<int> channel_axis) {
  Call call(keywords);
  const DeskewOptions options = options_of(max_angle, step, method, length);
  const Planes planes(call, image.value, channel_axis);
  return call.run([&](const Context& caller) {
    const Context context = planes.device_of(caller);
    return find_skew(context, page_of(planes.read(context)), options);
  });
}

DeskewResult deskew_of(const Keywords& keywords, ImageArgument image, double max_angle, double step,
                       std::string_view method, std::optional<std::int64_t> length, bool expand,
                       std::optional<double> fill, std::optional<int> channel_axis, bool return_skew) {
  Call call(keywords);
  DeskewOptions options = options_of(max_angle, step, method, length);
  options.expand = expand;
  options.fill = fill;
  const Planes planes(call, image.value, channel_axis);
  const Straightened straight = call.run([&](const Context& caller) {
    const Context context = planes.device_of(caller);
    return deskew(context, planes.read(context), options);
  });
  if (!straight.skew.angle) {
    throw InputError("image: undecided: no lines and no text say how far the page is turned; wanted a page with some");
  }
  const ArrayResult array = planes.array_of(call, straight.channels);
  if (!return_skew) return {array.value};
  return {nb::make_tuple(array.value, straight.skew)};
}

ArrayResult rotate_of(const Keywords& keywords, ImageArgument image, double degrees, bool expand, double fill,
                      std::optional<int> channel_axis) {
  Call call(keywords);
  const Planes planes(call, image.value, channel_axis);
  const std::vector<Image> turned = call.run([&](const Context& caller) {
    const Context context = planes.device_of(caller);
    std::vector<Image> images = planes.read(context);
    RotateOptions options;
    options.fill = fill;
    if (expand) options.size = rotated_shape(images.front().shape(), degrees);
    for (Image& channel : images) channel = rotate(context, channel, degrees, options);
    return images;
  });
  return planes.array_of(call, turned);
}

using State = std::tuple<std::optional<double>, std::vector<double>, std::vector<double>, double, std::string, bool>;

State state_of(const Skew& skew) {
  return {skew.angle, skew.angles, skew.scores, skew.confidence, std::string(name(skew.method)), skew.sideways};
}

void restore(Skew& skew, const State& state) {
  new (&skew) Skew{};
  std::string method;
  std::tie(skew.angle, skew.angles, skew.scores, skew.confidence, method, skew.sideways) = state;
  skew.method = cli::parse_choice(method, methods);
}

std::string text(const Skew& skew) {
  if (!skew.angle) return "<Skew: undecided>";
  char words[120];
  std::snprintf(words, sizeof words, "<Skew: %.3f degrees, %s, confidence %.1f>", *skew.angle,
                std::string(name(skew.method)).c_str(), skew.confidence);
  return words;
}

void add_class(nb::module_& module) {
  nb::class_<Skew> type(module, "Skew", class_doc);
  type.def_prop_ro(
          "angle", [](const Skew& s) { return s.angle; }, "Degrees, or None where neither lines nor text say.")
      .def_prop_ro(
          "angles", [](const Skew& s) { return numpy_array(s.angles.data(), s.angles.size()); },
          "The angles tried first, rising. Array of float64.")
      .def_prop_ro(
          "scores", [](const Skew& s) { return numpy_array(s.scores.data(), s.scores.size()); },
          "Of each angle, as a multiple of what an angle has along which nothing lies. Array of float64.")
      .def_prop_ro(
          "confidence", [](const Skew& s) { return s.confidence; },
          "Score of the answer; below 4 (sideways 8) it is none.")
      .def_prop_ro(
          "method", [](const Skew& s) { return std::string(name(s.method)); },
          "What knew the answer: 'projection' or 'closing'.")
      .def_prop_ro(
          "sideways", [](const Skew& s) { return s.sideways; }, "Whether the lines of text run up or down the page.")
      .def("__repr__", text)
      .def("__eq__",
           [](const Skew& a, nb::handle b) {
             const Skew* other = nullptr;
             return nb::try_cast(b, other) && other != nullptr && state_of(a) == state_of(*other);
           })
      .def("__getstate__", state_of)
      .def("__setstate__", restore);
  module.attr("Skew").attr("__module__") = "tamis";
}

}  // namespace

void add_deskew(nb::module_& module) {
  add_class(module);
  add_operation(module, "skew", skew_of, skew_doc, "image"_a, "max_angle"_a = 15.0, "step"_a = 0.25, nb::kw_only(),
                "method"_a = "fused", "length"_a = nb::none(), "channel_axis"_a = nb::none());
  add_operation(module, "deskew", deskew_of, deskew_doc, "image"_a, "max_angle"_a = 15.0, "step"_a = 0.25,
                nb::kw_only(), "method"_a = "fused", "length"_a = nb::none(), "expand"_a = false, "fill"_a = nb::none(),
                "channel_axis"_a = nb::none(), "return_skew"_a = false);
  add_operation(module, "rotate", rotate_of, rotate_doc, "image"_a, "degrees"_a, nb::kw_only(), "expand"_a = false,
                "fill"_a = 0.0, "channel_axis"_a = nb::none());
}

}  // namespace tamis::python
