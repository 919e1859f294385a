// tamis threshold: grey values to black and white.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "commands.hpp"
#include "input.hpp"
#include "outputs.hpp"
#include "streaming.hpp"

namespace tamis::cli {
namespace {

struct ThresholdFlags {
  std::string in;
  std::string out;
  std::string json;
  std::optional<ThresholdOptions> choice;
  Phase phase = Phase::Bright;
  InputFlags input;
  RegionFlags region;
  ComputeFlags compute;
};

/// What it ran on: "cpu" or "cuda:0", and the same for people.
struct Machine {
  std::string device;
  std::string description;
};

Machine machine_of(const Context& context, const Layout& layout) {
  const Device device = choose_device(context, layout.shape.count());
  return {device_text({device, context.gpu}), context.describe(device)};
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

void run(ThresholdFlags& flags, Session& session) {
  if (!flags.choice) throw InputError("wanted one of --method, --value and --band");
  const Context context = flags.compute.context(session);
  require_device(context);
  Input input = open_input(flags.in, flags.input.read, flags.region, session.cancel);
  Outputs outputs(session);
  outputs.protect(flags.in);
  if (flags.region.has_mask_file()) outputs.protect(flags.region.roi);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  const Layout layout{Type::U8, input.layout().shape, 1, input.layout().spacing};
  outputs.check_format(flags.out, layout);

  require_memory(context, "the object, a bit a voxel, and what is written at a time",
                 image_bytes(Type::Bool, layout.shape) + bytes_of_copy(layout));
  ThresholdOptions options = *flags.choice;
  options.phase = flags.phase;
  const Binary binary = about_file(flags.in, [&] { return binarise(context, *input.source, options, input.region); });
  const Machine machine = machine_of(context, layout);
  copy(context, *black_and_white(binary.object), *outputs.create(flags.out, layout));
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(input, binary, flags.phase, machine));
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) print(binary, flags.phase, machine);
}

ThresholdOptions fixed(const std::string& text) {
  ThresholdOptions options;
  options.method = ThresholdMethod::Value;
  options.value = parse_number(text);
  return options;
}

ThresholdOptions band(const std::string& text) {
  const Window range = parse_range(text);
  ThresholdOptions options;
  options.method = ThresholdMethod::Band;
  options.low = range.low;
  options.high = range.high;
  return options;
}

}  // namespace

void add_threshold(CLI::App& program, Session& session) {
  const auto flags = std::make_shared<ThresholdFlags>();
  CLI::App& app = *program.add_subcommand("threshold", "make a grey image black and white, and say at which value");
  app.add_option("in", flags->in, "the image or volume")->required()->type_name("FILE");
  app.add_option("out", flags->out, "u8, 255 in the object and 0 elsewhere; the ending chooses the format")
      ->required()
      ->type_name("FILE");
  CLI::Option* const method = add_value(app, "--method", "METHOD", flags->choice, parse_threshold_method,
                                        "choose the value: " + threshold_method_names());
  CLI::Option* const value = add_value(app, "--value", "V", flags->choice, fixed, "bright is above this value");
  CLI::Option* const range =
      add_value(app, "--band", "LO:HI", flags->choice, band, "bright is above LO and not above HI");
  method->excludes(value)->excludes(range)->group("Object");
  value->excludes(range)->group("Object");
  range->group("Object");
  add_phase(app, flags->phase);
  add_output(app, "--json", flags->json, "the value and what became of it, as JSON");
  flags->region.add_to(app);
  flags->input.add_to(app);
  flags->compute.add_to(app);
  app.footer(
      "tamis threshold scan.tif pores.tif --method otsu --phase dark\n"
      "tamis threshold scan_600x600x250_u16.raw grains.tif --band 2000:9000 --roi cylinder");
  app.callback([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
