// tamis porosimetry: how far a fluid that does not wet gets into the pores.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <tamis/arguments.hpp>
#include <tamis/porosimetry.hpp>
#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/input/image.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/ball_map_writer.hpp"
#include "cli/output/files.hpp"
#include "cli/plot/gnuplot.hpp"
#include "cli/plot/porosimetry_plot.hpp"

namespace tamis::cli {
namespace {

struct PorosimetryFlags {
  std::string in;
  std::string csv;
  std::string json;
  std::string map;
  std::string map_radius;
  std::string plot;
  Arguments arguments = operation("porosimetry").defaults;
  InputFlags input;
  RegionFlags region;
  ComputeFlags compute;
};

/// What is told of a run.
struct Told {
  const Porosimetry& result;
  Layout layout;
  PorosimetryArguments asked;
  std::string machine;

  [[nodiscard]] std::string unit() const { return layout.spacing.known() ? layout.spacing.unit : "voxels"; }
  /// Pa; nothing where the voxel size is not known, or for a radius of 0.
  [[nodiscard]] std::optional<double> pressure(double radius) const {
    return pressure_at(radius, layout.spacing, asked.sigma, asked.theta);
  }
};

std::string csv_text(const Told& told) {
  const Porosimetry& found = told.result;
  std::string text = "size,radius,diameter,pressure,invaded,saturation\n";
  for (std::int64_t n = 0; n < found.rows(); ++n) {
    const std::optional<double> pressure = told.pressure(found.radius(n));
    text += fmt::format("{},{:.12g},{:.12g},{},{},{}\n", n, found.radius(n), 2 * found.radius(n),
                        pressure ? fmt::format("{:.8g}", *pressure) : "", found.invaded_at(n), found.saturation(n));
  }
  return text;
}

std::string json_text(const PorosimetryFlags& flags, const Told& told) {
  nlohmann::ordered_json json;
  json["file"] = flags.in;
  json["shape"] = to_string(told.layout.shape);
  json["object_volume"] = told.result.volume;
  json["invaded_volume"] = told.result.invaded;
  json["never_reached"] = told.result.never_reached();
  const std::optional<double>& through = told.result.breakthrough;
  json["breakthrough_radius"] = through ? nlohmann::ordered_json(*through) : nlohmann::ordered_json(nullptr);
  json["unit"] = told.unit();
  json["inlet"] = flags.arguments.text("inlet");
  json["border"] = flags.arguments.text("border");
  json["convention"] = flags.arguments.text("convention");
  json["roi"] = flags.region.roi;
  json["sigma"] = told.asked.sigma;
  json["theta"] = told.asked.theta;
  for (const char* const column : {"size", "radius", "pressure", "invaded", "saturation"}) {
    json[column] = nlohmann::ordered_json::array();
  }
  for (std::int64_t n = 0; n < told.result.rows(); ++n) {
    const std::optional<double> pressure = told.pressure(told.result.radius(n));
    json["size"].push_back(n);
    json["radius"].push_back(told.result.radius(n));
    json["pressure"].push_back(pressure ? nlohmann::ordered_json(*pressure) : nlohmann::ordered_json(nullptr));
    json["invaded"].push_back(told.result.invaded_at(n));
    json["saturation"].push_back(told.result.saturation(n));
  }
  json["machine"] = told.machine;
  json["version"] = TAMIS_VERSION;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string breakthrough_text(const Told& told) {
  const std::optional<double>& radius = told.result.breakthrough;
  if (!radius) return "none reaches the opposite face";
  const std::optional<double> pressure = told.pressure(*radius);
  return fmt::format("radius {:.6g} {}{}", *radius, unit_text(told.unit()),
                     pressure ? fmt::format(" at {:.6g} Pa", *pressure) : "");
}

void print(const PorosimetryFlags& flags, const Told& told) {
  const Porosimetry& found = told.result;
  fmt::print("{}: {}, voxel size {}\nran on {}\n\n  {:>5}  {:>12}  {:>12}  {:>14}  {:>10}\n", flags.in,
             to_string(told.layout.shape), spacing_text(told.layout.spacing, told.layout.shape.rank), told.machine,
             "size", "radius/" + unit_text(told.unit()), "pressure/Pa", "invaded", "saturation");
  for (std::int64_t n = 0; n < found.rows(); ++n) {
    const std::optional<double> pressure = told.pressure(found.radius(n));
    fmt::print("  {:>5}  {:>12.6g}  {:>12}  {:>14}  {:>10.6f}\n", n, found.radius(n),
               pressure ? fmt::format("{:.6g}", *pressure) : "-", found.invaded_at(n), found.saturation(n));
  }
  fmt::print("\n  breakthrough      {}\n  never reached     {:.4g} % of the pores\n", breakthrough_text(told),
             100 * found.never_reached());
}

void declare_outputs(const PorosimetryFlags& flags, const PorosimetryArguments& asked, const Layout& layout,
                     Outputs& outputs, const Session& session) {
  outputs.protect(flags.in);
  if (flags.region.has_mask_file()) outputs.protect(flags.region.roi);
  if (!asked.inlet.mask.empty()) outputs.protect(asked.inlet.mask);
  for (const auto& [option, path] : {std::pair{"--csv", flags.csv},
                                     {"--json", flags.json},
                                     {"--map", flags.map},
                                     {"--map-radius", flags.map_radius}}) {
    if (!path.empty()) outputs.declare(option, path);
  }
  if (!flags.plot.empty()) {
    outputs.declare("--plot", flags.plot, ".svg");
    require_gnuplot(session.cancel);
  }
  if (!flags.map.empty()) outputs.check_format(flags.map, {Type::U8, layout.shape, 1, layout.spacing});
  if (!flags.map_radius.empty()) outputs.check_format(flags.map_radius, {Type::F32, layout.shape, 1, layout.spacing});
}

/// The bits of the inlet's mask; empty where faces are the inlet.
Image inlet_of(const Context& context, const PorosimetryFlags& flags, const Input& input, const Session& session) {
  const std::string& path = flags.arguments.as<PorosimetryArguments>().inlet.mask;
  if (path.empty()) return {};
  return about_file("--inlet " + path, [&] {
    const auto mask = open_mask(path, flags.input.read(), input, flags.region, session.cancel);
    return inlet_of_mask(context, input.layout(), *mask);
  });
}

void run(const PorosimetryFlags& flags, Session& session) {
  const auto& asked = flags.arguments.as<PorosimetryArguments>();
  Context context = flags.compute.context(session);
  context.device = Device::Cpu;
  require_device(context);
  Input input = open_input(flags.in, flags.input.read(), flags.region, session.cancel);
  const Layout layout = input.layout();
  Outputs outputs(session);
  declare_outputs(flags, asked, layout, outputs, session);
  about_file(flags.in, [&] { return whole_sides(layout.spacing, layout.shape.rank); });
  const Image inlet = inlet_of(context, flags, input, session);
  Binary binary =
      about_file(flags.in, [&] { return binarise(context, *input.source, asked.threshold_options(), input.region); });
  binary.object.spacing = layout.spacing;
  BallMapWriter writer(outputs, layout, {{BallMeasure::Size, flags.map}, {BallMeasure::Radius, flags.map_radius}}, -1);
  const Context work = beside(context, binary.object.bytes());
  PorosimetryOptions options = asked.options();
  options.pores = !flags.plot.empty();
  const Porosimetry result = about_file(flags.in, [&] {
    if (!writer.wanted()) return porosimetry(work, binary.object, options, binary.domain, inlet);
    return invasion_map(
        work, binary.object, options, binary.domain, inlet,
        [&](const BallSizes& sizes, Type squares) { writer.start(sizes, squares); },
        [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { writer.write(slices, z0, count); });
  });
  writer.finish();
  const Told told{result, layout, asked, context.describe(Device::Cpu)};
  if (!flags.csv.empty()) outputs.write_text(flags.csv, csv_text(told));
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(flags, told));
  if (!flags.plot.empty()) outputs.write_text(flags.plot, porosimetry_svg(result, layout.spacing, context.cancel));
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) print(flags, told);
}

}  // namespace

void add_porosimetry(const Command& program, Session& session) {
  const auto flags = std::make_shared<PorosimetryFlags>();
  const Command command = program.add_command("porosimetry", operation("porosimetry").text);
  command.add_argument({"in", "FILE", "the image or volume"}, flags->in);
  add_parameters(command, operation("porosimetry"), flags->arguments);
  add_output(command, "--csv", flags->csv, "the table: size,radius,diameter,pressure,invaded,saturation");
  add_output(command, "--json", flags->json, "the table, breakthrough and what is never reached");
  add_output(command, "--map", flags->map,
             "at every voxel the least whole number that is no less than its invasion radius");
  add_output(command, "--map-radius", flags->map_radius,
             "at every voxel the invasion radius, f32; 0 where nothing comes");
  add_output(command, "--plot", flags->plot,
             "saturation against radius, and beside it what all pores hold by their own sizes, SVG");
  flags->region.add_to(command);
  flags->input.add_to(command);
  flags->compute.add_cpu_to(command);
  command.show_examples(examples_text(operation("porosimetry")));
  command.run([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
