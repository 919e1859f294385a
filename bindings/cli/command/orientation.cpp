// tamis orientation: where lines run in an image.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include <nlohmann/json.hpp>

#include <tamis/operations/arguments.hpp>
#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/filter.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/files.hpp"
#include "cli/output/line_reports.hpp"
#include "cli/plot/gnuplot.hpp"
#include "cli/plot/plots.hpp"

namespace tamis::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct OrientationFlags {
  std::string file;
  Arguments arguments = operation("orientation").defaults;
  std::string orientation;
  std::string enhanced;
  std::string contrast;
  std::string picture;
  std::optional<std::int64_t> slice;  ///< of the picture; without it the middle one
  std::string rose;
  std::string plot;
  std::string csv;
  std::string json;
  InputFlags input;
  RegionFlags region;  ///< the crop only
  ComputeFlags compute;

  void add_to(const Command& command);
  [[nodiscard]] nlohmann::ordered_json parameters() const;
};

void OrientationFlags::add_to(const Command& command) {
  command.add_argument({"FILE", "FILE", operation("orientation").takes.front().text}, file);
  add_parameters(command, operation("orientation"), arguments);
  region.add_crop_to(command);
  add_output(command, "--orientation", orientation,
             "the map of angles, degrees from 0 to 180, f32; NaN where all are equal");
  add_output(command, "--picture", picture,
             "a slice in colour, PNG: hue the angle, saturation the contrast, value the image (its negative "
             "with --dark)");
  add_slice_option(command, slice);
  add_output(command, "--enhanced", enhanced, "supremum of the openings, of the type of the image");
  add_output(command, "--contrast", contrast, "supremum - infimum of the openings, of the type of the image");
  add_output(command, "--rose", rose, "how much there is in each direction, SVG");
  add_output(command, "--plot", plot,
             "the angular spectrum and the histogram, SVG; of several lengths a map of angle and length");
  add_output(command, "--csv", csv,
             "the table: length, angle, spectrum, sum, histogram; a workbook where it ends in .xlsx");
  add_output(command, "--json", json, "the same with the dominant angle, the parameters and the times");
  input.add_to(command);
  compute.add_to(command);
  command.show_examples(examples_text(operation("orientation")));
}

nlohmann::ordered_json OrientationFlags::parameters() const {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
  };
  nlohmann::ordered_json all;
  const auto& asked = arguments.as<OrientationArguments>();
  all["length"] = asked.lengths;
  all["angles"] = asked.angles;
  all["range"] = {asked.range.low, asked.range.high};
  all["dark"] = asked.dark;
  all["lines"] = name(asked.lines);
  all["border"] = to_string(asked.border);
  all["crop"] = text_or_null(region.crop_text);
  all["spacing"] = text_or_null(input.arguments.text("spacing"));
  all["channel"] = text_or_null(input.read().channel);
  all["device"] = device_text(compute.asked().device);
  all["threads"] = compute.asked().threads.value_or(0);
  all["simd"] = compute.arguments.text("simd");
  return all;
}

void declare_outputs(const OrientationFlags& flags, Outputs& outputs, const Session& session) {
  outputs.protect(flags.file);
  const auto declare = [&](const char* option, const std::string& path, std::string_view ending) {
    if (!path.empty()) outputs.declare(option, path, ending);
  };
  declare("--orientation", flags.orientation, "");
  declare("--picture", flags.picture, ".png");
  declare("--enhanced", flags.enhanced, "");
  declare("--contrast", flags.contrast, "");
  declare("--rose", flags.rose, ".svg");
  declare("--plot", flags.plot, ".svg");
  if (!flags.csv.empty()) declare_table(outputs, "--csv", flags.csv);
  declare("--json", flags.json, "");
  if (!flags.rose.empty() || !flags.plot.empty()) require_gnuplot(session.cancel);
}

/// The image can be worked on, and the outputs can hold what comes of it.
void check(const OrientationFlags& flags, const Layout& layout, Outputs& outputs) {
  if (layout.channels > 1) {
    throw InputError(
        fmt::format("{} channels; wanted one: --channel luma, or 0 to {}", layout.channels, layout.channels - 1));
  }
  static_cast<void>(slice_in(flags.slice, layout.shape.z));
  Layout angles = layout;
  angles.type = Type::F32;
  if (!flags.orientation.empty()) outputs.check_format(flags.orientation, angles);
  for (const std::string& path : {flags.enhanced, flags.contrast}) {
    if (!path.empty()) outputs.check_format(path, layout);
  }
}

double share_of_numbers(const Image& angles) {
  std::int64_t count = 0;
  for (std::int64_t z = 0; z < angles.shape().z; ++z) {
    for (std::int64_t y = 0; y < angles.shape().y; ++y) {
      const auto* const row = angles.row<float>(z, y);
      count += std::count_if(row, row + angles.shape().x, [](float angle) { return angle == angle; });
    }
  }
  return static_cast<double>(count) / static_cast<double>(angles.shape().count());
}

/// `chosen`: the type of what is chosen among the image's samples.
void write_images(const OrientationFlags& flags, const Context& context, Outputs& outputs, const Image& image,
                  const Orientation& found, const OrientationOptions& options, Type chosen) {
  const auto write = [&](const std::string& path, const std::unique_ptr<SliceSource>& source) {
    if (!path.empty()) copy(context, *source, *outputs.create(path, source->layout()));
  };
  write(flags.orientation, source_of(found.orientation));
  write(flags.enhanced, from_f32(source_of(found.enhanced), chosen));
  write(flags.contrast, source_of(found.contrast));
  if (!flags.picture.empty()) {
    write(flags.picture, orientation_picture(image, found, options.phase, slice_in(flags.slice, image.shape().z)));
  }
}

void run(const OrientationFlags& flags, Session& session) {
  const Clock::time_point start = Clock::now();
  if (flags.slice && flags.picture.empty()) {
    throw InputError("--slice: says what --picture shows; wanted --picture too");
  }
  const OrientationOptions options = flags.arguments.as<OrientationArguments>().options();
  const Context context = flags.compute.context(session);
  require_device(context);
  static_cast<void>(context.describe(Device::Cpu));  // an instruction set that is not there is refused here
  Input input = open_input(flags.file, flags.input.read(), flags.region, session.cancel);
  const Type type = input.layout().type;
  take_as_f32(input, operation("orientation"), flags.arguments, session);
  Outputs outputs(session);
  declare_outputs(flags, outputs, session);
  OrientationReport report;
  report.file = input.path;
  report.description = input.description;
  report.layout = input.layout();
  report.options = options;
  about_file(flags.file, [&] { check(flags, report.layout, outputs); });
  const Image image = std::move(read_for_filter(context, input, false).front());
  session.times.add("reading", seconds_since(start));
  const Context work = beside(context, bytes_of_channels(report.layout));
  Orientation found = about_file(flags.file, [&] { return orientation(work, image, options); });
  report.device = device_text({found.device, context.gpu});
  report.machine = context.describe(found.device);
  report.oriented_share = share_of_numbers(found.orientation);
  report.spectra = std::move(found.spectra);
  report.longest = found.longest;
  report.histogram = found.histogram;
  const Clock::time_point writing = Clock::now();
  write_images(flags, context, outputs, image, found, options, type == Type::F64 ? Type::F32 : type);
  if (!flags.rose.empty()) outputs.write_text(flags.rose, rose_svg(report, context.cancel));
  if (!flags.plot.empty()) outputs.write_text(flags.plot, spectrum_svg(report, context.cancel));
  if (!flags.csv.empty()) write_table(outputs, flags.csv, spectra_table_of(report));
  session.times.add("writing", seconds_since(writing));
  report.times = session.times.all();
  report.total_seconds = seconds_since(start);
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(report, flags.parameters()));
  if (context.cancel.stop_requested()) throw Cancelled();
  const std::vector<std::string> written = outputs.commit();
  session.progress.clear();
  if (flags.compute.quiet) return;
  std::string names;
  for (const std::string& name : written) names += (names.empty() ? "" : ", ") + name;
  fmt::print("{}{}", to_text(report), names.empty() ? "" : fmt::format("  {:<18}{}\n", "wrote", names));
}

}  // namespace

void add_orientation(const Command& program, Session& session) {
  const auto flags = std::make_shared<OrientationFlags>();
  const Command command = program.add_command("orientation", operation("orientation").text);
  flags->add_to(command);
  add_writing(command, session);
  command.run([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
