// What people and front ends have to know of convert.
#include "convert/operation.hpp"

#include <fmt/format.h>
#include <tamis/arguments.hpp>

#include "core/operation.hpp"

namespace tamis {
namespace {

constexpr Choice<Type> targets[] = {{"u8", Type::U8}, {"u16", Type::U16}, {"i16", Type::I16}, {"f32", Type::F32}};

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
          .text("sample type; values are kept, rounded and clamped, unless there is a window; otherwise the type stays")
          .example("u8")
          .positional(),
      parameter(&ConvertArguments::window, "window")
          .kind(ParameterKind::Interval)
          .by(read_window, print_window)
          .text("map these values onto the whole range of the type (0 to 1 for f32)")
          .example("-0.2:1.4")
          .positional())};
}

}  // namespace tamis
