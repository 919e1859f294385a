// tamis deskew: how far a page is turned, and the page straight.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/filter.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/files.hpp"
#include "cli/output/line_reports.hpp"
#include "cli/plot/gnuplot.hpp"

namespace tamis::cli {
namespace {

constexpr int undecided = 3;

struct DeskewFlags {
  std::string in;
  std::string out;
  std::string csv;
  std::string json;
  std::string plot;
  Arguments arguments = operation("deskew").defaults;
  InputFlags input;
  RegionFlags region;  ///< the crop only
  ComputeFlags compute;
};

/// One slice of a stack. Rows of all types lie one after the other, so it is one piece of memory.
Image page_at(const Image& stack, std::int64_t z) {
  Shape shape = stack.shape();
  shape.z = 1;
  Image page(stack.type(), shape, stack.spacing);
  std::memcpy(page.data(), stack.row<std::byte>(z, 0), static_cast<std::size_t>(page.bytes()));
  return page;
}

void put_page(const Image& page, Image& stack, std::int64_t z) {
  std::memcpy(stack.row<std::byte>(z, 0), page.data(), static_cast<std::size_t>(page.bytes()));
}

/// The channels of one page.
std::vector<Image> channels_at(const std::vector<Image>& stacks, std::int64_t z) {
  std::vector<Image> page;
  for (const Image& stack : stacks) page.push_back(page_at(stack, z));
  return page;
}

std::vector<Skew> find_all(const Context& context, const std::vector<Image>& stacks, const DeskewOptions& options) {
  std::vector<Skew> skews;
  for (std::int64_t z = 0; z < stacks.front().shape().z; ++z) {
    skews.push_back(find_skew(context, page_of(channels_at(stacks, z)), options));
  }
  return skews;
}

/// The extent of all pages of the result: with --expand that of the page that needs most.
Shape shape_of_result(const Shape& stack, const std::vector<Skew>& skews, bool expand) {
  Shape shape = stack;
  if (!expand) return shape;
  for (const Skew& skew : skews) {
    const Shape room = rotated_shape(stack, -skew.angle.value_or(0));
    shape.x = std::max(shape.x, room.x);
    shape.y = std::max(shape.y, room.y);
  }
  return shape;
}

/// Pages whose angle is not known stay as they are.
std::vector<Image> straightened(const Context& context, const std::vector<Image>& stacks,
                                const std::vector<Skew>& skews, const DeskewOptions& options) {
  const Shape shape = shape_of_result(stacks.front().shape(), skews, options.expand);
  std::vector<Image> results;
  for (const Image& stack : stacks) results.emplace_back(stack.type(), shape, stack.spacing);
  for (std::int64_t z = 0; z < shape.z; ++z) {
    const std::vector<Image> page = channels_at(stacks, z);
    const std::vector<double> ground = background(context, page, page_of(page));
    for (std::size_t c = 0; c < page.size(); ++c) {
      RotateOptions turn;
      turn.size = shape;
      turn.fill = options.fill.value_or(ground[c]);
      const double angle = skews[static_cast<std::size_t>(z)].angle.value_or(0);
      put_page(rotate(context, page[c], -angle, turn), results[c], z);
    }
  }
  return results;
}

/// What looked for the angles.
std::string machine_of(const Context& context, const DeskewReport& report) {
  const bool any = std::any_of(report.pages.begin(), report.pages.end(),
                               [](const Skew& page) { return page.device == Device::Cuda; });
  return context.describe(any ? Device::Cuda : Device::Cpu);
}

nlohmann::ordered_json json_of(const Skew& skew) {
  nlohmann::ordered_json json;
  json["angle_degrees"] = skew.angle ? nlohmann::ordered_json(*skew.angle) : nlohmann::ordered_json(nullptr);
  json["confidence"] = skew.confidence;
  json["method"] = name(skew.method);
  json["sideways"] = skew.sideways;
  return json;
}

std::string json_text(const DeskewFlags& flags, const Layout& layout, const DeskewReport& report,
                      const Session& session, const Context& context) {
  nlohmann::ordered_json json;
  json["command"] = "deskew";
  json["file"] = flags.in;
  json["out"] = flags.out.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(flags.out);
  json["shape"] = to_string(layout.shape);
  json["type"] = name(layout.type);
  json["channels"] = layout.channels;
  json["parameters"]["max_angle"] = report.options.max_angle;
  json["parameters"]["step"] = report.options.step;
  json["parameters"]["method"] = name(report.options.method);
  json["pages"] = nlohmann::ordered_json::array();
  for (const Skew& page : report.pages) json["pages"].push_back(json_of(page));
  for (const auto& [stage, seconds] : session.times.all()) json["seconds"][stage] = seconds;
  json["machine"] = machine_of(context, report);
  json["version"] = TAMIS_VERSION;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// What follows the angles where a page was written.
std::string summary(const DeskewFlags& flags, const Layout& layout, const DeskewReport& report, const Session& session,
                    const Context& context, const std::vector<std::string>& written) {
  std::string text = fmt::format("deskew of {}: {} {}{}\n", flags.in, to_string(layout.shape), name(layout.type),
                                 layout.channels > 1 ? fmt::format(", {} channels", layout.channels) : "");
  const auto line = [&](std::string_view label, const std::string& value) {
    text += fmt::format("  {:<14}{}\n", label, value);
  };
  if (report.pages.size() == 1) {
    const Skew& page = report.pages.front();
    line("found by", fmt::format("{}, confidence {:.1f}{}", name(page.method), page.confidence,
                                 page.sideways ? "; the page lies on its side" : ""));
  } else {
    const auto known = [](const Skew& page) { return page.angle.has_value(); };
    line("turned", fmt::format("{} of {} pages", std::count_if(report.pages.begin(), report.pages.end(), known),
                               report.pages.size()));
  }
  std::string spent;
  for (const auto& [stage, seconds] : session.times.all()) {
    spent += fmt::format("{}{} {:.4f} s", spent.empty() ? "" : ", ", stage, seconds);
  }
  line("times", spent);
  line("ran on", machine_of(context, report));
  std::string names;
  for (const std::string& path : written) names += (names.empty() ? "" : ", ") + path;
  line("wrote", names);
  return text;
}

/// Outputs that can be refused before the work starts.
void declare(const DeskewFlags& flags, const Layout& layout, Outputs& outputs, const Session& session) {
  outputs.protect(flags.in);
  if (!flags.out.empty()) outputs.declare("out", flags.out);
  if (!flags.csv.empty()) declare_table(outputs, "--csv", flags.csv);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  if (!flags.plot.empty()) {
    outputs.declare("--plot", flags.plot, ".svg");
    require_gnuplot(session.cancel);
  }
  if (!flags.out.empty()) outputs.check_format(flags.out, layout);
}

/// All pages are in memory, and those that are made; beside them the channels of one page, what is looked at of it, and
/// one page on its way.
void require_room(const Context& context, const Layout& layout, const DeskewFlags& flags) {
  const auto& options = flags.arguments.as<DeskewOptions>();
  Layout made = layout;
  if (options.expand) made.shape = rotated_shape(layout.shape, options.max_angle);
  const std::int64_t all = bytes_of_channels(layout);
  const std::int64_t page = all / layout.shape.z / layout.channels;
  const std::int64_t result = flags.out.empty() ? 0 : bytes_of_channels(made);
  const std::int64_t on_its_way = result / layout.shape.z / layout.channels;
  require_memory(context, "the pages", all + (layout.channels + 1) * page + result + on_its_way);
}

void run(const DeskewFlags& flags, Session& session) {
  const Context context = flags.compute.context(session);
  require_device(context);
  static_cast<void>(context.describe(Device::Cpu));  // an instruction set that is not there is refused here
  ReadOptions read = flags.input.read();
  read.upright = true;  // a page that its scanner has turned is straight, and still lies on its side
  Input input = open_input(flags.in, read, flags.region, session.cancel);
  take_as_f32(input, operation("deskew"), flags.arguments, session);
  Layout layout = input.layout();
  Outputs outputs(session);
  declare(flags, layout, outputs, session);
  about_file(flags.in, [&] { require_room(context, layout, flags); });
  const std::vector<Image> stacks = read_for_filter(context, input, true);
  const auto& options = flags.arguments.as<DeskewOptions>();
  const DeskewReport report{flags.in, options,
                            about_file(flags.in, [&] { return find_all(context, stacks, options); })};
  const bool decided =
      std::any_of(report.pages.begin(), report.pages.end(), [](const Skew& page) { return page.angle.has_value(); });
  const bool writes = decided && !flags.out.empty();
  if (writes) {
    const std::vector<Image> straight =
        about_file(flags.in, [&] { return straightened(context, stacks, report.pages, options); });
    layout.shape.x = straight.front().shape().x;
    layout.shape.y = straight.front().shape().y;
    copy(context, *joined(straight, layout), *outputs.create(flags.out, layout));
  }
  if (!flags.csv.empty()) write_table(outputs, flags.csv, scores_table(report));
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(flags, input.layout(), report, session, context));
  if (!flags.plot.empty()) outputs.write_text(flags.plot, scores_svg(report, context.cancel));
  const std::vector<std::string> written = outputs.commit();
  session.progress.clear();
  fmt::print("{}", decided ? angles_text(report) : "undecided\n");
  if (!decided) session.exit_code = undecided;
  if (writes && !flags.compute.quiet) {
    fmt::print("{}", summary(flags, input.layout(), report, session, context, written));
  }
}

}  // namespace

void add_deskew(const Command& program, Session& session) {
  const OperationDescription& description = operation("deskew");
  const auto flags = std::make_shared<DeskewFlags>();
  const Command command = program.add_command("deskew", description.text);
  command.add_argument({"in", "FILE", description.takes.front().text}, flags->in);
  command.add_optional_argument(
      {"out", "FILE",
       description.gives.front().text + "; without it only the angle is found; the ending chooses the format"},
      flags->out);
  add_parameters(command, description, flags->arguments);
  flags->region.add_crop_to(command);
  add_output(command, "--csv", flags->csv, "the scores of the angles that were tried first");
  add_output(command, "--plot", flags->plot, "the same drawn as SVG");
  add_output(command, "--json", flags->json, "angles, parameters and times, as JSON");
  flags->input.add_to(command);
  flags->compute.add_to(command);
  add_writing(command, session);
  command.show_examples(examples_text(description));
  command.run([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
