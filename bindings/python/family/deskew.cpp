// tamis.skew, deskew and rotate.
#include <tamis/deskew.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <new>
#include <tuple>

#include <tamis/operations/arguments.hpp>
#include <tamis/error.hpp>

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

const char* const class_doc = R"(How far a page is turned, as `skew` gives it.

Angles are degrees, counter-clockwise as the page is seen: positive where the text rises to the right.
)";

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

  /// Whether there is one image, of which something is made that has the same type.
  [[nodiscard]] bool is_one() const { return !channels_; }
  [[nodiscard]] const ImageInput& one() const { return *inputs_.front(); }
  /// The array of the kind of the caller's that an output has become.
  [[nodiscard]] ArrayResult array_of(const Output& output) const { return there(output.result(image_)); }

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
      return array_of(output);
    }
    nb::list shape(axes_of(array_));
    const auto rank = static_cast<int>(nb::len(shape));
    const int own = axis_ < 0 ? axis_ + rank : axis_;
    const int x = own == rank - 1 ? rank - 2 : rank - 1;
    const int y = own >= x - 1 && own < x ? x - 2 : x - 1;
    shape[x] = first.shape().x;
    shape[y] = first.shape().y;
    const nb::object whole = numpy_empty(nb::tuple(shape), first.type());
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

nb::object skew_of(Call& call, const Given& given) {
  const Arguments arguments = given.arguments();
  const Planes planes(call, given["image"], given.channel_axis());
  return nb::cast(call.run([&](const Context& caller) {
    const Context context = planes.device_of(caller);
    return find_skew(context, page_of(planes.read(context)), arguments.as<DeskewOptions>());
  }));
}

nb::object deskew_of(Call& call, const Given& given) {
  const Arguments arguments = given.arguments();
  const bool return_skew = given.flag("return_skew");
  const Planes planes(call, given["image"], given.channel_axis());
  const Straightened straight = call.run([&](const Context& caller) {
    const Context context = planes.device_of(caller);
    return deskew(context, planes.read(context), arguments.as<DeskewOptions>());
  });
  if (!straight.skew.angle) {
    throw InputError("image: undecided: no lines and no text say how far the page is turned; wanted a page with some");
  }
  const nb::object array = planes.array_of(call, straight.channels).value;
  return return_skew ? nb::object(nb::make_tuple(array, straight.skew)) : array;
}

/// One image, from where it lies to where the result is wanted.
nb::object rotate_one(Call& call, const Planes& planes, const RotateArguments& arguments) {
  const Layout& layout = planes.one().layout();
  RotateOptions options{arguments.fill, {}};
  if (arguments.expand) options.size = rotated_shape(layout.shape, arguments.degrees);
  const Output output(layout.type, options.size.value_or(layout.shape), nb::none());
  call.run([&](const Context& caller) {
    const Context context = planes.device_of(caller);
    Image turned = output.fresh_image();
    rotate(context, planes.one().look_at(context), arguments.degrees, options, turned);
    if (turned.data() != output.samples().data) write(context, turned, output.samples());
  });
  return planes.array_of(output).value;
}

nb::object rotate_of(Call& call, const Given& given) {
  const auto arguments = given.arguments().as<RotateArguments>();
  const Planes planes(call, given["image"], given.channel_axis());
  if (planes.is_one()) return rotate_one(call, planes, arguments);
  const std::vector<Image> turned = call.run([&](const Context& caller) {
    const Context context = planes.device_of(caller);
    std::vector<Image> images = planes.read(context);
    RotateOptions options;
    options.fill = arguments.fill;
    if (arguments.expand) options.size = rotated_shape(images.front().shape(), arguments.degrees);
    for (Image& channel : images) channel = rotate(context, channel, arguments.degrees, options);
    return images;
  });
  return planes.array_of(call, turned).value;
}

using State = std::tuple<std::optional<double>, std::vector<double>, std::vector<double>, double, std::string, bool>;

State state_of(const Skew& skew) {
  return {skew.angle, skew.angles, skew.scores, skew.confidence, std::string(name(skew.method)), skew.sideways};
}

void restore(Skew& skew, const State& state) {
  new (&skew) Skew{};
  std::string method;
  std::tie(skew.angle, skew.angles, skew.scores, skew.confidence, method, skew.sideways) = state;
  skew.method = method == name(DeskewMethod::Closing) ? DeskewMethod::Closing : DeskewMethod::Projection;
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
          nb::sig("def angles(self) -> numpy.typing.NDArray[numpy.float64]"),
          "The angles tried first, rising. Array of float64.")
      .def_prop_ro(
          "scores", [](const Skew& s) { return numpy_array(s.scores.data(), s.scores.size()); },
          nb::sig("def scores(self) -> numpy.typing.NDArray[numpy.float64]"),
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
      .def("_repr_html_",
           [](nb::handle self) { return nb::module_::import_("tamis._notebook").attr("skew_html")(self); })
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
  const Keyword channel_axis{
      "channel_axis", "int", "None", "int",
      "The axis of the channels, beside (y, x); -1 for colour images, of which the luma is looked at."};
  const Keyword return_skew{"return_skew", "bool", "False", "bool", "Returns the Skew too."};
  const auto pair_of = [](const std::string& array) { return "tuple[" + array + ", Skew]"; };
  add_operation(module, operation("skew"),
                {"image max_angle step * method length channel_axis",
                 {channel_axis},
                 "Skew",
                 "Skew\n    Its `angle` is None where neither lines nor text say."},
                skew_of);
  add_operation(module, operation("deskew"),
                {"image max_angle step * method length expand fill channel_axis return_skew",
                 {channel_axis, return_skew},
                 std::string(any_array) + " | " + pair_of(any_array),
                 "array of the type of the image, or (array, Skew)",
                 {{{{"image", same_array}, {"return_skew", is_false}}, same_array},
                  {{{"image", same_array}, {"return_skew", is_true}}, pair_of(same_array)},
                  {{{"return_skew", is_false}}, any_array},
                  {{{"return_skew", is_true}}, pair_of(any_array)},
                  {{}, std::string(any_array) + " | " + pair_of(any_array)}}},
                deskew_of);
  add_operation(module, operation("rotate"),
                {"image degrees * expand fill channel_axis",
                 {},
                 any_array,
                 "array of the type of the image",
                 {{{{"image", same_array}}, same_array}, {{}, any_array}}},
                rotate_of);
}

}  // namespace tamis::python
