#include "granulometry_flags.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tamis::cli {
namespace {

const Choice<GreyElement> elements[] = {
    {name(GreyElement::Cross), GreyElement::Cross},     {name(GreyElement::Cube), GreyElement::Cube},
    {name(GreyElement::Square), GreyElement::Square},   {name(GreyElement::Disk), GreyElement::Disk},
    {name(GreyElement::Octagon), GreyElement::Octagon}, {name(GreyElement::Ball), GreyElement::Ball}};
const Choice<DomainBorder> borders[] = {{name(DomainBorder::Background), DomainBorder::Background},
                                        {name(DomainBorder::Neutral), DomainBorder::Neutral}};
const Choice<Algorithm> algorithms[] = {{name(Algorithm::Recursion), Algorithm::Recursion},
                                        {name(Algorithm::Paper), Algorithm::Paper}};

void add_object_options(CLI::App& app, GranulometryFlags& flags) {
  const auto remember = [&flags](const std::string& text) {
    flags.threshold_text = text;
    return parse_threshold(text);
  };
  add_value(app, "--threshold", "V|LO:HI|METHOD", flags.threshold, remember,
            "bright is above V, or above LO and not above HI, or above the value that a method chooses: " +
                threshold_method_names() + "; a file of two values needs none")
      ->group("Object");
  add_phase(app, flags.phase);
  app.add_flag("--grey", flags.grey,
               "no object: sums of grey values above the lowest, after grey openings; of the dark phase below the "
               "highest, after closings")
      ->group("Object");
}

void add_sieve_options(CLI::App& app, GranulometryFlags& flags) {
  const char* const group = "Sieve";
  GranulometryOptions& options = flags.options;
  add_value(
      app, "--element", "cross|cube|square|disk|octagon|ball|line@A", flags.element,
      [&flags](const std::string& text) {
        flags.line_angle = line_angle_of(text);
        return flags.line_angle ? GreyElement::Cross : parse_choice(text, elements);
      },
      "the structuring element that grows: octahedron (diamond in 2-D), cube, or square slice by slice; with --grey "
      "also disk and octagon, slice by slice, and ball; line@A: segments of n pixels along traced lines at A degrees")
      ->default_str("cross")
      ->group(group);
  add_value(
      app, "--border", "background|neutral", options.border,
      [](const std::string& text) { return parse_choice(text, borders); },
      "what lies outside: background, which cuts sizes short, or something that never erodes")
      ->default_str("background")
      ->group(group);
  add_value(
      app, "--max-size", "N", options.max_size, [](const std::string& text) { return parse_integer(text, 0); },
      "last size; otherwise until nothing is left")
      ->group(group);
  add_value(
      app, "--algorithm", "recursion|paper", options.algorithm,
      [](const std::string& text) { return parse_choice(text, algorithms); },
      "recursion is the fast one, paper that of Boulos et al. 2012; the result is the same")
      ->default_str("recursion")
      ->group(group);
}

void add_output_options(CLI::App& app, GranulometryFlags& flags) {
  const auto add = [&app](const char* option, std::string& target, const char* description) {
    add_output(app, option, target, description);
  };
  add("--csv", flags.csv, "the table: size,width,volume,fraction,spectrum");
  add("--json", flags.json, "the table, the statistics, the parameters and the times");
  add("--plot", flags.plot, "curve and pattern spectrum, SVG");
  add("--map", flags.map,
      "at every voxel the number of the opening that removes it, 0 on the background; .tif, .npy, .raw, .h5:/name");
  add("--map-width", flags.map_width, "at every voxel the width of the largest element that holds it, f32");
  add("--picture", flags.picture, "the middle slice beside its size map in colour, PNG");
}

template <class Value>
nlohmann::ordered_json text_or_null(const Value& value) {
  if (value.empty()) return nullptr;
  return value;
}

}  // namespace

void GranulometryFlags::add_to(CLI::App& app) {
  app.add_option("FILE", files,
                 "images or volumes: TIFF, folders of slices, raw, raw.gz, HDF5 (file.h5:/name), npy, PNG, JPEG, PNM; "
                 "several make one table")
      ->required()
      ->type_name("FILE");
  add_object_options(app, *this);
  add_sieve_options(app, *this);
  region.add_to(app);
  add_output_options(app, *this);
  input.add_to(app);
  compute.add_to(app);
  app.footer(
      "tamis granulometry foam.tif --threshold otsu --csv foam.csv --plot foam.svg\n"
      "tamis granulometry cement.tif --threshold otsu --phase dark --spacing 2.5um --picture pores.png\n"
      "tamis granulometry scan_1024x1024x1024_u8.raw --threshold 90 --roi cylinder --memory 2G\n"
      "tamis granulometry photo.png --grey --element disk --max-size 40 --plot photo.svg\n"
      "tamis granulometry before.tif after.tif --threshold 120 --plot both.svg --csv both.csv");
}

void GranulometryFlags::settle() {
  const auto refuse = [](bool given, const std::string& what) {
    if (given) throw InputError(what);
  };
  if (line_angle) {
    const std::string lines = ": along lines there is no ";
    refuse(!map.empty(), "--map " + map + lines + "size map; wanted another --element");
    refuse(!map_width.empty(), "--map-width " + map_width + lines + "size map; wanted another --element");
    refuse(!picture.empty(), "--picture " + picture + lines + "size map; wanted another --element, or --plot");
    refuse(options.algorithm == Algorithm::Paper, "--algorithm paper" + lines + "such choice; wanted recursion");
    refuse(compute.device.device == Device::Cuda,
           "--device " + device_text(compute.device) + ": --element line runs on the CPU; wanted auto or cpu");
  }
  if (grey) {
    const std::string values = ": --grey counts grey values, which have no ";
    refuse(!threshold_text.empty(), "--threshold " + threshold_text + values + "threshold; wanted one of the two");
    refuse(!map.empty(), "--map " + map + values + "size map; wanted --threshold");
    refuse(!map_width.empty(), "--map-width " + map_width + values + "size map; wanted --threshold");
    refuse(!picture.empty(), "--picture " + picture + values + "size map; wanted --threshold, or --plot");
    refuse(!region.roi.empty(), "--roi " + region.roi + ": --grey counts the whole image; wanted --crop");
    refuse(options.algorithm == Algorithm::Paper, "--algorithm paper: is one for objects; wanted --threshold");
    return;
  }
  const std::string text = word_of(element, elements);
  refuse(element == GreyElement::Disk || element == GreyElement::Octagon || element == GreyElement::Ball,
         "--element " + text + ": wanted cross, cube or square, or --grey");
  options.element = element == GreyElement::Cross  ? Element::Cross
                    : element == GreyElement::Cube ? Element::Cube
                                                   : Element::Square;
}

ThresholdOptions GranulometryFlags::threshold_options() const {
  ThresholdOptions chosen = threshold;
  chosen.phase = phase;
  return chosen;
}

int GranulometryFlags::rank_of(const Shape& shape) const {
  return line_angle || options.element == Element::Square ? 2 : shape.rank;
}

std::string GranulometryFlags::element_name() const {
  return line_angle ? fmt::format("line@{:g}", *line_angle) : std::string(name(element));
}

nlohmann::ordered_json GranulometryFlags::parameters() const {
  nlohmann::ordered_json all;
  all["threshold"] = text_or_null(threshold_text);
  all["phase"] = word_of(phase, phases);
  all["grey"] = grey;
  all["element"] = element_name();
  all["border"] = name(options.border);
  all["algorithm"] = name(options.algorithm);
  all["max_size"] = options.max_size ? nlohmann::ordered_json(*options.max_size) : nullptr;
  all["roi"] = text_or_null(region.roi);
  all["crop"] = text_or_null(region.crop_text);
  all["spacing"] = text_or_null(input.spacing_text);
  all["channel"] = text_or_null(input.read.channel);
  all["shape"] = input.read.shape ? nlohmann::ordered_json(to_string(*input.read.shape)) : nullptr;
  all["dtype"] = input.read.dtype ? nlohmann::ordered_json(name(*input.read.dtype)) : nullptr;
  all["byte_order"] = word_of(input.read.byte_order, byte_orders);
  all["device"] = device_text(compute.device);
  all["threads"] = compute.threads;
  all["memory"] = compute.memory_bytes;
  all["device_memory"] = compute.device_memory_bytes;
  all["simd"] = word_of(compute.simd, simds);
  return all;
}

}  // namespace tamis::cli
