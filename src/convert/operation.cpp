// What people and front ends have to know of convert and resample.
#include "operations.hpp"

#include <fmt/format.h>
#include <tamis/operations/arguments.hpp>

#include "core/operation/operation.hpp"

namespace tamis {
namespace {

constexpr Choice<Type> targets[] = {{"u8", Type::U8}, {"u16", Type::U16}, {"i16", Type::I16}, {"f32", Type::F32}};
constexpr Choice<Interpolation> interpolations[] = {
    {"nearest", Interpolation::Nearest}, {"linear", Interpolation::Linear}, {"cubic", Interpolation::Cubic}};

OperationDescription described_resample() {
  OperationDescription resample;
  resample.name = "resample";
  resample.text = "make voxels of other sides; the image keeps its length";
  resample.details =
      "Samples of the result lie in the middles of the new voxels, the outer edges at the low ends stay where they are. "
      "Where voxels become larger, what is smaller than they are is left to chance.";
  resample.takes = {{"image", {}, "the image or volume"}};
  resample.gives = {{"out", {}, ""}};
  resample.reach = Reach::Window;
  resample.refuses =
      "voxels whose sides are not known, and where there is something between bits or 64-bit whole numbers";
  resample.python =
      ">>> import numpy, tamis\n"
      ">>> wide = tamis.resample(numpy.array([[0, 10, 20]], numpy.uint8), \"1um\", spacing=(1, 2), unit=\"um\")\n"
      ">>> wide.tolist(), wide.spacing, wide.unit\n"
      "([[0, 3, 8, 13, 18, 20]], (1.0, 1.0), 'um')\n";
  return describe(std::move(resample), ResampleArguments(), "Resampling",
                  parameter(&ResampleArguments::interpolation, "interpolation")
                      .choices(interpolations)
                      .text("what lies between samples: nearest, for masks and labels; linear; cubic convolution of Keys "
                            "(a = -1/2, Catmull-Rom). Nothing is smoothed before. Without it linear, of bits nearest")
                      .example("cubic"));
}

}  // namespace

std::vector<OperationDescription> describe_convert() {
  OperationDescription convert;
  convert.name = "convert";
  convert.text = "write an image in another format or sample type";
  convert.details =
      "Without a window values are kept: rounded half away from zero and clamped to the range of the type. With one, LO "
      "to HI becomes the whole range of an integer type, or 0 to 1 for f32, linearly, clamped.";
  convert.takes = {{"image", {}, "the image or volume"}};
  convert.gives = {{"out", {Type::U8, Type::U16, Type::I16, Type::F32}, ""}};
  convert.reach = Reach::Sample;
  convert.refuses = "NaN that would become an integer without a window (with one it becomes 0), and for other types";
  convert.examples = {"tamis convert scan.tif scan.h5:/volume --spacing 2.5um",
                      "tamis convert scan_f32.tif scan_u8.tif --as u8 --window -0.2:1.4",
                      "tamis convert scan.tif cubes.tif --resample 2um --interpolation cubic",
                      "tamis convert scan.tif corner.npy --crop 0:100,0:100,0:100"};
  convert.python =
      ">>> import numpy, tamis\n"
      ">>> tamis.convert(numpy.array([[-0.2, 0.5, 1.4]]), \"u8\", (0, 1))\n"
      "array([[  0, 128, 255]], dtype=uint8)\n";
  const auto read_window = [](std::string_view text) {
    const Interval range = parse_interval(text);
    return Window{range.low, range.high};
  };
  const auto print_window = [](const std::optional<Window>& window) {
    return window ? fmt::format("{}:{}", window->low, window->high) : std::string();
  };
  return {describe(
      std::move(convert), ConvertArguments(), "Conversion",
      parameter(&ConvertArguments::type, "as")
          .choices(targets)
          .read_by([](std::string_view text) -> std::optional<Type> {  // uint16 as well as u16
            const std::optional<Type> type = type_from_name(text);
            return parse_choice(type ? name(*type) : text, targets);
          })
          .text("sample type; values are kept, rounded and clamped, unless there is a window; otherwise the type stays")
          .example("u8")
          .positional(),
      parameter(&ConvertArguments::window, "window")
          .kind(ParameterKind::Interval)
          .by(read_window, print_window)
          .text("map these values onto the whole range of the type (0 to 1 for f32)")
          .example("-0.2:1.4")
          .positional()),
          described_resample()};
}

}  // namespace tamis
