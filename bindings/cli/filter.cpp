#include "filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include <tamis/io.hpp>
#include <tamis/memory.hpp>
#include <tamis/version.hpp>

#include "channels.hpp"
#include "input_files.hpp"
#include "streaming.hpp"

namespace tamis::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr Choice<NanPolicy> nan_policies[] = {{"refuse", NanPolicy::Refuse}, {"ignore", NanPolicy::Ignore}};
constexpr Choice<Connectivity> connectivities[] = {{"face", Connectivity::Face}, {"full", Connectivity::Full}};

void require_filter_type(Type type) {
  if (type <= Type::F32) return;
  throw InputError(
      fmt::format("{} samples, wanted bool, u8, u16, i16 or f32; tamis convert IN OUT --as "
                  "u8|u16|i16|f32 makes them",
                  name(type)));
}

std::string machine(const Context& context, const FilterFacts& facts) {
  return context.describe(facts.device.value_or(context.device == Device::Cuda ? Device::Cuda : Device::Cpu));
}

std::string json_text(const FilterFlags& flags, const Layout& layout, const FilterFacts& facts,
                      const std::vector<std::pair<std::string, double>>& times, const Context& context) {
  nlohmann::ordered_json json;
  json["command"] = facts.command;
  json["file"] = flags.in;
  json["out"] = flags.out;
  json["shape"] = to_string(layout.shape);
  json["type"] = name(layout.type);
  json["channels"] = layout.channels;
  for (const auto& [key, value] : facts.parameters) json["parameters"][key] = value;
  for (const auto& [stage, seconds] : times) json["seconds"][stage] = seconds;
  json["machine"] = machine(context, facts);
  json["version"] = TAMIS_VERSION;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void print(const FilterFlags& flags, const Layout& layout, const FilterFacts& facts,
           const std::vector<std::pair<std::string, double>>& times, const Context& context) {
  const std::string channels = layout.channels > 1 ? fmt::format(", {} channels", layout.channels) : "";
  std::string text =
      fmt::format("{} of {}: {} {}{}\n", facts.command, flags.in, to_string(layout.shape), name(layout.type), channels);
  const auto line = [&](std::string_view label, std::string_view value) {
    text += fmt::format("  {:<14}{}\n", label, value);
  };
  for (const auto& [key, value] : facts.parameters) line(key, value);
  std::string_view plan = facts.plan;
  constexpr int most_lines = 6;
  for (int i = 0; !plan.empty(); ++i) {
    if (i == most_lines) {
      line("", "...");
      break;
    }
    line(i == 0 ? "steps" : "", plan.substr(0, plan.find('\n')));
    plan.remove_prefix(plan.find('\n') + 1);
  }
  std::string spent;
  for (const auto& [stage, seconds] : times)
    spent += fmt::format("{}{} {:.4f} s", spent.empty() ? "" : ", ", stage, seconds);
  line("times", spent);
  line("ran on", machine(context, facts));
  line("wrote", flags.json.empty() ? flags.out : flags.out + ", " + flags.json);
  fmt::print("{}", text);
}

}  // namespace

void FilterFlags::add_files_to(CLI::App& app) {
  app.add_option("in", in, "the image or volume; colour is worked on channel by channel")
      ->required()
      ->type_name("FILE");
  app.add_option("out", out, "the result, of the same type; the ending chooses the format")
      ->required()
      ->type_name("FILE");
}

void FilterFlags::add_to(CLI::App& app) {
  app.add_flag("--batch", batch, "the slices are a stack of 2-D images, not a volume")->group("Region");
  region.add_crop_to(app);
  add_output(app, "--json", json, "the parameters and the times, as JSON");
  input.add_to(app);
  compute.add_to(app);
}

StructuringElement parse_element(const std::string& spec, const std::stop_token& cancel) {
  ReadOptions options;
  options.cancel = cancel;
  return {std::string_view(spec), [&](const std::string& path) { return read_noted(path, options); }};
}

std::string offsets_text(const StructuringElement& element, int rank) {
  constexpr std::int64_t in_an_instant = 1 << 20;
  try {
    return fmt::format("{} ({} offsets)", element.spec(), element.sum(rank, {in_an_instant, {}}).count());
  } catch (const InputError&) {  // its parts were used one by one; as one set it is too much work for a remark
    return element.spec();
  }
}

CLI::Option* add_element(CLI::App& app, const Session& session, const std::string& flag, StructuringElement& target,
                         const std::string& description) {
  const auto parse = [cancel = session.cancel](const std::string& spec) { return parse_element(spec, cancel); };
  return add_value(app, flag, "SPEC", target, parse,
                   description +
                       ": square:5, rect:7x3, cube:5, box:5x5x3, cross:2, disk:4, ball:4, circle:6, octagon:6, "
                       "hexagon:6, line:21@30, file:mask.png; reflect(S), shift(S,dx,dy[,dz]), S+T")
      ->default_str(target.spec())
      ->group("Element");
}

void add_border(CLI::App& app, Border& target) {
  add_value(app, "--border", "neutral|reflect|nearest|constant:V", target, parse_border,
            "what lies outside of the image: nothing that counts, its reflection, its edge, or a value")
      ->default_str(to_string(target))
      ->group("Element");
}

void add_border_and_lines(CLI::App& app, Border& border, Lines& lines) {
  add_value(app, "--border", "neutral|reflect|nearest|constant:V|fit", border, parse_border,
            "what lies outside of the image: nothing that counts, its reflection, its edge, a value; fit, along traced "
            "lines: only segments inside count")
      ->default_str(to_string(border))
      ->group("Element");
  add_value(app, "--lines", "invariant|traced", lines, parse_lines,
            "what line:L@A is: one digital segment, the same everywhere, or L samples of Bresenham lines that tile the "
            "image, as fast at any length")
      ->default_str(std::string(name(lines)))
      ->group("Element");
}

CLI::Option* add_nan(CLI::App& app, NanPolicy& target) {
  return add_value(
             app, "--nan", "refuse|ignore", target,
             [](const std::string& text) { return parse_choice(text, nan_policies); },
             "f32 samples that are no numbers: an error, or left out")
      ->default_str("refuse")
      ->group("Element");
}

void add_connectivity(CLI::App& app, Connectivity& target) {
  add_value(
      app, "--connectivity", "face|full", target,
      [](const std::string& text) { return parse_choice(text, connectivities); },
      "which samples are neighbours: across faces, or corners and edges too")
      ->default_str(word_of(target, connectivities))
      ->group("Element");
}

std::vector<Image> read_for_filter(const Context& context, Input& input, bool batch) {
  return about_file(input.path, [&] {
    require_filter_type(input.layout().type);
    return read_channels(context, *input.source, batch);
  });
}

Context beside_images(const Context& context, const std::vector<Layout>& inputs, std::int64_t between) {
  std::int64_t read = 0;
  for (const Layout& layout : inputs) read += bytes_of_channels(layout);
  // One result at a time takes the place of a channel; in the end they are put together slab by slab.
  const Layout& last = inputs.back();
  const std::int64_t result = image_bytes(last.type, last.shape);
  require_memory(context, "the image and its result", read + std::max(result + between, bytes_of_copy(last)));
  return beside(context, read + result);
}

void finish_filter(const FilterFlags& flags, Session& session, const Context& context, Outputs& outputs,
                   const FilterResults& results, const FilterFacts& facts) {
  std::vector<std::pair<std::string, double>> times{{"reading", results.reading_seconds}};
  times.insert(times.end(), session.times.all().begin(), session.times.all().end());
  const Clock::time_point start = Clock::now();
  copy(context, *joined(results.images, results.layout), *outputs.create(flags.out, results.layout));
  times.emplace_back("writing", seconds_since(start));
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(flags, results.layout, facts, times, context));
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) print(flags, results.layout, facts, times, context);
}

void run_filter(const FilterFlags& flags, Session& session,
                const std::function<Image(const Context&, const Image&)>& filter,
                const std::function<FilterFacts(const Context&, const Image&)>& facts,
                const std::function<std::int64_t(const Layout&)>& between) {
  const Context context = flags.compute.context(session);
  require_device(context);
  static_cast<void>(context.describe(Device::Cpu));  // an instruction set that is not there is refused here
  const Clock::time_point start = Clock::now();
  Input input = open_input(flags.in, flags.input.read, flags.region, session.cancel);
  const Layout layout = input.layout();
  Outputs outputs(session);
  outputs.protect(flags.in);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  about_file(flags.in, [&] { require_filter_type(layout.type); });
  outputs.check_format(flags.out, layout);
  const Context work =
      about_file(flags.in, [&] { return beside_images(context, {layout}, between ? between(layout) : 0); });
  std::vector<Image> images = read_for_filter(context, input, flags.batch);
  const double reading = seconds_since(start);
  for (Image& image : images) image = about_file(flags.in, [&] { return filter(work, image); });
  finish_filter(flags, session, context, outputs, {images, layout, reading}, facts(context, images.front()));
}

}  // namespace tamis::cli
