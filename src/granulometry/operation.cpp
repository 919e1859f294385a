// What people and front ends have to know of granulometry, size_map and thickness.
#include "operations.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tamis/operations/arguments.hpp>
#include <tamis/operations/words.hpp>

#include "core/operation/operation.hpp"
#include "granulometry/plan.hpp"

namespace tamis {
namespace {

const Choice<GreyElement> elements[] = {
    {name(GreyElement::Cross), GreyElement::Cross},     {name(GreyElement::Cube), GreyElement::Cube},
    {name(GreyElement::Square), GreyElement::Square},   {name(GreyElement::Disk), GreyElement::Disk},
    {name(GreyElement::Octagon), GreyElement::Octagon}, {name(GreyElement::Ball), GreyElement::Ball}};
constexpr Choice<BallConvention> conventions[] = {
    {"tamis", BallConvention::Tamis}, {"porespy", BallConvention::Porespy}, {"fiji", BallConvention::Fiji}};
constexpr Choice<BallMeasure> lengths[] = {
    {"diameter", BallMeasure::Diameter}, {"radius", BallMeasure::Radius}, {"width", BallMeasure::Width}};

GrowingElement parse_growing(std::string_view text) {
  constexpr std::string_view line = "line@";
  if (!text.starts_with(line)) {
    for (const Choice<GreyElement>& choice : elements) {
      if (choice.first == text) return {choice.second};
    }
    // What an octagon needs is not known yet, for options come in any order.
    constexpr std::string_view words[] = {"cross", "cube", "square", "disk", "ball", "line@A", "octagon"};
    throw InputError("wanted cross, cube, square, disk, ball, line@A, or octagon with `grey`" +
                     suggestion(text, words));
  }
  const std::optional<double> angle = finite_number(text.substr(line.size()));
  if (!angle) throw InputError("wanted line@A, A in degrees");
  return {GreyElement::Cross, angle};
}

std::string print_growing(const GrowingElement& element) {
  return element.line_angle ? fmt::format("line@{:g}", *element.line_angle) : std::string(name(element.element));
}

PhaseChoice parse_phase(std::string_view text) {
  if (text == "both") return {Phase::Bright, true};
  try {
    return {parse_choice(text, phases)};
  } catch (const InputError&) {
    throw InputError("wanted bright, dark or both");
  }
}

PhaseChoice parse_one_phase(std::string_view text) { return {parse_choice(text, phases)}; }

std::string print_phase(const PhaseChoice& choice) {
  return choice.both ? "both" : std::string(word_of(choice.phase, phases));
}

GrowingElement parse_round(std::string_view text) {
  if (text != "ball" && text != "disk") throw InputError("wanted ball or disk");
  return {parse_choice(text, elements)};
}

auto threshold_parameter() {
  return parameter(&GranulometryArguments::threshold, "threshold")
      .kind(ParameterKind::Threshold)
      .by(parse_threshold, print_threshold)
      .text("bright is above V, or above LO and not above HI, or above the value that a method chooses: " +
            threshold_method_names() + "; an image of two values needs none")
      .section("Object")
      .example("otsu")
      .positional();
}

auto phase_parameter() {
  return parameter(&GranulometryArguments::phase, "phase")
      .kind(ParameterKind::Choice)
      .words({"bright", "dark"})
      .by(parse_one_phase, print_phase)
      .text("the object is what lies above the threshold, or the rest (pores of a scan are mostly dark)")
      .section("Object")
      .example("dark");
}

auto phases_parameter() {
  return phase_parameter()
      .words({"bright", "dark", "both"})
      .by(parse_phase, print_phase)
      .text(
          "the object is what lies above the threshold, or the rest (pores of a scan are mostly dark), or one after "
          "the other in one table");
}

auto convention_parameter() {
  return parameter(&GranulometryArguments::convention, "convention")
      .choices(conventions)
      .text(
          "what counts as a ball or disk of an object: tamis, all that is nearer to its middle than the "
          "background; "
          "porespy, integer radii; fiji, the background itself too")
      .example("fiji");
}

std::vector<std::int64_t> parse_radii(std::string_view text) {
  std::vector<std::int64_t> radii;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<std::int64_t> radius = whole_number(text.substr(0, comma));
    if (!radius || !holds(granulometry_detail::radius_limits, static_cast<double>(*radius))) {
      throw InputError("wanted whole numbers, " + range_text(granulometry_detail::radius_limits) + ", as in 2,4,8");
    }
    radii.push_back(*radius);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(radii.begin(), radii.end());
  radii.erase(std::unique(radii.begin(), radii.end()), radii.end());
  return radii;
}

std::string print_radii(const std::vector<std::int64_t>& radii) { return fmt::format("{}", fmt::join(radii, ",")); }

auto sizes_parameter() {
  return parameter(&GranulometryArguments::sizes, "sizes")
      .kind(ParameterKind::Numbers)
      .by(parse_radii, print_radii)
      .wanted("whole numbers, " + range_text(granulometry_detail::radius_limits) + ", as in 2,4,8")
      .text("only balls or disks of these radii, in shortest sides of a voxel; rows are 0 and these")
      .example("2,4,8");
}

auto border_parameter() {
  return parameter(&GranulometryArguments::border, "border")
      .choices(domain_borders)
      .text("what lies outside: background, which cuts sizes short, or something that never erodes")
      .example("neutral");
}

/// `phase` is that of one object, or of both.
auto parameters(const ParameterOf<GranulometryArguments, PhaseChoice>& phase) {
  return std::tuple(
      threshold_parameter(), phase,
      parameter(&GranulometryArguments::grey, "grey")
          .text("no object: sums of grey values above the lowest, after grey openings; of the dark phase below the "
                "highest, after closings")
          .details("Of u8, u16, i16 and f32 without NaN, on the whole image or a crop.")
          .section("Object"),
      parameter(&GranulometryArguments::element, "element")
          .kind(ParameterKind::Choice)
          .words({"cross", "cube", "square", "disk", "octagon", "ball", "line@A"})
          .by(parse_growing, print_growing)
          .text("the structuring element that grows: octahedron (diamond in 2-D), cube, ball, or square and disk slice "
                "by "
                "slice; with `grey` also octagon; line@A: segments of n pixels along traced lines at A degrees")
          .example("cube"),
      convention_parameter(), sizes_parameter(), border_parameter(),
      parameter(&GranulometryArguments::max_size, "max_size")
          .range(granulometry_detail::size_limits)
          .text("last size; otherwise until nothing is left")
          .excludes({"sizes"})
          .example("40"));
}

OperationDescription with_parameters(OperationDescription operation,
                                     const ParameterOf<GranulometryArguments, PhaseChoice>& phase) {
  return std::apply(
      [&](const auto&... all) { return describe(std::move(operation), GranulometryArguments(), "Sieve", all...); },
      parameters(phase));
}

const Data image{"image", {}, "the image or volume"};

OperationDescription describe_sizes() {
  OperationDescription granulometry;
  granulometry.name = "granulometry";
  granulometry.text = "the size distribution of pores or grains";
  granulometry.details =
      "The object is what is true, of two values the larger; of anything else a threshold makes it. Opening n is n "
      "unit "
      "erosions, then n unit dilations, inside the region. Exact; the same with any number of threads, on any device.";
  granulometry.takes = {image};
  granulometry.gives = {{"sizes", {}, "what each opening leaves, the pattern spectrum and its statistics"}};
  granulometry.examples = {
      "tamis granulometry foam.tif --threshold otsu --csv foam.csv --plot foam.svg",
      "tamis granulometry cement.tif --threshold otsu --phase dark --spacing 2.5um --picture pores.png",
      "tamis granulometry scan_1024x1024x1024_u8.raw --threshold 90 --roi cylinder --memory 2G",
      "tamis granulometry photo.png --grey --element disk --max-size 40 --plot photo.svg",
      "tamis granulometry bone.tif --threshold otsu --element ball --spacing 10um --map-diameter thickness.tif",
      "tamis granulometry before.tif after.tif --threshold 120 --plot both.svg --csv both.csv",
      "tamis granulometry samples/*.tif --threshold otsu --keep-going --summary samples.xlsx --curves curves.csv"};
  granulometry.references = {
      "V. Boulos, V. Fristot, D. Houzet, L. Salvo, P. Lhuissier, \"Investigating performance variations of an "
      "optimized "
      "GPU-ported granulometry algorithm\", DASIP 2012.",
      "P. Maragos, \"Pattern spectrum and multiscale shape representation\", IEEE Trans. PAMI 11, 1989.",
      "T. Hildebrand, P. Ruegsegger, \"A new method for the model-independent assessment of thickness in "
      "three-dimensional "
      "images\", Journal of Microscopy 185, 1997 (balls)."};
  granulometry.see_also = {"size_map"};
  granulometry.refuses = "arrays, types and parameters that cannot be used";
  granulometry.python = R"(>>> import numpy, tamis
>>> image = numpy.zeros((9, 9), bool)
>>> image[1:4, 1:4] = True
>>> image[5, 5] = True
>>> sizes = tamis.granulometry(image, element="square", spacing="2um")
>>> sizes.curve
array([10,  9,  0])
>>> sizes.spectrum
array([1, 9, 0])
>>> sizes.predominant, sizes.width[sizes.predominant]
(1, np.float64(6.0))

Grey values, as they are:

>>> photo = numpy.full((9, 9), 20, numpy.uint8)
>>> photo[1:4, 1:4] = 120
>>> photo[5, 5] = 220
>>> tamis.granulometry(photo, grey=True, element="square").curve
array([1100,  900,    0])
)";
  return with_parameters(std::move(granulometry), phases_parameter());
}

/// Of the command line it is the option --map of granulometry.
OperationDescription describe_size_map() {
  OperationDescription map;
  map.name = "size_map";
  map.text = "at every voxel the size of what it belongs to";
  map.details =
      "The value is the number of the opening that removes the voxel, so n+1 for a voxel of size n, 0 on the "
      "background, "
      "and max_size + 1 for what is left then. Opening n is `size_map > n`.";
  map.takes = {image};
  map.gives = {{"out", {Type::U8, Type::U16, Type::U32}, "the numbers, in the narrowest type that holds them"}};
  map.see_also = {"granulometry"};
  map.refuses =
      "what granulometry refuses, anisotropic voxels that have no one width, an `out` that cannot hold the sizes";
  map.python = R"(>>> import numpy, tamis
>>> image = numpy.zeros((5, 6), bool)
>>> image[1:4, 1:4] = True
>>> image[2, 5] = True
>>> tamis.size_map(image, element="square")
array([[0, 0, 0, 0, 0, 0],
       [0, 2, 2, 2, 0, 0],
       [0, 2, 2, 2, 0, 1],
       [0, 2, 2, 2, 0, 0],
       [0, 0, 0, 0, 0, 0]], dtype=uint8)
)";
  return with_parameters(std::move(map), phase_parameter());
}

/// Of the command line it is granulometry --element ball with --map-diameter and its like.
OperationDescription describe_thickness() {
  OperationDescription thickness;
  thickness.name = "thickness";
  thickness.text = "at every voxel how thick what it belongs to is: the largest ball inside the object that covers it";
  thickness.details =
      "Exact, for all radii at once (local thickness; Hildebrand, Ruegsegger). 0 on the background, "
      "infinite where there is no background.";
  thickness.takes = {image};
  thickness.gives = {{"out", {Type::F32}, "the lengths"}};
  thickness.references = {
      "T. Hildebrand, P. Ruegsegger, \"A new method for the model-independent assessment of thickness in "
      "three-dimensional images\", Journal of Microscopy 185, 1997."};
  thickness.see_also = {"granulometry", "distance"};
  thickness.refuses = "arrays, types and parameters that cannot be used, sides of voxels that are not above 0";
  thickness.python = R"(>>> import numpy, tamis
>>> image = numpy.zeros((5, 7), bool)
>>> image[1:4] = True
>>> tamis.thickness(image, element="disk", measure="width", border="neutral")[:, 3]
array([0., 3., 3., 3., 0.], dtype=float32)
>>> _, found = tamis.thickness(image, element="disk", border="neutral", return_figures=True)
>>> found.mean_diameter, found.largest_width
(4.0, 3.0)
)";
  GranulometryArguments defaults;
  defaults.element = {GreyElement::Ball};
  return describe(std::move(thickness), defaults, "Sieve", threshold_parameter(), phase_parameter(),
                  parameter(&GranulometryArguments::measure, "measure")
                      .choices(lengths)
                      .text("with R the radius of the ball: 2R, as Fiji and BoneJ; R, as PoreSpy; or 2R - 1 shortest "
                            "sides of a voxel, exact for slabs of odd width")
                      .example("width"),
                  parameter(&GranulometryArguments::element, "element")
                      .kind(ParameterKind::Choice)
                      .words({"ball", "disk"})
                      .by(parse_round, print_growing)
                      .text("balls in a volume; disks on an image, and in each slice of a volume")
                      .example("disk"),
                  convention_parameter(), sizes_parameter(), border_parameter());
}

}  // namespace

ThresholdOptions GranulometryArguments::threshold_options() const { return with_phase(threshold, phase.phase); }

GranulometryOptions GranulometryArguments::options() const {
  const GreyElement given = element.element;
  if (!element.line_angle && given != GreyElement::Cross && given != GreyElement::Cube &&
      given != GreyElement::Square) {
    throw InputError(fmt::format("`element {}`: wanted cross, cube, square, ball or disk, or `grey`", name(given)));
  }
  GranulometryOptions options;
  options.element = given == GreyElement::Cube     ? Element::Cube
                    : given == GreyElement::Square ? Element::Square
                                                   : Element::Cross;
  options.border = border;
  options.max_size = max_size;
  return options;
}

std::vector<OperationDescription> describe_granulometry() {
  return {describe_sizes(), describe_size_map(), describe_thickness()};
}

}  // namespace tamis
