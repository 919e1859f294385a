#include "cli/option/granulometry_flags.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/operations/words.hpp>

#include "cli/input/several.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/files.hpp"

namespace tamis::cli {
namespace {

void add_output_options(const Command& command, GranulometryFlags& flags) {
  const auto add = [&command](const char* option, std::string& target, const std::string& description) {
    add_output(command, option, target, description);
  };
  add("--csv", flags.csv,
      "the table: size, width [um], volume, fraction, spectrum, element, border; the figures come by --summary; a "
      "workbook where it ends in .xlsx");
  add("--summary", flags.summary,
      "a table with one row a file: phase, threshold, porosity and the figures, in voxels and in units; .csv or .xlsx");
  add("--curves", flags.curves,
      "the curves of all files side by side, one row a size: what is left and the spectrum, as shares; .csv or .xlsx");
  add("--json", flags.json, "the table, the statistics, the parameters and the times");
  add("--plot", flags.plot, "curve and pattern spectrum, SVG");
  add("--map", flags.map,
      "at every voxel the number of the opening that removes it, 0 on the background" + std::string(written_formats));
  add("--map-radius", flags.map_radius, "of balls: at every voxel the radius of the largest that covers it, f32");
  add("--map-diameter", flags.map_diameter,
      "of balls: twice the radius, which is the thickness of Fiji and BoneJ, f32");
  add("--map-width", flags.map_width, "at every voxel the width of the largest element that holds it, f32");
  add("--picture", flags.picture, "a slice beside its size map in colour, PNG");
  add_slice_option(command, flags.slice);
  add_value(command,
            {"--plane", "x|y|z",
             "the axis that the slice of --picture lies across: z x to the right and y down, y x and z, x y and z",
             "Output", "z"},
            flags.plane_text, [&flags](const std::string& text) {
              if (text != "x" && text != "y" && text != "z") throw InputError("wanted x, y or z");
              flags.plane = text.front();
              return text;
            });
}

/// What each result has a file of its own for.
constexpr std::pair<const char*, std::string GranulometryFlags::*> own_outputs[] = {
    {"--map", &GranulometryFlags::map},
    {"--map-radius", &GranulometryFlags::map_radius},
    {"--map-width", &GranulometryFlags::map_width},
    {"--map-diameter", &GranulometryFlags::map_diameter},
    {"--picture", &GranulometryFlags::picture}};
/// What all results stand in together.
constexpr std::pair<const char*, std::string GranulometryFlags::*> shared_outputs[] = {
    {"--csv", &GranulometryFlags::csv},
    {"--summary", &GranulometryFlags::summary},
    {"--curves", &GranulometryFlags::curves},
    {"--json", &GranulometryFlags::json},
    {"--plot", &GranulometryFlags::plot}};

void require_names(const GranulometryFlags& flags, bool both) {
  for (const auto& [option, path] : shared_outputs) require_shared_name(option, flags.*path);
  for (const auto& [option, path] : own_outputs) require_own_name(option, flags.*path, flags.files.size(), both);
}

template <class Value>
nlohmann::ordered_json text_or_null(const Value& value) {
  if (value.empty()) return nullptr;
  return value;
}

}  // namespace

void GranulometryFlags::add_to(const Command& command) {
  command.add_arguments({"FILE", "FILE", "images or volumes; several make one table"}, files);
  add_parameters(command, operation("granulometry"), arguments);
  region.add_to(command);
  add_output_options(command, *this);
  input.add_to(command);
  compute.add_to(command);
  command.refuse_option("--algorithm", "is no option any more, for the scheme of Boulos et al. 2012 is a program of its own: "
                                       "tamis-papers boulos granulometry FILE");
  add_keep_going(command, keep_going);
  command.show_examples(examples_text(operation("granulometry")));
}

void GranulometryFlags::settle() const {
  const auto refuse = [](bool given, const std::string& what) {
    if (given) throw InputError(what);
  };
  refuse(slice.has_value() && picture.empty(), "--slice: says what --picture shows; wanted --picture too");
  refuse(!plane_text.empty() && picture.empty(),
         "--plane " + plane_text + ": says what --picture shows; wanted --picture too");
  if (asked().by_balls()) {
    return;
  }
  const std::string balls_only = ": of balls only; wanted --element ball or disk";
  refuse(!map_radius.empty(), "--map-radius " + map_radius + balls_only);
  refuse(!map_diameter.empty(), "--map-diameter " + map_diameter + balls_only);
  refuse(!asked().sizes.empty(), "--sizes " + arguments.text("sizes") + balls_only);
  refuse(asked().convention != BallConvention::Tamis, "--convention " + arguments.text("convention") + balls_only);
  if (asked().element.line_angle) {
    const std::string lines = ": along lines there is no ";
    refuse(!map.empty(), "--map " + map + lines + "size map; wanted another --element");
    refuse(!map_width.empty(), "--map-width " + map_width + lines + "size map; wanted another --element");
    refuse(!picture.empty(), "--picture " + picture + lines + "size map; wanted another --element, or --plot");
    refuse(compute.asked().device.device == Device::Cuda,
           "--device " + device_text(compute.asked().device) + ": --element line runs on the CPU; wanted auto or cpu");
  }
  if (asked().grey) {
    const std::string values = ": --grey counts grey values, which have no ";
    refuse(asked().threshold.has_value(),
           "--threshold " + arguments.text("threshold") + values + "threshold; wanted one of the two");
    refuse(!map.empty(), "--map " + map + values + "size map; wanted --threshold");
    refuse(!map_width.empty(), "--map-width " + map_width + values + "size map; wanted --threshold");
    refuse(!picture.empty(), "--picture " + picture + values + "size map; wanted --threshold, or --plot");
    refuse(!region.roi.empty(), "--roi " + region.roi + ": --grey counts the whole image; wanted --crop");
    return;
  }
  static_cast<void>(asked().options());  // refuses elements that only grey values have
}

int GranulometryFlags::rank_of(const Shape& shape) const {
  const GreyElement element = asked().element.element;
  const bool by_slices = element == GreyElement::Square || (asked().by_balls() && element == GreyElement::Disk);
  return asked().element.line_angle || by_slices ? 2 : shape.rank;
}

std::vector<GranulometryFlags> GranulometryFlags::of_each_result() const {
  const PhaseChoice phase = asked().phase;
  require_names(*this, phase.both);
  std::vector<GranulometryFlags> results;
  for (const std::string& file : files) {
    for (const Phase side : {phase.phase, Phase::Dark}) {
      GranulometryFlags& one = results.emplace_back(*this);
      one.files = {file};
      const std::string word = word_of(side, phases);
      one.arguments.set("phase", word);
      for (const auto& [option, path] : own_outputs) one.*path = filled_in(one.*path, {plain_name(file), word});
      if (!phase.both) break;
    }
  }
  return results;
}

std::vector<std::string> GranulometryFlags::own_paths() const {
  std::vector<std::string> paths;
  for (const auto& [option, path] : own_outputs) {
    if (!(this->*path).empty()) paths.push_back(this->*path);
  }
  return paths;
}

Plane GranulometryFlags::plane_in(const Layout& layout) const {
  const Shape& shape = layout.shape;
  if (plane != 'z' && shape.rank == 2) {
    throw InputError(fmt::format("--plane {}: of a 2-D image of {}; wanted z", plane, to_string(shape)));
  }
  const std::int64_t count = plane == 'x' ? shape.x : plane == 'y' ? shape.y : shape.z;
  return {plane, slice_in(slice, count)};
}

std::string GranulometryFlags::element_name() const {
  const GrowingElement& element = asked().element;
  return element.line_angle ? fmt::format("line@{:g}", *element.line_angle) : std::string(name(element.element));
}

nlohmann::ordered_json GranulometryFlags::parameters() const {
  nlohmann::ordered_json all;
  all["threshold"] = text_or_null(arguments.text("threshold"));
  all["phase"] = arguments.text("phase");
  all["grey"] = asked().grey;
  all["element"] = element_name();
  all["border"] = arguments.text("border");
  if (asked().by_balls()) all["convention"] = arguments.text("convention");
  if (!asked().sizes.empty()) all["sizes"] = asked().sizes;
  all["max_size"] = asked().max_size ? nlohmann::ordered_json(*asked().max_size) : nullptr;
  all["roi"] = text_or_null(region.roi);
  all["crop"] = text_or_null(region.crop_text);
  all["spacing"] = text_or_null(input.arguments.text("spacing"));
  all["channel"] = text_or_null(input.read().channel);
  all["shape"] = input.read().shape ? nlohmann::ordered_json(to_string(*input.read().shape)) : nullptr;
  all["dtype"] = input.read().dtype ? nlohmann::ordered_json(name(*input.read().dtype)) : nullptr;
  all["byte_order"] = input.arguments.text("byte_order");
  all["device"] = device_text(compute.asked().device);
  all["threads"] = compute.asked().threads.value_or(0);
  all["memory"] = compute.asked().memory.value_or(0);
  all["device_memory"] = compute.asked().device_memory.value_or(0);
  all["simd"] = compute.arguments.text("simd");
  return all;
}

}  // namespace tamis::cli
