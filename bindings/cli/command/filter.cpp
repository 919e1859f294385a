#include "cli/command/filter.hpp"
#include "cli/option/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include <tamis/convert.hpp>
#include <tamis/image/channels.hpp>
#include <tamis/io.hpp>
#include <tamis/operations/masked.hpp>
#include <tamis/operations/slabs.hpp>
#include <tamis/operations/types.hpp>
#include <tamis/version.hpp>

#include "cli/command/shared_work.hpp"
#include "cli/input/files.hpp"
#include "cli/output/report.hpp"

namespace tamis::cli {
namespace {

/// What is told of a run.
struct Told {
  std::string command;
  std::string file;
  Layout layout;
  FilterReport report;
  StageSeconds times;
  std::string machine;
  SlabReport slabs;
  std::int64_t resumed = 0;        ///< slices that an earlier run had written
  std::vector<std::string> notes;  ///< of what happened on the way
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
  json["slabs"] = told.slabs.plan.count();
  if (told.resumed > 0) json["resumed_at_slice"] = told.resumed;
  if (!told.notes.empty()) json["notes"] = told.notes;
  for (const auto& [stage, seconds] : told.times) json["seconds"][stage] = seconds;
  json["machine"] = told.machine;
  json["version"] = TAMIS_VERSION;
  return json_file(json);
}

std::string line_of(std::string_view label, std::string_view value) { return labelled(label, value, 14); }

/// What is filtered, with which parameters, by which steps, in which slabs.
std::string text_of_plan(const Told& told) {
  const Layout& layout = told.layout;
  const std::string channels = layout.channels > 1 ? fmt::format(", {} channels", layout.channels) : "";
  std::string text = fmt::format("{} of {}: {} {}{}\n", hyphened(told.command), told.file, to_string(layout.shape),
                                 name(layout.type), channels);
  for (const auto& [key, value] : told.report.parameters) text += line_of(key, value);
  std::string_view plan = told.report.plan;
  constexpr int most_lines = 6;
  for (int i = 0; !plan.empty(); ++i) {
    if (i == most_lines) {
      text += line_of("", "...");
      break;
    }
    text += line_of(i == 0 ? "steps" : "", plan.substr(0, plan.find('\n')));
    plan.remove_prefix(plan.find('\n') + 1);
  }
  if (const SlabPlan& slabs = told.slabs.plan; !slabs.whole()) {
    text += line_of("slabs", fmt::format("{} of {} slices, with {} more on either side", slabs.count(), slabs.thickness,
                                         slabs.halo));
  }
  return text;
}

void print(const FilterFlags& flags, const Told& told) {
  std::string text = text_of_plan(told);
  if (told.resumed > 0) text += line_of("resumed", fmt::format("at slice {}", told.resumed));
  text += line_of("times", times_text(told.times));
  text += line_of("ran on", told.machine);
  text += line_of("wrote", flags.json.empty() ? flags.out : flags.out + ", " + flags.json);
  fmt::print("{}", text);
}

/// How a run would go, which it does not.
void print_plan(const Context& context, const Told& told, const Shape& shape) {
  const Device device = told.report.device.value_or(choose_device(context, shape.count()));
  const std::string memory =
      fmt::format("{} MiB at most for images and what lies between", (told.slabs.plan.bytes >> 20) + 1);
  fmt::print("{}{}{}", text_of_plan(told), line_of("memory", memory),
             line_of("would run on", context.describe(device)));
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

/// What the samples of the result come from, on one line: a run goes on with what another one has left of the same.
std::string job_of(const FilterFlags& flags, const std::vector<Input>& inputs, const FilterReport& report,
                   const Arguments& arguments, const OperationDescription& operation) {
  nlohmann::ordered_json job;
  job["command"] = operation.name;
  for (const Parameter& parameter : operation.parameters)
    job["parameters"][parameter.name] = arguments.text(parameter.name);
  for (const auto& [name, value] : report.parameters) job["is"][name] = value;
  for (const Input& input : inputs) {
    nlohmann::ordered_json file;
    file["name"] = input.path;
    file["read"] = fmt::format("{} {} {}", input.description, to_string(input.file.shape), name(input.file.type));
    file["changed"] = last_change(input.path);
    job["files"].push_back(file);
  }
  if (!flags.mask.empty()) job["mask"] = {{"name", flags.mask}, {"changed", last_change(flags.mask)}};
  job["crop"] = flags.region.crop_text;
  job["channel"] = flags.input.read().channel;
  if (flags.batch) job["batch"] = true;
  job["version"] = TAMIS_VERSION;
  return job.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// Words for a run that ended although what it wrote stays.
std::string how_to_go_on(const Outputs& outputs, const FilterFlags& flags, const Layout& layout) {
  const std::int64_t kept = outputs.kept(flags.out);
  return kept == 0 ? "" : fmt::format("; {} of {} slices are kept, --resume goes on", kept, layout.shape.z);
}

/// What the filter says that it did, and the files beside the last one that it had.
FilterReport report_of(const FilterFlags& flags, const OperationDescription& operation, const Context& context,
                       const Arguments& arguments, Type type, const Shape& shape, FilterDone done) {
  FilterReport report = operation.filter.report(context, arguments, type, shape);
  if (done.device) report.device = done.device;
  if (!done.plan.empty()) report.plan = std::move(done.plan);
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t i = 0; i + 1 < flags.in.size(); ++i) files.emplace_back(operation.takes[i].name, flags.in[i]);
  if (!flags.mask.empty()) files.emplace_back("mask", flags.mask);
  report.parameters.insert(report.parameters.begin(), files.begin(), files.end());
  return report;
}

/// How the samples get into the filter and out of it, which is told where they are converted.
SampleTypes types_of(std::span<const Input> inputs, const OperationDescription& operation, const Arguments& arguments,
                     Session& session) {
  std::vector<Type> types;
  for (const Input& input : inputs) types.push_back(input.layout().type);
  SampleTypes found = about_file(inputs.back().path, [&] { return sample_types(operation, arguments, types); });
  if (found.converts()) session.notes.push_back(found.note);
  return found;
}

/// What counts, where a file says so.
struct Mask {
  std::unique_ptr<SliceSource> file;
  std::unique_ptr<SliceSource> source;  ///< empty where there is none

  Mask(const FilterFlags& flags, const Session& session, const Input& input) {
    if (flags.mask.empty()) return;
    file = open_mask(flags.mask, flags.input.read(), input, flags.region, session.cancel);
    source = about_file(flags.mask, [&] { return mask_source(*file, input.layout()); });
  }
};

/// The images that are filtered, and how.
class Opened {
 public:
  Opened(const FilterFlags& flags, const Session& session, const OperationDescription& operation,
         const Arguments& arguments, std::vector<Input>& inputs)
      : mask_(flags, session, inputs.front()),
        operation_(mask_.source ? in_mask(operation) : operation),
        call_{operation_, arguments, {}, flags.batch, 0} {
    if (mask_.source) call_.sources.push_back(mask_.source.get());
    for (const Input& input : inputs) call_.sources.push_back(input.source.get());
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  /// `type`: what the filter computes with.
  [[nodiscard]] SlabPlan plan(const Context& context, Type type) const {
    Layout layout = call_.sources.back()->layout();
    layout.type = type;
    return plan_slabs(context, operation_, call_.arguments, layout, call_.sources.size(), {call_.batch});
  }
  [[nodiscard]] FilterCall from(std::int64_t slice) const {
    FilterCall call = call_;
    call.begin = slice;
    return call;
  }

 private:
  Mask mask_;
  OperationDescription operation_;
  FilterCall call_;
};

/// The share of a process that has no outputs.
void follow(const FilterFlags& flags, Session& session, const OperationDescription& operation,
            const Arguments& arguments) {
  ComputeFlags compute = flags.compute;
  compute.quiet = true;
  const Context context = compute.context(session);
  session.shared->follow([&](const SharedWork::Share& share) {
    std::vector<Input> inputs = open_all(flags, session, operation);
    const Opened opened(flags, session, operation, arguments, inputs);
    share(context, opened.from(0));
  });
}

/// Of slabs, which were read, filtered and written side by side, how long each kind of work took.
StageSeconds times_of(const SlabReport& report, const Session& session) {
  StageSeconds times{{"reading", report.reading}};
  times.insert(times.end(), session.times.all().begin(), session.times.all().end());
  times.emplace_back("writing", report.writing);
  return times;
}

}  // namespace

void FilterFlags::add_files_to(const Command& command, const OperationDescription& operation) {
  in.resize(operation.takes.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    command.add_argument({in.size() == 1 ? "in" : operation.takes[i].name, "FILE", operation.takes[i].text}, in[i]);
  }
  command.add_argument({"out", "FILE", operation.gives.front().text + "; the ending chooses the format"}, out);
}

void FilterFlags::add_to(const Command& command, const OperationDescription& operation) {
  if (in.size() == 1) {
    command.add_flag({"--batch", "", "the slices are a stack of 2-D images, not a volume", "Region"}, batch);
  }
  command.add_flag(
      {"--resume", "", "go on where a run that was ended has come, if it worked in slabs (--memory)", "Running"},
      resume);
  command.add_flag(
      {"--explain", "", "say by which steps, in which slabs and memory, and on what; nothing is filtered", "Running"},
      explain);
  region.add_crop_to(command);
  if (takes_a_mask(operation)) {
    add_value(
        command,
        {"--mask", "FILE",
         "what counts: where this image is not 0, of the image's shape or one slice for all; the rest is left out as "
         "NaN is by --nan ignore, and where nothing of the mask is seen samples stay",
         "Region"},
        mask, [](const std::string& text) { return text; });
  }
  add_output(command, "--json", json, "the parameters and the times, as JSON");
  input.add_to(command);
  compute.add_to(command);
}

StructuringElement parse_element(const std::string& spec, const ReadOptions& read) {
  return {std::string_view(spec), [&](const std::string& path) { return read_noted(path, read); }};
}

std::vector<Image> read_for_filter(const Context& context, Input& input, bool batch) {
  return about_file(input.path, [&] { return read_channels(context, *input.source, batch); });
}

void take_as_f32(Input& input, const OperationDescription& operation, const Arguments& arguments, Session& session) {
  static_cast<void>(types_of({&input, 1}, operation, arguments, session));
  input.source = as_f32(std::move(input.source));
}

void run_filter(const FilterFlags& flags, Session& session, const OperationDescription& operation,
                const Arguments& arguments) {
  if (session.shared != nullptr && flags.explain)
    throw InputError("--explain tells how one process would go; wanted tamis");
  if (session.shared != nullptr && session.shared->follows()) return follow(flags, session, operation, arguments);
  const Context context = flags.compute.ready(session);
  std::vector<Input> inputs = open_all(flags, session, operation);
  const Layout layout = inputs.back().layout();
  Outputs outputs(session);
  if (flags.resume) outputs.resume();
  for (const std::string& path : flags.in) outputs.protect(path);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  const SampleTypes types = types_of(inputs, operation, arguments, session);
  Layout made = layout;
  made.type = types.result;
  outputs.check_format(flags.out, made);
  Told told{operation.name, flags.in.back(), layout, {}, {}, {}, {}, 0, {}};
  Shape shape = layout.shape;
  if (flags.batch) shape.rank = 2;
  const Opened opened(flags, session, operation, arguments, inputs);
  if (flags.explain) {
    about_file(flags.in.front(), [&] {
      told.report = report_of(flags, operation, context, arguments, types.inside, shape, {});
      told.slabs.plan = opened.plan(context, types.inside);
    });
    return print_plan(context, told, shape);
  }
  const std::string job = about_file(flags.in.front(), [&] {
    const FilterReport report = operation.filter.report(context, arguments, types.inside, shape);
    return job_of(flags, inputs, report, arguments, operation);
  });
  OutputFiles::Resumable out = outputs.create_resumable(flags.out, made, job);
  told.resumed = out.slices;
  if (!out.note.empty()) session.notes.push_back(out.note);
  const FilterCall call = opened.from(out.slices);
  try {
    about_file(flags.in.front(), [&] {
      told.slabs = session.shared != nullptr ? session.shared->filter(context, call, *out.sink)
                                             : filter_slabs(context, call.operation, arguments, call.sources, *out.sink,
                                                            {flags.batch, out.slices});
    });
  } catch (const ResourceError& error) {
    throw ResourceError(error.what() + how_to_go_on(outputs, flags, layout));
  } catch (const Cancelled& error) {
    throw Cancelled(error.what() + how_to_go_on(outputs, flags, layout));
  }
  told.report = report_of(flags, operation, context, arguments, types.inside, shape, told.slabs.done);
  if (!told.report.name.empty()) told.command = told.report.name;
  told.times = times_of(told.slabs, session);
  told.notes = session.notes;
  told.machine =
      context.describe(told.report.device.value_or(context.device == Device::Cuda ? Device::Cuda : Device::Cpu));
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(flags, told));
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) print(flags, told);
}

}  // namespace tamis::cli
