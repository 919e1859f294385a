// What people and front ends have to know of orientation, skew, deskew and rotate.
#include "operations.hpp"

#include <fmt/format.h>
#include <tamis/operations/arguments.hpp>
#include <tamis/operations/words.hpp>

#include "core/operation/operation.hpp"

namespace tamis {
namespace {

constexpr Choice<DeskewMethod> methods[] = {
    {"fused", DeskewMethod::Fused}, {"projection", DeskewMethod::Projection}, {"closing", DeskewMethod::Closing}};

const char* const karas =
    "P. Karas, V. Morard, J. Bartovsky, T. Grandpierre, E. Dokladalova, P. Matula, P. Dokladal, \"GPU implementation "
    "of "
    "linear morphological openings with arbitrary angle\", Journal of Real-Time Image Processing 10, 2015.";

Window parse_angles(std::string_view text) {
  const Interval range = parse_interval(text);
  constexpr double all = 180;
  if (range.high - range.low > all) throw InputError("wanted A:B, at most 180 degrees apart");
  return {range.low, range.high};
}

OperationDescription describe_orientation() {
  OperationDescription orientation;
  orientation.name = "orientation";
  orientation.text = "where lines run: openings by segments at many angles";
  orientation.details =
      "At each sample the angle whose opening is the highest, and how much it differs from the others; over the image "
      "how "
      "much the openings remove at each angle. Volumes slice by slice.";
  orientation.takes = {{"image", filter_types(), "the image or volume, which is worked on slice by slice"}};
  orientation.gives = {
      {"orientation", {Type::F32}, "the map of angles, degrees from 0 to 180; NaN where all are equal"},
      {"enhanced", filter_types(), "supremum of the openings, of the type of the image"},
      {"contrast", filter_types(), "supremum - infimum of the openings, of the type of the image"},
      {"spectra", {}, "how much the openings remove at each angle, for each length"}};
  orientation.reach = Reach::Image;
  orientation.examples = {
      "tamis orientation fingerprint.jpg --dark --length 21 --picture ridges.png --rose ridges.svg",
      "tamis orientation texture.png --length 11,21,41,81 --plot texture.svg --csv texture.csv",
      "tamis orientation fibres.tif --lines traced --orientation angles.tif --enhanced fibres_only.tif",
      "tamis orientation page.png --dark --length 250 --angles 81 --range -10:10.25"};
  orientation.refuses =
      "samples that f32 cannot hold, NaN and infinities, colour, borders that traced lines do not have";
  orientation.references = {karas};
  orientation.python = R"(>>> import numpy, tamis
>>> image = numpy.zeros((40, 40), numpy.uint8)
>>> image[numpy.arange(40), 39 - numpy.arange(40)] = 200  # rises to the right
>>> found = tamis.orientation(image, 15, angles=36)
>>> found.dominant
45.0
>>> found.orientation[20, 19], found.enhanced[20, 19], found.contrast[20, 19]
(np.float32(45.0), np.uint8(200), np.uint8(200))
)";
  return describe(
      std::move(orientation), OrientationArguments(), "Segments",
      parameter(&OrientationArguments::lengths, "length")
          .at_least(1)
          .placeholder("L[,L...]")
          .wanted("a length of at least 1, or several as in 11,21,41")
          .text("length of the segments; of several the longest makes the maps, and all have a spectrum")
          .unit("samples")
          .example("21")
          .positional(),
      parameter(&OrientationArguments::angles, "angles")
          .between(1, 32767)
          .text("so many directions, evenly spaced over the range")
          .example("36"),
      parameter(&OrientationArguments::range, "range")
          .kind(ParameterKind::Interval)
          .by(parse_angles, [](const Window& range) { return fmt::format("{}:{}", range.low, range.high); })
          .placeholder("A:B")
          .text("degrees, counter-clockwise as the picture is seen, 0 to the right; B itself is left out")
          .unit("degrees")
          .example("-10:10"),
      parameter(&OrientationArguments::dark, "dark").text("dark lines on bright ground: closings instead of openings"),
      parameter(&OrientationArguments::lines, "lines")
          .choices(line_kinds)
          .text("one digital segment, the same everywhere, or L samples of Bresenham lines that tile the image")
          .example("traced"),
      parameter(&OrientationArguments::border, "border")
          .words({"neutral", "fit"})
          .text("what lies outside: nothing that counts; or, along traced lines, only segments inside count")
          .example("neutral"));
}

template <class Then>
OperationDescription with_search(OperationDescription operation, Then more) {
  const auto search = std::tuple(
      parameter(&DeskewOptions::max_angle, "max_angle")
          .above(0)
          .at_most(45)
          .placeholder("DEGREES")
          .text("how far to either side to look, at most 45")
          .unit("degrees")
          .example("5")
          .positional(),
      parameter(&DeskewOptions::step, "step")
          .above(0)
          .at_most(1)
          .placeholder("DEGREES")
          .text(
              "between the angles that are tried first, at most 1, and so that they are at most 100,000; the answer is "
              "finer")
          .unit("degrees")
          .example("0.5")
          .positional(),
      parameter(&DeskewOptions::method, "method")
          .choices(methods)
          .text(
              "sums of the ink along parallel lines, for text, tables and staves; closings by long segments, for pages "
              "with long lines; or the first, and the second where that knows nothing")
          .example("closing"),
      parameter(&DeskewOptions::length, "length")
          .between(2, 1'000'000)
          .text("closing: samples of a segment; otherwise half of the page's shorter edge")
          .unit("samples")
          .example("400"));
  return std::apply(
      [&](const auto&... parameters) {
        return describe(std::move(operation), DeskewOptions(), "Angle", parameters...);
      },
      std::tuple_cat(search, more));
}

OperationDescription page_operation(std::string name, std::string text) {
  OperationDescription operation;
  operation.name = std::move(name);
  operation.text = std::move(text);
  operation.takes = {{"image", filter_types(), "the page; the pages of a file are turned each on its own"}};
  operation.references = {
      "W. Postl, \"Detection of linear oblique structures and skew scan in digitized documents\", ICPR 1986.", karas};
  return operation;
}

OperationDescription describe_deskew() {
  OperationDescription deskew = page_operation("deskew", "find how far a scanned page is turned, and turn it back");
  deskew.details = "By cubic convolution. A page that lies on its side stays so.";
  deskew.gives = {{"out", filter_types(), "the straight page, of the same type"},
                  {"skew", {}, "the angle, and how sure it is"}};
  deskew.examples = {"tamis deskew scan.png straight.png", "tamis deskew book.tif straight.tif --expand --max-angle 5",
                     "tamis deskew music.png --method closing --plot scores.svg"};
  deskew.refuses =
      "what skew refuses, and where neither lines nor text say how far the page is turned: skew asks first";
  deskew.see_also = {"skew", "rotate"};
  deskew.python = R"(>>> import numpy, tamis
>>> y, x = numpy.mgrid[:400, :600]
>>> page = numpy.where((y + numpy.tan(numpy.radians(3)) * x) % 24 < 8, 0, 255).astype(numpy.uint8)
>>> abs(tamis.skew(tamis.deskew(page)).angle) < 0.1
True
)";
  return with_search(
      std::move(deskew),
      std::tuple(parameter(&DeskewOptions::expand, "expand")
                     .text("make room for the corners; otherwise the page keeps its size")
                     .section("Page"),
                 parameter(&DeskewOptions::fill, "fill")
                     .text("what comes into the corners, in every channel; otherwise the background, the median of the "
                           "page's brighter side or of its darker, whichever is more")
                     .section("Page")
                     .example("255")));
}

/// The program says the angle where deskew has no file to write.
OperationDescription describe_skew() {
  OperationDescription skew = page_operation("skew", "how far a scanned page is turned");
  skew.gives = {{"skew", {}, "the angle, nothing where neither lines nor text say, and how sure it is"}};
  skew.refuses = "samples that f32 cannot hold, volumes, NaN";
  skew.see_also = {"deskew"};
  skew.python = R"(>>> import numpy, tamis
>>> y, x = numpy.mgrid[:400, :600]
>>> page = numpy.where((y + numpy.tan(numpy.radians(3)) * x) % 24 < 8, 0, 255).astype(numpy.uint8)
>>> round(tamis.skew(page).angle, 1)
3.0
)";
  return with_search(std::move(skew), std::tuple());
}

OperationDescription describe_rotate() {
  OperationDescription rotate;
  rotate.name = "rotate";
  rotate.text = "an image turned about its centre, by cubic convolution";
  rotate.takes = {{"image", filter_types(), "the image or volume, which is worked on slice by slice"}};
  rotate.gives = {{"out", filter_types(), "the turned image, of the same type"}};
  rotate.details = "By cubic convolution (Keys 1981, a = -1/2); of bool where the interpolated value is at least 1/2.";
  rotate.refuses = "samples that f32 cannot hold, a fill that is no value of the type";
  rotate.references = {
      "R. Keys, \"Cubic convolution interpolation for digital image processing\", IEEE Trans. ASSP 29, 1981."};
  rotate.see_also = {"deskew"};
  rotate.python = R"(>>> import numpy, tamis
>>> tamis.rotate(numpy.array([[1, 2], [3, 4]], numpy.uint8), 90)
array([[2, 4],
       [1, 3]], dtype=uint8)
)";
  return describe(std::move(rotate), RotateArguments(), "Page",
                  parameter(&RotateArguments::degrees, "degrees")
                      .text("how far, counter-clockwise as the picture is seen")
                      .unit("degrees")
                      .example("3.5")
                      .positional()
                      .required(),
                  parameter(&RotateArguments::expand, "expand")
                      .text("make room for the corners; otherwise the image keeps its size"),
                  parameter(&RotateArguments::fill, "fill").text("what comes into the corners").example("255"));
}

}  // namespace

OrientationOptions OrientationArguments::options() const {
  OrientationOptions options;
  options.lengths = lengths;
  options.angles = {range.low, range.high, angles};
  options.lines = lines;
  options.border = border;
  options.phase = dark ? Phase::Dark : Phase::Bright;
  return options;
}

std::vector<OperationDescription> describe_lines() {
  return {describe_orientation(), describe_deskew(), describe_skew(), describe_rotate()};
}

}  // namespace tamis
