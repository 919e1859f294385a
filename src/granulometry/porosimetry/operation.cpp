// What people and front ends have to know of porosimetry.
#include "operations.hpp"

#include <string>
#include <string_view>

#include <tamis/operations/arguments.hpp>
#include <tamis/porosimetry.hpp>
#include <tamis/operations/words.hpp>

#include "core/door.hpp"
#include "core/operation/operation.hpp"

namespace tamis {
namespace {

constexpr Choice<bool Faces::*> faces[] = {{"z-", &Faces::z_low},  {"z+", &Faces::z_high}, {"y-", &Faces::y_low},
                                           {"y+", &Faces::y_high}, {"x-", &Faces::x_low},  {"x+", &Faces::x_high}};

constexpr Faces all_faces{true, true, true, true, true, true};

/// "z-", "x-,x+", "all", "first".
Faces parse_faces(std::string_view text) {
  if (text == "all") return all_faces;
  if (text == "first") return {};
  Faces chosen;
  while (true) {
    const std::size_t comma = text.find(',');
    try {
      chosen.*parse_choice(text.substr(0, comma), faces) = true;
    } catch (const InputError&) {
      throw InputError("wanted z-, z+, y-, y+, x-, x+, several of them as in x-,x+, or all");
    }
    if (comma == std::string_view::npos) return chosen;
    text.remove_prefix(comma + 1);
  }
}

constexpr Choice<BallConvention> conventions[] = {{"tamis", BallConvention::Tamis},
                                                  {"porespy", BallConvention::Porespy}};
constexpr const char* wanted_inlet = "z-, z+, y-, y+, x-, x+, several of them as in x-,x+, all, first, or the file of a mask";

/// Faces; any other text with a dot, a slash or a colon names a mask.
Inlet parse_inlet(std::string_view text) {
  try {
    return {parse_faces(text)};
  } catch (const InputError&) {
    if (text.find_first_of("./:") == std::string_view::npos) throw InputError(std::string("wanted ") + wanted_inlet);
    return {{}, std::string(text)};
  }
}

std::string print_inlet(const Inlet& inlet) { return inlet.mask.empty() ? to_string(inlet.faces) : inlet.mask; }

}  // namespace

Faces inlet_faces(const Faces& inlet, int rank) {
  door::require_rank(rank, "inlet");
  if (rank == 3) return inlet == Faces{} ? Faces{.z_low = true} : inlet;
  if (inlet == Faces{}) return {.y_low = true};
  if (inlet == all_faces) return {.y_low = true, .y_high = true, .x_low = true, .x_high = true};
  if (inlet.z_low || inlet.z_high) {
    throw InputError("inlet " + to_string(inlet) + " of an image, which has no z; wanted faces along x or y, or all");
  }
  return inlet;
}

std::string to_string(const Faces& chosen) {
  if (chosen == Faces{}) return "first";
  if (chosen == all_faces) return "all";
  std::string text;
  for (const auto& [word, face] : faces) {
    if (chosen.*face) text += (text.empty() ? "" : ",") + std::string(word);
  }
  return text;
}

ThresholdOptions PorosimetryArguments::threshold_options() const { return with_phase(threshold, phase); }

std::vector<OperationDescription> describe_porosimetry() {
  OperationDescription porosimetry;
  porosimetry.name = "porosimetry";
  porosimetry.text = "how far a fluid that does not wet gets into the pores, by radius and pressure";
  porosimetry.details =
      "At every voxel the radius of the largest ball that covers it and gets there from the inlet: drainage, as in "
      "mercury porosimetry. Wide pores behind narrow throats count with the radius of the throat.";
  porosimetry.takes = {{"image", {}, "the image or volume"}};
  porosimetry.gives = {{"invasion", {}, "what is invaded at each radius, and the radius that breaks through"}};
  porosimetry.examples = {
      "tamis porosimetry rock.tif --threshold otsu --phase dark --inlet z- --spacing 2.5um --csv rock.csv",
      "tamis porosimetry foam.tif --threshold otsu --inlet all --map-radius invasion.tif"};
  porosimetry.references = {
      "E. W. Washburn, \"The dynamics of capillary flow\", Physical Review 17, 1921.",
      "M. Hilpert, C. T. Miller, \"Pore-morphology-based simulation of drainage in totally wetting "
      "porous media\", Advances in Water Resources 24, 2001."};
  porosimetry.see_also = {"granulometry", "distance"};
  porosimetry.refuses = "arrays, types and parameters that cannot be used";
  porosimetry.python = R"(>>> import numpy, tamis
>>> rock = numpy.zeros((11, 9, 9), bool)
>>> rock[:3, 3:6, 3:6] = True
>>> rock[3:, 1:8, 1:8] = True
>>> found = tamis.porosimetry(rock, inlet="z-", border="neutral", spacing="2um")
>>> found.saturation, found.breakthrough
(array([1., 1., 0.]), 4.0)

Without the narrow inlet it is wider:

>>> tamis.granulometry(rock, element="ball", border="neutral").curve
array([419, 419, 386, 341,   0])
)";
  return {describe(
      std::move(porosimetry), PorosimetryArguments(), "Invasion",
      parameter(&PorosimetryArguments::threshold, "threshold")
          .kind(ParameterKind::Threshold)
          .by(parse_threshold, print_threshold)
          .text("bright is above V, or above LO and not above HI, or above the value that a method chooses: " +
                threshold_method_names() + "; a file of two values needs none")
          .section("Object")
          .example("otsu")
          .positional(),
      parameter(&PorosimetryArguments::phase, "phase")
          .choices(phases)
          .text("the pores are what lies above the threshold, or the rest")
          .section("Object")
          .example("dark"),
      parameter(&PorosimetryArguments::inlet, "inlet")
          .kind(ParameterKind::Text)
          .by(parse_inlet, print_inlet)
          .wanted(wanted_inlet)
          .placeholder("FACES|FILE")
          .text(
              "where the fluid comes from: faces, which are open, z-, z+, y-, y+, x-, x+, several of them, or all; the "
              "first, z- of a volume and y- of an image; or what is not 0 in a mask")
          .example("z-"),
      parameter(&PorosimetryArguments::border, "border")
          .choices(domain_borders)
          .text("what lies beyond the other faces: background, or nothing")
          .example("neutral"),
      parameter(&PorosimetryArguments::convention, "convention")
          .choices(conventions)
          .text("what counts as a ball: tamis, all that is nearer to its middle than the background; porespy, integer "
                "radii")
          .example("porespy"),
      parameter(&PorosimetryArguments::sigma, "sigma").above(0).unit("N/m").text("surface tension").example("0.48"),
      parameter(&PorosimetryArguments::theta, "theta")
          .between(90, 180)
          .unit("degrees")
          .text("contact angle")
          .example("140"))};
}

}  // namespace tamis
