#include "cli/option/options.hpp"

#include "cli/option/parameters.hpp"

namespace tamis::cli {

std::string shown(std::string_view text) {
  constexpr std::size_t most = 200;
  if (text.empty()) return "''";
  if (text.size() <= most) return std::string(text);
  return fmt::format("{}... ({} letters)", text.substr(0, most), text.size());
}

namespace {

void add_one(const Command& command, const OperationDescription& operation, std::string_view name,
             Arguments& arguments) {
  for (const Parameter& parameter : operation.parameters) {
    if (parameter.name == name) add_parameter(command, parameter, arguments);
  }
}

}  // namespace

void InputFlags::add_to(const Command& command) { add_parameters(command, reading(), arguments); }

void InputFlags::add_for_any_file_to(const Command& command) {
  for (const char* const name : {"follow", "unconfined"}) add_one(command, reading(), name, arguments);
}

void RegionFlags::add_crop_to(const Command& command) {
  const auto remember = [this](const std::string& text) {
    crop_text = text;
    return parse_crop(text);
  };
  add_value(command, {"--crop", "X0:X1,Y0:Y1,Z0:Z1", "only this box of the image, ends excluded, x first", "Region"},
            crop, remember);
}

void RegionFlags::add_to(const Command& command) {
  add_value(command,
            {"--roi", "cylinder|FILE",
             "only what lies in the inscribed cylinder of the slices (the field of view of a tomograph), or where this "
             "mask is not 0; counts for the threshold too",
             "Region"},
            roi, [](const std::string& text) { return text; });
  add_crop_to(command);
}

void ComputeFlags::add_to(const Command& command) {
  add_parameters(command, running(), arguments);
  add_quiet_to(command);
}

void ComputeFlags::add_cpu_to(const Command& command) {
  for (const char* const name : {"threads", "memory", "simd"}) add(command, name);
  add_quiet_to(command);
}

void ComputeFlags::add_memory_to(const Command& command) { add(command, "memory"); }

void ComputeFlags::add(const Command& command, std::string_view name) { add_one(command, running(), name, arguments); }

void ComputeFlags::add_quiet_to(const Command& command) {
  command.add_flag({"-q,--quiet", "", "say nothing but errors", "Running"}, quiet);
}

Context ComputeFlags::context(Session& session) const {
  Context context = Context::best();
  asked().put_into(context);
  context.cancel = session.cancel;
  if (!quiet) context.on_progress = [&session](const Progress& progress) { session.progress.report(progress); };
  context.on_stage = [&session](std::string_view stage, double seconds) { session.times.add(stage, seconds); };
  context.on_note = [&session](std::string_view note) { session.notes.push_back(with_flags(note)); };
  return context;
}

Context ComputeFlags::ready(Session& session) const {
  Context made = context(session);
  require_device(made);
  static_cast<void>(made.describe(Device::Cpu));
  return made;
}

void add_writing(const Command& command, Session& session) { add_parameters(command, writing(), session.writing); }

void add_slice_option(const Command& command, std::optional<std::int64_t>& target) {
  const auto read = [](const std::string& text) -> std::optional<std::int64_t> {
    const std::optional<std::int64_t> number = whole_number(text);
    if (!number || *number < 0) throw InputError("wanted the number of a slice, from 0 on");
    return number;
  };
  add_value(command,
            {"--slice", "N", "the slice that --picture shows, counted from 0 after the crop; without it the middle one",
             "Output"},
            target, read);
}

std::int64_t slice_in(const std::optional<std::int64_t>& slice, std::int64_t count) {
  if (slice && *slice >= count) {
    throw InputError(fmt::format("--slice {}: wanted 0 to {}", *slice, count - 1));
  }
  return slice.value_or(count / 2);
}

void add_output(const Command& command, const std::string& flag, std::string& target, const std::string& description) {
  const auto read = [](const std::string& text) {
    if (text.empty()) throw InputError("wanted the name of a file");
    return text;
  };
  add_value(command, {flag, "FILE", description, "Output"}, target, read);
}

}  // namespace tamis::cli
