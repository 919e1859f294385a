// tamis deskew: how far a page is turned, and the page straight.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/filter.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/report.hpp"
#include "cli/output/table.hpp"
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

/// What was found, page by page.
struct DeskewReport {
  std::string file;
  DeskewOptions options;
  std::vector<Skew> pages;
};

// Okabe and Ito: told apart by every kind of colour vision.
constexpr std::array<std::string_view, 6> colours{"#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C"};
constexpr std::string_view marked = "#D55E00";
constexpr std::size_t title_letters = 56;
/// Legends of more pages would leave no room for the curves.
constexpr std::size_t most_named = 12;

/// Rounded first, so that there is no -0.000.
std::string angle_text(const Skew& page) {
  if (!page.angle) return "undecided";
  return fmt::format("{:.3f}", std::round(*page.angle * 1000) / 1000 + 0.0);
}

std::string title_of(const DeskewReport& report, std::size_t page) {
  if (report.pages.size() == 1) {
    const std::string angle = angle_text(report.pages[page]);
    return report.pages[page].angle ? angle + "°" : angle;
  }
  return fmt::format("page {}: {}", page + 1, angle_text(report.pages[page]));
}

/// "-1.250", "undecided": a line a page.
std::string angles_text(const DeskewReport& report) {
  std::string text;
  for (const Skew& page : report.pages) text += angle_text(page) + "\n";
  return text;
}

/// Columns angle_degrees and score; in front of them page, counted from 1, where there are several.
Table scores_table(const DeskewReport& report) {
  const bool several = report.pages.size() > 1;
  Table table{"scores", {"angle_degrees", "score"}, {}};
  if (several) table.columns.insert(table.columns.begin(), "page");
  for (std::size_t i = 0; i < report.pages.size(); ++i) {
    const Skew& page = report.pages[i];
    for (std::size_t k = 0; k < page.angles.size(); ++k) {
      std::vector<Table::Cell>& row = table.rows.emplace_back();
      if (several) row.emplace_back(static_cast<std::int64_t>(i + 1));
      row.push_back(rounded_cell(page.angles[k]));
      row.emplace_back(std::stod(fmt::format("{:.6g}", page.scores[k])));
    }
  }
  return table;
}

/// SVG: the scores against the angle, a curve a page, the answers marked.
std::string scores_svg(const DeskewReport& report, const std::stop_token& cancel) {
  std::string script = svg_page(800, 400);
  std::string curves;
  for (std::size_t i = 0; i < report.pages.size(); ++i) {
    const Skew& page = report.pages[i];
    script += fmt::format("$d{} << EOD\n", i);
    for (std::size_t k = 0; k < page.angles.size(); ++k) {
      script += fmt::format("{} {}\n", page.angles[k], page.scores[k]);
    }
    script += "EOD\n";
    const std::string title = i < most_named ? "title " + quoted(title_of(report, i)) : "notitle";
    curves += fmt::format("{}$d{} using 1:2 with lines lw 2 lc rgb '{}' {}", i == 0 ? "plot " : ", ", i,
                          colours[i % colours.size()], title);
    if (!page.angle) continue;
    script += fmt::format("set arrow from {0}, graph 0 to {0}, graph 1 nohead lw 1.2 dt 2 lc rgb '{1}' back\n",
                          *page.angle, marked);
  }
  script += fmt::format(
      "set title {} offset 0,-0.3\nset border 3\nset tics nomirror out scale 0.5\n"
      "set grid ytics lc rgb faint lw 0.8 lt 1\nset lmargin 10\nset rmargin 3\n"
      "set key top right reverse Left samplen 1.6 spacing 1.2\nset xrange [{}:{}]\nset yrange [0:*]\n"
      "set offsets 0,0,graph 0.05,0\nset xlabel 'angle (degrees, positive: the text rises to the right)'\n"
      "set ylabel 'score (an angle without lines has 1)'\n",
      quoted(elided(report.file, title_letters)), -report.options.max_angle, report.options.max_angle);
  return run_gnuplot(script + curves + "\n", cancel);
}

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
  json["angle_degrees"] = or_null(skew.angle);
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
  json["out"] = or_null(flags.out);
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
  return json_file(json);
}

/// What follows the angles where a page was written.
std::string summary(const DeskewFlags& flags, const Layout& layout, const DeskewReport& report, const Session& session,
                    const Context& context, const std::vector<std::string>& written) {
  std::string text = fmt::format("deskew of {}: {} {}{}\n", flags.in, to_string(layout.shape), name(layout.type),
                                 layout.channels > 1 ? fmt::format(", {} channels", layout.channels) : "");
  const auto line = [&](std::string_view label, const std::string& value) { text += labelled(label, value, 14); };
  if (report.pages.size() == 1) {
    const Skew& page = report.pages.front();
    line("found by", fmt::format("{}, confidence {:.1f}{}", name(page.method), page.confidence,
                                 page.sideways ? "; the page lies on its side" : ""));
  } else {
    const auto known = [](const Skew& page) { return page.angle.has_value(); };
    line("turned", fmt::format("{} of {} pages", std::count_if(report.pages.begin(), report.pages.end(), known),
                               report.pages.size()));
  }
  line("times", times_text(session.times.all()));
  line("ran on", machine_of(context, report));
  line("wrote", list_of(written));
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
  const Context context = flags.compute.ready(session);
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
    outputs.write_image(context, flags.out, *joined(straight, layout), layout);
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
