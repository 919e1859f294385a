// tamis porosimetry: how far a fluid that does not wet gets into the pores.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <tamis/operations/arguments.hpp>
#include <tamis/porosimetry.hpp>
#include <tamis/tamis.hpp>
#include <tamis/operations/words.hpp>

#include "cli/command/commands.hpp"
#include "cli/input/image.hpp"
#include "cli/input/several.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/files.hpp"
#include "cli/output/map_writer.hpp"
#include "cli/output/table.hpp"
#include "cli/plot/gnuplot.hpp"
#include "cli/plot/plots.hpp"

namespace tamis::cli {
namespace {

struct PorosimetryFlags {
  std::vector<std::string> files;
  std::string csv;
  std::string json;
  std::string map;
  std::string map_radius;
  std::string plot;
  Arguments arguments = operation("porosimetry").defaults;
  InputFlags input;
  RegionFlags region;
  ComputeFlags compute;
  bool keep_going = false;
};

/// What each file has an output of its own for.
constexpr std::pair<const char*, std::string PorosimetryFlags::*> own_outputs[] = {
    {"--map", &PorosimetryFlags::map},
    {"--map-radius", &PorosimetryFlags::map_radius},
    {"--plot", &PorosimetryFlags::plot}};

/// What is told of a file.
struct Told {
  std::string file;
  Porosimetry result;
  Layout layout;
  PorosimetryArguments asked;
  std::string machine;

  [[nodiscard]] std::string unit() const { return length_unit(layout.spacing); }
  /// Pa; nothing where the voxel size is not known, or for a radius of 0.
  [[nodiscard]] std::optional<double> pressure(double radius) const {
    return pressure_at(radius, layout.spacing, asked.sigma, asked.theta);
  }
};

Table::Cell pressure_cell(const std::optional<double>& pressure) {
  if (!pressure) return {};
  return std::stod(fmt::format("{:.8g}", *pressure));
}

/// The column `file` comes first where there are several; there are as many columns of lengths as there are units.
Table table_of(const std::vector<Told>& all, bool several) {
  std::vector<std::string> units;
  for (const Told& told : all) {
    if (std::find(units.begin(), units.end(), told.unit()) == units.end()) units.push_back(told.unit());
  }
  Table table{"porosimetry", {}, {}};
  if (several) table.columns.emplace_back("file");
  table.columns.emplace_back("size");
  for (const std::string& unit : units) {
    for (const char* const length : {"radius", "diameter"})
      table.columns.push_back(fmt::format("{} [{}]", length, unit));
  }
  for (const char* const column : {"pressure [Pa]", "invaded", "saturation"}) table.columns.emplace_back(column);
  for (const Told& told : all) {
    const Porosimetry& found = told.result;
    for (std::int64_t n = 0; n < found.rows(); ++n) {
      std::vector<Table::Cell>& row = table.rows.emplace_back();
      if (several) row.emplace_back(told.file);
      row.emplace_back(n);
      for (const std::string& unit : units) {
        const bool own = unit == told.unit();
        row.push_back(own ? rounded_cell(found.radius(n)) : Table::Cell());
        row.push_back(own ? rounded_cell(2 * found.radius(n)) : Table::Cell());
      }
      row.push_back(pressure_cell(told.pressure(found.radius(n))));
      row.emplace_back(found.invaded_at(n));
      row.emplace_back(found.saturation(n));
    }
  }
  return table;
}

nlohmann::ordered_json json_of(const PorosimetryFlags& flags, const Told& told) {
  nlohmann::ordered_json json;
  json["file"] = told.file;
  json["shape"] = to_string(told.layout.shape);
  json["object_volume"] = told.result.volume;
  json["invaded_volume"] = told.result.invaded;
  json["never_reached"] = told.result.never_reached();
  const std::optional<double>& through = told.result.breakthrough;
  json["breakthrough_radius"] = through ? nlohmann::ordered_json(*through) : nlohmann::ordered_json(nullptr);
  json["unit"] = told.unit();
  json["inlet"] = told.asked.inlet.mask.empty()
                      ? to_string(inlet_faces(told.asked.inlet.faces, told.layout.shape.rank))
                      : told.asked.inlet.mask;
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
  return json;
}

std::string json_text(const PorosimetryFlags& flags, const std::vector<Told>& all, const Session& session) {
  nlohmann::ordered_json json;
  if (flags.files.size() == 1) {
    json = json_of(flags, all.front());
  } else {
    for (const Told& told : all) json["files"].push_back(json_of(flags, told));
  }
  add_failures(json, session);
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

void print(const Told& told) {
  const Porosimetry& found = told.result;
  fmt::print("{}: {}, voxel size {}\nran on {}\n\n  {:>5}  {:>12}  {:>12}  {:>14}  {:>10}\n", told.file,
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

/// `results` are the options of each file, with the names of its own outputs.
void declare_outputs(const PorosimetryFlags& flags, const std::vector<PorosimetryFlags>& results, Outputs& outputs,
                     const Session& session) {
  for (const std::string& file : flags.files) outputs.protect(file);
  if (flags.region.has_mask_file()) outputs.protect(flags.region.roi);
  const std::string& mask = flags.arguments.as<PorosimetryArguments>().inlet.mask;
  if (!mask.empty()) outputs.protect(mask);
  if (!flags.csv.empty()) declare_table(outputs, "--csv", flags.csv);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  for (const PorosimetryFlags& result : results) {
    for (const auto& [option, path] : own_outputs) {
      const bool drawn = path == &PorosimetryFlags::plot;
      if (!(result.*path).empty()) outputs.declare(option, result.*path, drawn ? ".svg" : "");
    }
  }
  if (!flags.plot.empty()) require_gnuplot(session.cancel);
}

/// The options of each file, with the names of its own outputs filled in.
std::vector<PorosimetryFlags> of_each_file(const PorosimetryFlags& flags) {
  require_shared_name("--csv", flags.csv);
  require_shared_name("--json", flags.json);
  for (const auto& [option, path] : own_outputs) require_own_name(option, flags.*path, flags.files.size(), false);
  const std::string phase(word_of(flags.arguments.as<PorosimetryArguments>().phase, phases));
  std::vector<PorosimetryFlags> results;
  for (const std::string& file : flags.files) {
    PorosimetryFlags& one = results.emplace_back(flags);
    one.files = {file};
    for (const auto& [option, path] : own_outputs) one.*path = filled_in(one.*path, {plain_name(file), phase});
  }
  return results;
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

/// One file from opening to its table; its maps and its plot are written on the way.
Told process(const PorosimetryFlags& flags, Outputs& outputs, const Context& context, Session& session) {
  const std::string& path = flags.files.front();
  const auto& asked = flags.arguments.as<PorosimetryArguments>();
  Input input = open_input(path, flags.input.read(), flags.region, session.cancel);
  outputs.require_apart_from_inputs();
  const Layout layout = input.layout();
  if (!flags.map.empty()) outputs.check_format(flags.map, {Type::U8, layout.shape, 1, layout.spacing});
  if (!flags.map_radius.empty()) outputs.check_format(flags.map_radius, {Type::F32, layout.shape, 1, layout.spacing});
  about_file(path, [&] { return whole_sides(layout.spacing, layout.shape.rank); });
  const Image inlet = inlet_of(context, flags, input, session);
  Binary binary =
      about_file(path, [&] { return binarise(context, *input.source, asked.threshold_options(), input.region); });
  binary.object.spacing = layout.spacing;
  BallMapWriter writer(outputs, layout, {{BallMeasure::Size, flags.map}, {BallMeasure::Radius, flags.map_radius}}, {});
  const Context work = beside(context, binary.object.bytes());
  PorosimetryOptions options = asked.options();
  options.pores = !flags.plot.empty();
  Porosimetry result = about_file(path, [&] {
    if (!writer.wanted()) return porosimetry(work, binary.object, options, binary.domain, inlet);
    return invasion_map(
        work, binary.object, options, binary.domain, inlet,
        [&](const BallSizes& sizes, Type squares) { writer.start(sizes, squares); },
        [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { writer.write(slices, z0, count); });
  });
  writer.finish();
  if (!flags.plot.empty()) outputs.write_text(flags.plot, porosimetry_svg(result, layout.spacing, context.cancel));
  return {path, std::move(result), layout, asked, context.describe(result.balls.sizes.device)};
}

void run(const PorosimetryFlags& flags, Session& session) {
  const Context context = flags.compute.context(session);
  require_device(context);
  Outputs outputs(session);
  const std::vector<PorosimetryFlags> results = of_each_file(flags);
  declare_outputs(flags, results, outputs, session);
  std::vector<Told> all;
  for (const PorosimetryFlags& result : results) {
    const auto work = [&] { all.push_back(process(result, outputs, context, session)); };
    if (done_with(session, flags.keep_going, result.files.front(), work)) continue;
    outputs.require_apart_from_inputs();  // this is no fault of one file
    for (const auto& [option, path] : own_outputs) {
      if (!(result.*path).empty()) outputs.discard(result.*path);
    }
  }
  if (all.empty()) return;
  std::vector<Shape> shapes;
  for (const Told& told : all) shapes.push_back(told.layout.shape);
  note_slices(session, flags.files, shapes, "porosimetry");
  if (!flags.csv.empty()) write_table(outputs, flags.csv, table_of(all, flags.files.size() > 1));
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(flags, all, session));
  outputs.commit();
  session.progress.clear();
  if (flags.compute.quiet) return;
  for (const Told& told : all) print(told);
  std::fflush(stdout);
}

}  // namespace

void add_porosimetry(const Command& program, Session& session) {
  const auto flags = std::make_shared<PorosimetryFlags>();
  const Command command = program.add_command("porosimetry", operation("porosimetry").text);
  command.add_arguments({"FILE", "FILE", "images or volumes; several make one table"}, flags->files);
  add_parameters(command, operation("porosimetry"), flags->arguments);
  add_output(
      command, "--csv", flags->csv,
      "the table: size, radius [um], diameter [um], pressure [Pa], invaded, saturation; a workbook where it ends in "
      ".xlsx");
  add_output(command, "--json", flags->json, "the table, breakthrough and what is never reached");
  add_output(command, "--map", flags->map,
             "at every voxel the least whole number that is no less than its invasion radius" + std::string(written_formats));
  add_output(command, "--map-radius", flags->map_radius,
             "at every voxel the invasion radius, f32; 0 where nothing comes");
  add_output(command, "--plot", flags->plot,
             "saturation against radius, and beside it what all pores hold by their own sizes, SVG");
  flags->region.add_to(command);
  flags->input.add_to(command);
  flags->compute.add_to(command);
  add_keep_going(command, flags->keep_going);
  add_writing(command, session);
  command.show_examples(examples_text(operation("porosimetry")));
  command.run([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
