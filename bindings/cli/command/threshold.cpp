// tamis threshold: grey values to black and white.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/operations/arguments.hpp>
#include <tamis/tamis.hpp>
#include <tamis/operations/words.hpp>

#include "cli/command/filter.hpp"
#include "cli/output/files.hpp"

namespace tamis::cli {
namespace {

/// What it ran on: "cpu" or "cuda:0", and the same for people.
struct Machine {
  std::string device;
  std::string description;
};

Machine machine_of(const Context& context, const Binary& binary) {
  return {device_text({binary.device, context.gpu}), context.describe(binary.device)};
}

std::string json_text(const Input& input, const Binary& binary, Phase phase, const Machine& machine) {
  nlohmann::ordered_json json;
  json["file"] = input.path;
  json["shape"] = to_string(input.layout().shape);
  json["type"] = name(input.layout().type);
  json["threshold"] = binary.threshold;
  if (binary.method == ThresholdMethod::Band) json["high"] = binary.high;
  json["method"] = name(binary.method);
  json["phase"] = word_of(phase, phases);
  json["domain_volume"] = binary.domain_volume;
  json["volume"] = binary.volume;
  json["device"] = machine.device;
  json["machine"] = machine.description;
  json["version"] = TAMIS_VERSION;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void print(const Binary& binary, Phase phase, const Machine& machine) {
  if (binary.method == ThresholdMethod::Band) {
    fmt::print("threshold {:.10g}:{:.10g} (band)\n", binary.threshold, binary.high);
  } else {
    fmt::print("threshold {:.10g} ({})\n", binary.threshold, name(binary.method));
  }
  const double share =
      static_cast<double>(binary.volume) / static_cast<double>(std::max<std::int64_t>(binary.domain_volume, 1));
  fmt::print("{} {:.4g} % ({} of {} voxels)\nran on {}\n", word_of(phase, phases), 100 * share, binary.volume,
             binary.domain_volume, machine.description);
}

void run(const MapFlags& flags, Session& session) {
  const std::optional<ThresholdOptions> options = flags.arguments.as<ThresholdArguments>().options();
  if (!options) throw InputError("wanted one of --method, --value and --band");
  const Context context = flags.compute.context(session);
  require_device(context);
  Input input = open_input(flags.in, flags.input.read(), flags.region, session.cancel);
  Outputs outputs(session);
  outputs.protect(flags.in);
  if (flags.region.has_mask_file()) outputs.protect(flags.region.roi);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  const Layout layout{Type::U8, input.layout().shape, 1, input.layout().spacing};
  outputs.check_format(flags.out, layout);

  require_memory(context, "the object, a bit a voxel, and what is written at a time",
                 image_bytes(Type::Bool, layout.shape) + bytes_of_copy(layout));
  const Binary binary = about_file(flags.in, [&] { return binarise(context, *input.source, *options, input.region); });
  const Machine machine = machine_of(context, binary);
  copy(context, *black_and_white(binary.object), *outputs.create(flags.out, layout));
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(input, binary, options->phase, machine));
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) print(binary, options->phase, machine);
}

}  // namespace

void add_threshold(const Command& program, Session& session) {
  add_map_command(program, session, "threshold", "the value and what became of it, as JSON", run);
}

}  // namespace tamis::cli
