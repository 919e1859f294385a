// tamis granulometry: the size distribution of the pores or grains of a scan.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/filter.hpp"
#include "cli/command/shared_work.hpp"
#include "cli/input/several.hpp"
#include "cli/option/granulometry_flags.hpp"
#include "cli/output/map_writer.hpp"
#include "cli/output/sizes_report.hpp"
#include "cli/plot/gnuplot.hpp"
#include "cli/plot/plots.hpp"

namespace tamis::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// `results` are the options of each result, with the names of its own outputs.
void declare_outputs(const GranulometryFlags& flags, const std::vector<GranulometryFlags>& results, Outputs& outputs,
                     const Session& session) {
  for (const std::string& file : flags.files) outputs.protect(file);
  if (flags.region.has_mask_file()) outputs.protect(flags.region.roi);
  const auto declare = [&](const char* option, const std::string& path, std::string_view ending) {
    if (!path.empty()) outputs.declare(option, path, ending);
  };
  for (const auto& [option, path] :
       {std::pair{"--csv", &flags.csv}, {"--summary", &flags.summary}, {"--curves", &flags.curves}}) {
    if (!path->empty()) declare_table(outputs, option, *path);
  }
  declare("--json", flags.json, "");
  declare("--plot", flags.plot, ".svg");
  for (const GranulometryFlags& result : results) {
    declare("--map", result.map, "");
    declare("--map-radius", result.map_radius, "");
    declare("--map-width", result.map_width, "");
    declare("--map-diameter", result.map_diameter, "");
    declare("--picture", result.picture, ".png");
  }
  if (!flags.plot.empty() || !flags.picture.empty()) require_gnuplot(session.cancel);
}

/// The map outputs can hold this image, as far as is known before its largest size is.
void check_maps(const GranulometryFlags& flags, const Input& input, Outputs& outputs) {
  Layout layout = input.layout();
  layout.channels = 1;
  layout.type = Type::U8;
  if (!flags.map.empty()) outputs.check_format(flags.map, layout);
  layout.type = Type::F32;
  for (const std::string& path : {flags.map_radius, flags.map_diameter, flags.map_width}) {
    if (!path.empty()) outputs.check_format(path, layout);
  }
  if (flags.map_width.empty() || flags.asked().by_balls()) return;
  if (!layout.spacing.isotropic(flags.rank_of(layout.shape))) {
    throw InputError(fmt::format("{}: --map-width: voxels of {} are anisotropic and have no one width; wanted --map, "
                                 "--element ball, or cubes, which tamis convert --resample makes",
                                 input.path, spacing_text(layout.spacing, layout.shape.rank)));
  }
}

/// Balls want sides that whole numbers tell: said before the file is read.
void check_balls(const GranulometryFlags& flags, const Input& input) {
  if (!flags.asked().by_balls()) return;
  const Layout& layout = input.layout();
  about_file(input.path, [&] { return whole_sides(layout.spacing, flags.rank_of(layout.shape)); });
}

/// What the sizes say of themselves.
void add_sizes(SizesReport& report, Sizes sizes, const Context& context) {
  report.device = device_text({sizes.device, sizes.gpu});
  report.machine = context.describe(sizes.device);
  report.sizes = std::move(sizes);
}

/// Of what happened on the way.
void take_notes(SizesReport& report, Session& session) {
  report.notes.insert(report.notes.end(), session.notes.begin(), session.notes.end());
  session.notes.clear();
}

void add_remarks(SizesReport& report, const GranulometryFlags& flags) {
  const Sizes& sizes = report.sizes;
  const double left = 100 * sizes.unsieved_share();
  if (report.volume == 0) {
    report.warnings.emplace_back(sizes.grey ? "all samples have the same value" : "the object is empty");
  } else if (sizes.never_empties) {
    report.warnings.push_back(fmt::format(
        "with a neutral border {:.4g} % of the {} never erodes; the statistics leave it out", left, whole_of(sizes)));
  } else if (sizes.limited) {
    report.notes.push_back(
        fmt::format("{:.4g} % of the {} is left after the opening of size {}; the statistics are of "
                    "the rest",
                    left, whole_of(sizes), flags.asked().max_size.value_or(0)));
  }
  if (report.layout.shape.rank == 2 && flags.asked().element.element == GreyElement::Ball) {
    report.notes.emplace_back("balls of an image are disks");
  }
  const std::size_t widths = report.widths().size();
  if (widths != 1) {
    report.notes.push_back(fmt::format(
        "voxels of {} are anisotropic: {}", spacing_text(sizes.spacing, sizes.rank),
        widths == 0 ? "sizes along lines have no width" : "sizes have a width along each axis; balls are round there"));
  }
}

SizesReport report_of(const Input& input, const GranulometryFlags& flags) {
  SizesReport report;
  report.file = input.path;
  report.description = input.description;
  report.layout = input.layout();
  report.phase = flags.asked().phase.phase;
  report.element = flags.element_name();
  report.border = flags.arguments.text("border");
  return report;
}

SizesReport report_of(const Input& input, const Binary& binary, const GranulometryFlags& flags) {
  SizesReport report = report_of(input, flags);
  report.threshold = binary.threshold;
  report.high = binary.high;
  report.method = binary.method;
  report.volume = binary.volume;
  report.domain_volume = binary.domain_volume;
  return report;
}

/// A file of grey values has another way to go than the one that the library names.
[[noreturn]] void teach_grey(const InputError& error) {
  const std::string text = error.what();
  const bool grey = text.find("more than two values") != std::string::npos;
  throw InputError(grey ? text + "; or --grey for sums of grey values" : text);
}

/// One file of grey values from opening to sizes.
SizesReport process_grey(const std::string& path, const GranulometryFlags& flags, const Outputs& outputs,
                         const Context& context, Session& session) {
  const Clock::time_point start = Clock::now();
  session.times.clear();
  Input input = open_input(path, flags.input.read(), flags.region, session.cancel);
  take_as_f32(input, operation("granulometry"), flags.arguments, session);
  outputs.require_apart_from_inputs();
  SizesReport report = report_of(input, flags);
  about_file(path, [&] {
    const Layout& layout = input.layout();
    if (layout.channels > 1) {
      throw InputError(
          fmt::format("{} channels; wanted one: --channel luma, or 0 to {}", layout.channels, layout.channels - 1));
    }
    std::vector<Image> images = read_channels(context, *input.source, false);
    session.times.add("reading", seconds_since(start));
    const Context work = beside(context, images.front().bytes());
    const GranulometryArguments& asked = flags.asked();
    add_sizes(report,
              asked.element.line_angle ? line_granulometry(work, images.front(), asked.line_options())
                                       : grey_granulometry(work, images.front(), asked.grey_options()),
              context);
  });
  report.volume = report.sizes.volume.front();
  report.domain_volume = report.layout.shape.count();
  add_remarks(report, flags);
  report.times = session.times.all();
  take_notes(report, session);
  report.total_seconds = seconds_since(start);
  return report;
}

/// The object of a file, its bits on the host or where a GPU has made them.
struct FileObject {
  Binary on_host;
  std::optional<GpuBinary> on_gpu;

  [[nodiscard]] const Binary& facts() const { return on_gpu ? on_gpu->facts() : on_host; }
};

FileObject object_of(const Context& context, SliceSource& source, const GranulometryFlags& flags,
                     const Region& region) {
  FileObject object;
  const Layout& layout = source.layout();
  try {
    if (context.device == Device::Cuda && !flags.asked().element.line_angle && GpuBinary::fits(context, layout.shape)) {
      object.on_gpu.emplace(context, source, flags.asked().threshold_options(), region);
    } else {
      object.on_host = binarise(context, source, flags.asked().threshold_options(), region);
      object.on_host.object.spacing = layout.spacing;
    }
  } catch (const InputError& error) {
    teach_grey(error);
  }
  return object;
}

Sizes sizes_of(const Context& context, const FileObject& object, const GranulometryFlags& flags) {
  const GranulometryArguments& asked = flags.asked();
  if (object.on_gpu) return granulometry(context, *object.on_gpu, asked.options());
  const Image& bits = object.on_host.object;
  const Image& domain = object.on_host.domain;
  if (asked.element.line_angle) {
    return line_granulometry(beside(context, bits.bytes()), bits, asked.line_options(), domain);
  }
  return granulometry(context, bits, asked.options(), domain);
}

Sizes sizes_and_map_of(const Context& context, const FileObject& object, const GranulometryFlags& flags,
                       MapWriter& writer) {
  const auto start = [&](Type type) { writer.start(type); };
  const auto write = [&](const std::byte* data, std::int64_t z0, std::int64_t count) { writer.write(data, z0, count); };
  if (object.on_gpu) return size_map(context, *object.on_gpu, flags.asked().options(), start, write);
  return size_map(context, object.on_host.object, flags.asked().options(), object.on_host.domain, start, write);
}

void add_balls(SizesReport& report, BallSizes balls, const Context& context) {
  report.by_balls = true;
  report.thickness = balls.thickness;
  report.shortest_side = balls.shortest_side;
  add_sizes(report, std::move(balls.sizes), context);
}

std::vector<std::pair<BallMeasure, std::string>> ball_maps(const GranulometryFlags& flags) {
  return {{BallMeasure::Size, flags.map},
          {BallMeasure::Radius, flags.map_radius},
          {BallMeasure::Width, flags.map_width},
          {BallMeasure::Diameter, flags.map_diameter}};
}

/// Granulometry by balls or disks, with the maps that are wanted, and the plane that a picture needs.
void measure_by_balls(SizesReport& report, const Context& context, const FileObject& object, const GranulometryFlags& flags,
                      Outputs& outputs, const Plane& keep, PictureSlices& slices) {
  const BallOptions options = flags.asked().ball_options();
  BallMapWriter writer(outputs, report.layout, ball_maps(flags), keep);
  const Image& bits = object.on_host.object;
  const Image& domain = object.on_host.domain;
  if (!writer.wanted()) {
    add_balls(report,
              object.on_gpu ? ball_granulometry(context, *object.on_gpu, options)
                            : ball_granulometry(context, bits, options, domain),
              context);
    return;
  }
  const std::optional<BallMeasure> measure = writer.only_measure();
  const auto start = [&](const BallSizes& sizes, Type type) { writer.start(sizes, type, measure.has_value()); };
  const auto write = [&](const std::byte* data, std::int64_t z0, std::int64_t count) { writer.write(data, z0, count); };
  if (measure) {
    add_balls(report,
              object.on_gpu ? ball_map(context, *object.on_gpu, *measure, options, start, write)
                            : ball_map(context, bits, *measure, options, domain, start, write),
              context);
  } else {
    add_balls(report,
              object.on_gpu ? ball_map(context, *object.on_gpu, options, start, write)
                            : ball_map(context, bits, options, domain, start, write),
              context);
  }
  writer.finish();
  const BallMeasure shown = writer.measure_of_plane();
  if (shown != BallMeasure::Size) {
    slices.measure = shown == BallMeasure::Diameter ? "diameter 2R" : shown == BallMeasure::Radius ? "radius R" : "width 2R - 1";
  }
  slices.map = writer.take_plane();
}

/// One file from opening to sizes; its map and picture are written on the way.
SizesReport process(const std::string& path, const GranulometryFlags& flags, Outputs& outputs, const Context& context,
                    Session& session) {
  const Clock::time_point start = Clock::now();
  session.times.clear();
  Input input = open_input(path, flags.input.read(), flags.region, session.cancel);
  outputs.require_apart_from_inputs();
  check_maps(flags, input, outputs);
  check_balls(flags, input);
  PictureSlices slices;
  const Plane plane =
      flags.picture.empty() ? Plane() : about_file(path, [&] { return flags.plane_in(input.layout()); });
  const FileObject object = about_file(path, [&] {
    if (flags.picture.empty()) return object_of(context, *input.source, flags, input.region);
    SliceTap tap(*input.source, plane);
    FileObject tapped = object_of(context, tap, flags, input.region);
    slices.grey = tap.grey();
    return tapped;
  });
  SizesReport report = report_of(input, object.facts(), flags);
  const Layout layout = input.layout();
  input.source.reset();  // from here on the bits are all that is needed

  if (flags.asked().by_balls()) {
    about_file(path, [&] { measure_by_balls(report, context, object, flags, outputs, plane, slices); });
  } else if (flags.map.empty() && flags.map_width.empty() && flags.picture.empty()) {
    add_sizes(report, about_file(path, [&] { return sizes_of(context, object, flags); }), context);
  } else {
    MapWriter writer(outputs, layout, flags.map, flags.map_width, plane);
    add_sizes(report, sizes_and_map_of(context, object, flags, writer), context);
    writer.finish();
    slices.map = writer.take_plane();
  }
  if (!flags.picture.empty()) {
    const Clock::time_point drawing = Clock::now();
    slices.width = plane.width(layout.shape);
    slices.height = plane.height(layout.shape);
    slices.pixel_width = plane.pixel_width(layout.spacing);
    slices.pixel_height = plane.pixel_height(layout.spacing);
    const std::string where = layout.shape.z > 1 ? fmt::format(", {} = {}", plane.axis, plane.index) : "";
    outputs.write_text(flags.picture,
                       picture_png(slices, report, report.title() + where, flags.element_name(), context.cancel));
    session.times.add("drawing", seconds_since(drawing));
  }
  add_remarks(report, flags);
  report.times = session.times.all();
  take_notes(report, session);
  report.total_seconds = seconds_since(start);
  return report;
}

/// The same where several processes share the work. `result` is the number of this one.
SizesReport process_shared(const std::string& path, const GranulometryFlags& flags, std::int64_t result, Outputs& outputs,
                           const Context& context, Session& session) {
  const Clock::time_point start = Clock::now();
  session.times.clear();
  const Input input = open_input(path, flags.input.read(), flags.region, session.cancel);
  outputs.require_apart_from_inputs();
  check_maps(flags, input, outputs);
  check_balls(flags, input);
  SizesReport report = report_of(input, flags);
  const bool by_balls = flags.asked().by_balls();
  MapWriter writer(outputs, report.layout, flags.map, flags.map_width, {});
  BallMapWriter ball_writer(outputs, report.layout, ball_maps(flags), {});
  SharedMap map;
  if (by_balls ? ball_writer.wanted() : !flags.map.empty() || !flags.map_width.empty()) {
    map.start = [&](const SharedSizes& sizes, Type type) {
      if (sizes.balls) return ball_writer.start(*sizes.balls, type);
      writer.start(type);
    };
    map.sink = [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
      if (by_balls) return ball_writer.write(slices, z0, count);
      writer.write(slices, z0, count);
    };
  }
  SharedSizes shared = about_file(path, [&] { return session.shared->measure(context, input, flags, result, map); });
  if (map && by_balls) ball_writer.finish();
  if (map && !by_balls) writer.finish();
  report.threshold = shared.threshold;
  report.high = shared.high;
  report.method = shared.method;
  report.volume = shared.volume;
  report.domain_volume = shared.domain_volume;
  if (shared.resumed > 0) {
    report.notes.push_back(fmt::format("{} of {} slices are those of an earlier run", shared.resumed, input.layout().shape.z));
  }
  report.notes.insert(report.notes.end(), shared.notes.begin(), shared.notes.end());
  if (shared.balls) {
    add_balls(report, std::move(*shared.balls), context);
  } else {
    add_sizes(report, std::move(shared.sizes), context);
  }
  add_remarks(report, flags);
  session.times.add("granulometry", seconds_since(start));
  report.times = session.times.all();
  report.total_seconds = seconds_since(start);
  return report;
}

void print(const std::vector<SizesReport>& reports, const std::vector<std::string>& written) {
  std::string text;
  for (const SizesReport& report : reports) {
    text += header_text(report);
    if (reports.size() > 1) text += statistics_text(report) + '\n';
  }
  text += reports.size() > 1 ? to_table(reports) : '\n' + to_table(reports) + '\n' + statistics_text(reports.front());
  if (!written.empty()) {
    std::string names;
    for (const std::string& name : written) names += (names.empty() ? "" : ", ") + name;
    text += fmt::format("  {:<18}{}\n", "wrote", names);
  }
  fmt::print("{}", text);
  // After the table, before nothing else: both streams may be the same terminal.
  std::fflush(stdout);
  for (const SizesReport& report : reports) {
    for (const std::string& warning : report.warnings) {
      std::fputs(fmt::format("warning: {}: {}\n", report.file, warning).c_str(), stderr);
    }
    for (const std::string& note : report.notes) {
      std::fputs(fmt::format("note: {}: {}\n", report.file, note).c_str(), stderr);
    }
  }
}

void run(const GranulometryFlags& flags, Session& session) {
  const Context context = flags.compute.context(session);
  require_device(context);
  static_cast<void>(context.describe(Device::Cpu));  // an instruction set that is not there is refused here
  Outputs outputs(session);
  const std::vector<GranulometryFlags> results = flags.of_each_result();
  declare_outputs(flags, results, outputs, session);
  std::vector<SizesReport> reports;
  for (const GranulometryFlags& result : results) {
    const std::string& path = result.files.front();
    const auto work = [&] {
      reports.push_back(session.shared       ? process_shared(path, result, &result - results.data(), outputs, context, session)
                        : flags.asked().grey ? process_grey(path, result, outputs, context, session)
                                             : process(path, result, outputs, context, session));
      reports.back().one_of_both = flags.asked().phase.both;
      reports.back().one_of_several = flags.files.size() > 1;
    };
    // Its other phase would say the same.
    if (!session.failures.empty() && session.failures.back().file == path) continue;
    if (done_with(session, flags.keep_going, path, work)) continue;
    outputs.require_apart_from_inputs();  // this is no fault of one file
    for (const std::string& own : result.own_paths()) outputs.discard(own);
  }
  if (reports.empty()) return;
  std::vector<Shape> shapes;
  for (const SizesReport& report : reports) shapes.push_back(report.layout.shape);
  note_slices(session, flags.files, shapes, "granulometry");
  if (!flags.csv.empty()) write_table(outputs, flags.csv, sizes_table(reports));
  if (!flags.summary.empty()) write_table(outputs, flags.summary, summary_table(reports));
  if (!flags.curves.empty()) write_table(outputs, flags.curves, curves_table(reports));
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(reports, session, flags.parameters()));
  if (!flags.plot.empty()) outputs.write_text(flags.plot, plot_svg(reports, context.cancel));
  if (context.cancel.stop_requested()) throw Cancelled();
  const std::vector<std::string> written = outputs.commit();
  if (session.shared) session.shared->finish();
  session.progress.clear();
  if (!flags.compute.quiet) print(reports, written);
}

}  // namespace

void add_granulometry(const Command& program, Session& session) {
  const auto flags = std::make_shared<GranulometryFlags>();
  const Command command = program.add_command("granulometry", operation("granulometry").text);
  flags->add_to(command);
  add_writing(command, session);
  command.run([flags, &session] {
    flags->settle();
    run(*flags, session);
  });
}

}  // namespace tamis::cli
