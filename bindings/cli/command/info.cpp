// tamis info: what a file holds.
#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/input/image.hpp"
#include "cli/input/several.hpp"
#include "cli/output/files.hpp"
#include "cli/output/report.hpp"

namespace tamis::cli {
namespace {

struct InfoFlags {
  std::vector<std::string> files;
  std::string json;
  InputFlags input;
  ComputeFlags compute;
  bool keep_going = false;
};

struct FileFacts {
  std::string path;
  std::string description;
  Layout layout;
  NonFinite non_finite;
  std::optional<Histogram> histogram;  ///< of the finite samples; nothing for colour, or if there are none
};

/// The histogram of what is finite, so that a file with a few NaN still shows what is in it.
void look_at_samples(const Context& context, SliceSource& source, FileFacts& facts) {
  facts.non_finite = find_non_finite(context, source);
  if (facts.non_finite.count() == 0) {
    facts.histogram = histogram(context, source);
  } else if (facts.non_finite.count() < facts.layout.shape.count()) {
    const std::unique_ptr<SliceSource> finite = finite_mask(source);
    facts.histogram = histogram(context, source, {Region::Kind::Mask, finite.get()});
  }
}

FileFacts facts_of(const std::string& path, const InfoFlags& flags, const Outputs& outputs, const Context& context) {
  ReadOptions read = flags.input.read();
  if (!read.time) read.time = 0;  // the description says how many there are
  const Input input = open_input(path, read, {}, context.cancel);
  outputs.require_apart_from_inputs();
  FileFacts facts{path, input.description, input.layout(), {}, std::nullopt};
  if (facts.layout.channels == 1) about_file(path, [&] { look_at_samples(context, *input.source, facts); });
  return facts;
}

constexpr std::size_t rows_wanted = 16;
constexpr double bar_most = 48;

/// First value, last value and samples of a row of the printed histogram.
struct Row {
  double first = 0;
  double last = 0;
  std::int64_t samples = 0;
};

/// Neighbouring bins put together, so that a screen holds them; only between the smallest and the largest value.
std::vector<Row> rows_of(const Histogram& histogram) {
  const auto used = [](std::int64_t count) { return count > 0; };
  const auto begin = std::find_if(histogram.counts.begin(), histogram.counts.end(), used);
  const auto end = std::find_if(histogram.counts.rbegin(), histogram.counts.rend(), used).base();
  if (begin >= end) return {};
  const auto bins = static_cast<std::size_t>(end - begin);
  const std::size_t together = (bins + rows_wanted - 1) / rows_wanted;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < bins; i += together) {
    const std::size_t stop = std::min(i + together, bins);
    const std::int64_t first = begin - histogram.counts.begin() + static_cast<std::int64_t>(i);
    Row row{histogram.centre(first), histogram.centre(first + static_cast<std::int64_t>(stop - i) - 1), 0};
    for (std::size_t bin = i; bin < stop; ++bin) row.samples += begin[static_cast<std::ptrdiff_t>(bin)];
    rows.push_back(row);
  }
  return rows;
}

std::string histogram_text(const Histogram& histogram) {
  const std::vector<Row> rows = rows_of(histogram);
  std::int64_t most = 1;
  for (const Row& row : rows) most = std::max(most, row.samples);
  std::string text;
  for (const Row& row : rows) {
    const std::string values =
        row.first == row.last ? fmt::format("{:.6g}", row.first) : fmt::format("{:.6g} to {:.6g}", row.first, row.last);
    const double share = static_cast<double>(row.samples) / static_cast<double>(most);
    // A bin with few samples still shows.
    const auto length = static_cast<std::size_t>(row.samples > 0 ? std::max(1.0, share * bar_most) : 0.0);
    text += fmt::format("  {:>22} {:>7.2f} % {}\n", values,
                        100.0 * static_cast<double>(row.samples) / static_cast<double>(histogram.samples),
                        std::string(length, '#'));
  }
  return text;
}

/// Where the first voxel lies; the axes only where they are not those of the world.
std::string placement_text(const Spacing& spacing) {
  if (!spacing.placement) return {};
  const auto& [origin, axes, world] = *spacing.placement;
  std::string text = fmt::format("  {:<12}first voxel at {:.7g}, {:.7g}, {:.7g} {} (x, y, z)", "placement", origin[0], origin[1],
                                 origin[2], spacing.unit);
  if (world != World::Own) text += fmt::format(", {}: x to the left, y to the back, z to the head", name(world));
  text += "\n";
  if (axes == Placement().axes) return text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    text += fmt::format("  {:<12}{} runs along {:.4g}, {:.4g}, {:.4g}\n", "", "xyz"[axis], axes[axis][0], axes[axis][1], axes[axis][2]);
  }
  return text;
}

std::string text_of(const FileFacts& facts) {
  const Layout& layout = facts.layout;
  std::string text =
      fmt::format("{}\n  {:<12}{}\n  {:<12}{} ({})\n  {:<12}{}\n", facts.path, "format", facts.description, "shape",
                  to_string(layout.shape), layout.shape.rank == 3 ? "x, y, z; x fastest" : "x, y; x fastest", "type",
                  name(layout.type));
  if (layout.channels > 1) text += labelled("channels", fmt::format("{}", layout.channels), 12);
  text += labelled("voxel size", spacing_text(layout.spacing, layout.shape.rank), 12);
  text += placement_text(layout.spacing);
  if (layout.channels > 1) return text + "  colour: --channel N or --channel luma shows the range and the histogram\n";
  const NonFinite& odd = facts.non_finite;
  if (odd.count() > 0) {
    text += fmt::format("  {:<12}{} NaN, {} infinite of {} samples; the first at {}\n", "no numbers", odd.nan,
                        odd.infinite, layout.shape.count(), odd.place);
  }
  if (!facts.histogram) return text;
  const Histogram& histogram = *facts.histogram;
  text += fmt::format("  {:<12}{:.10g} to {:.10g}, mean {:.6g}\n", "range", histogram.minimum, histogram.maximum,
                      histogram.mean);
  return text + histogram_text(histogram);
}

nlohmann::ordered_json json_of(const FileFacts& facts) {
  const Layout& layout = facts.layout;
  nlohmann::ordered_json json;
  json["file"] = facts.path;
  json["format"] = facts.description;
  json["shape"] = to_string(layout.shape);
  json["type"] = name(layout.type);
  json["channels"] = layout.channels;
  json["spacing"] = nullptr;
  if (layout.spacing.known()) {
    json["spacing"] = {
        {"x", layout.spacing.x}, {"y", layout.spacing.y}, {"z", layout.spacing.z}, {"unit", layout.spacing.unit}};
  }
  if (const auto& placement = layout.spacing.placement) {
    json["placement"] = {{"origin", placement->origin}, {"axes", placement->axes}, {"world", name(placement->world)}};
  }
  if (facts.non_finite.count() > 0) {
    const NonFinite& odd = facts.non_finite;
    json["non_finite"] = {{"nan", odd.nan}, {"infinite", odd.infinite}, {"first", odd.place}};
  }
  if (facts.histogram) {
    const Histogram& histogram = *facts.histogram;
    json["minimum"] = histogram.minimum;
    json["maximum"] = histogram.maximum;
    json["mean"] = histogram.mean;
    json["histogram"] = {
        {"first_centre", histogram.first_centre}, {"bin_width", histogram.bin_width}, {"counts", histogram.counts}};
  }
  return json;
}

std::string json_text(const std::vector<FileFacts>& all, const InfoFlags& flags, const Session& session) {
  nlohmann::ordered_json json;
  if (flags.files.size() == 1) {
    json = json_of(all.front());
  } else {
    for (const FileFacts& facts : all) json["files"].push_back(json_of(facts));
  }
  add_failures(json, session);
  json["version"] = TAMIS_VERSION;
  return json_file(json);
}

void run(const InfoFlags& flags, Session& session) {
  const Context context = flags.compute.context(session);
  Outputs outputs(session);
  for (const std::string& file : flags.files) outputs.protect(file);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  std::vector<FileFacts> all;
  for (const std::string& file : flags.files) {
    const auto work = [&] { all.push_back(facts_of(file, flags, outputs, context)); };
    if (!done_with(session, flags.keep_going, file, work)) outputs.require_apart_from_inputs();
  }
  if (all.empty()) return;
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(all, flags, session));
  outputs.commit();
  session.progress.clear();
  if (flags.compute.quiet) return;
  for (const FileFacts& facts : all) fmt::print("{}", text_of(facts));
  std::fflush(stdout);
}

}  // namespace

void add_info(const Command& program, Session& session) {
  const auto flags = std::make_shared<InfoFlags>();
  const Command command = program.add_command("info", "shape, type, voxel size, range and histogram of files");
  command.add_arguments({"FILE", "FILE", "images or volumes"}, flags->files);
  add_output(command, "--json", flags->json, "the same, with the whole histogram");
  flags->input.add_to(command);
  flags->compute.add_to(command);
  add_keep_going(command, flags->keep_going);
  command.show_examples(
      "tamis info scan.tif\n"
      "tamis info scan.bin.raw --shape 600x600x250 --dtype u16 --byte-order big");
  command.run([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
