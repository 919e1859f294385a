#include "cli/command/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include <tamis/io.hpp>
#include <tamis/memory.hpp>
#include <tamis/version.hpp>

#include "cli/input/channels.hpp"
#include "cli/input/files.hpp"
#include "cli/output/streaming.hpp"

namespace tamis::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void require_filter_type(Type type) {
  if (type <= Type::F32) return;
  throw InputError(
      fmt::format("{} samples, wanted bool, u8, u16, i16 or f32; tamis convert IN OUT --as "
                  "u8|u16|i16|f32 makes them",
                  name(type)));
}

/// What is told of a run.
struct Told {
  std::string command;
  std::string file;
  Layout layout;
  FilterReport report;
  std::vector<std::pair<std::string, double>> times;
  std::string machine;
};

std::string json_text(const FilterFlags& flags, const Told& told) {
  nlohmann::ordered_json json;
  json["command"] = told.command;
  json["file"] = told.file;
  json["out"] = flags.out;
  json["shape"] = to_string(told.layout.shape);
  json["type"] = name(told.layout.type);
  json["channels"] = told.layout.channels;
  for (const auto& [key, value] : told.report.parameters) json["parameters"][key] = value;
  for (const auto& [stage, seconds] : told.times) json["seconds"][stage] = seconds;
  json["machine"] = told.machine;
  json["version"] = TAMIS_VERSION;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void print(const FilterFlags& flags, const Told& told) {
  const Layout& layout = told.layout;
  const std::string channels = layout.channels > 1 ? fmt::format(", {} channels", layout.channels) : "";
  std::string text =
      fmt::format("{} of {}: {} {}{}\n", told.command, told.file, to_string(layout.shape), name(layout.type), channels);
  const auto line = [&](std::string_view label, std::string_view value) {
    text += fmt::format("  {:<14}{}\n", label, value);
  };
  for (const auto& [key, value] : told.report.parameters) line(key, value);
  std::string_view plan = told.report.plan;
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
  for (const auto& [stage, seconds] : told.times) {
    spent += fmt::format("{}{} {:.4f} s", spent.empty() ? "" : ", ", stage, seconds);
  }
  line("times", spent);
  line("ran on", told.machine);
  line("wrote", flags.json.empty() ? flags.out : flags.out + ", " + flags.json);
  fmt::print("{}", text);
}

std::vector<Input> open_all(const FilterFlags& flags, const Session& session, const OperationDescription& operation) {
  std::vector<Input> inputs;
  for (const std::string& path : flags.in) {
    inputs.push_back(open_input(path, flags.input.read(), flags.region, session.cancel));
  }
  const int channels = inputs.back().layout().channels;
  for (const Input& input : inputs) {
    if (input.layout().channels == channels) continue;
    throw InputError(fmt::format("{}: {} channels, the {} {} has {}; wanted as many, or --channel", input.path,
                                 input.layout().channels, operation.takes.back().name, inputs.back().path, channels));
  }
  return inputs;
}

/// The context for filters of all that read_for_filter() reads of `inputs`: their memory limit is what the images and
/// the results leave. Throws ResourceError where these and what is `between` do not fit, before anything is read.
Context beside_images(const Context& context, const std::vector<Input>& inputs, std::int64_t between) {
  std::int64_t read = 0;
  for (const Input& input : inputs) read += bytes_of_channels(input.layout());
  // One result at a time takes the place of a channel; in the end they are put together slab by slab.
  const Layout& last = inputs.back().layout();
  const std::int64_t result = image_bytes(last.type, last.shape);
  require_memory(context, "the image and its result", read + std::max(result + between, bytes_of_copy(last)));
  return beside(context, read + result);
}

/// The first images become the results, channel by channel; `done` is how the last was computed.
std::vector<Image> filtered(const Context& context, std::vector<std::vector<Image>>& images, const FilterCalls& filter,
                            const Arguments& arguments, FilterDone& done) {
  std::vector<Image> results(images.back().size());
  for (std::size_t c = 0; c < results.size(); ++c) {
    std::vector<const Image*> channel;
    for (const std::vector<Image>& image : images) channel.push_back(&image[c]);
    done = filter.run(context, channel, arguments, results[c]);
    for (std::vector<Image>& image : images) image[c] = Image();
  }
  return results;
}

/// What the filter says that it did, and the files beside the last one that it had.
FilterReport report_of(const FilterFlags& flags, const OperationDescription& operation, const Context& context,
                       const Arguments& arguments, const Image& result, FilterDone done) {
  FilterReport report = operation.filter.report(context, arguments, result.type(), result.shape());
  if (done.device) report.device = done.device;
  if (!done.plan.empty()) report.plan = std::move(done.plan);
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t i = 0; i + 1 < flags.in.size(); ++i) files.emplace_back(operation.takes[i].name, flags.in[i]);
  report.parameters.insert(report.parameters.begin(), files.begin(), files.end());
  return report;
}

}  // namespace

void FilterFlags::add_files_to(const Command& command, const OperationDescription& operation) {
  in.resize(operation.takes.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    command.add_argument({in.size() == 1 ? "in" : operation.takes[i].name, "FILE", operation.takes[i].text}, in[i]);
  }
  command.add_argument({"out", "FILE", operation.gives.front().text + "; the ending chooses the format"}, out);
}

void FilterFlags::add_to(const Command& command) {
  if (in.size() == 1) {
    command.add_flag({"--batch", "", "the slices are a stack of 2-D images, not a volume", "Region"}, batch);
  }
  region.add_crop_to(command);
  add_output(command, "--json", json, "the parameters and the times, as JSON");
  input.add_to(command);
  compute.add_to(command);
}

StructuringElement parse_element(const std::string& spec, const ReadOptions& read) {
  return {std::string_view(spec), [&](const std::string& path) { return read_noted(path, read); }};
}

std::vector<Image> read_for_filter(const Context& context, Input& input, bool batch) {
  return about_file(input.path, [&] {
    require_filter_type(input.layout().type);
    return read_channels(context, *input.source, batch);
  });
}

void run_filter(const FilterFlags& flags, Session& session, const OperationDescription& operation,
                const Arguments& arguments) {
  const Context context = flags.compute.context(session);
  require_device(context);
  static_cast<void>(context.describe(Device::Cpu));  // an instruction set that is not there is refused here
  const Clock::time_point start = Clock::now();
  std::vector<Input> inputs = open_all(flags, session, operation);
  const Layout layout = inputs.back().layout();
  Outputs outputs(session);
  for (const std::string& path : flags.in) outputs.protect(path);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  about_file(flags.in.back(), [&] { require_filter_type(layout.type); });
  outputs.check_format(flags.out, layout);
  const Context work = about_file(flags.in.back(), [&] {
    return beside_images(context, inputs, operation.filter.bytes_between(arguments, layout.type, layout.shape));
  });
  std::vector<std::vector<Image>> images;
  for (Input& input : inputs) images.push_back(read_for_filter(context, input, flags.batch));
  Told told{operation.name, flags.in.back(), layout, {}, {{"reading", seconds_since(start)}}, {}};
  FilterDone done;
  const std::vector<Image> results =
      about_file(flags.in.front(), [&] { return filtered(work, images, operation.filter, arguments, done); });
  told.report = report_of(flags, operation, context, arguments, results.front(), std::move(done));
  if (!told.report.name.empty()) told.command = told.report.name;
  told.times.insert(told.times.end(), session.times.all().begin(), session.times.all().end());
  const Clock::time_point writing = Clock::now();
  copy(context, *joined(results, layout), *outputs.create(flags.out, layout));
  told.times.emplace_back("writing", seconds_since(writing));
  told.machine =
      context.describe(told.report.device.value_or(context.device == Device::Cuda ? Device::Cuda : Device::Cpu));
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(flags, told));
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) print(flags, told);
}

}  // namespace tamis::cli
