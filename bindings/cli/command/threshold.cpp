// tamis threshold: grey values to black and white.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/operations/arguments.hpp>
#include <tamis/operations/words.hpp>
#include <tamis/tamis.hpp>

#include "cli/command/map_command.hpp"
#include "cli/output/files.hpp"
#include "cli/output/report.hpp"

namespace tamis::cli {
namespace {

std::string threshold_text(const Binary& binary) {
  if (binary.method == ThresholdMethod::Band)
    return fmt::format("{:.10g}:{:.10g} (band)", binary.threshold, binary.high);
  return fmt::format("{:.10g} ({})", binary.threshold, name(binary.method));
}

MapTold run(const MapFlags& flags, const Context& context, Input& input, Outputs& outputs) {
  const std::optional<ThresholdOptions> options = flags.arguments.as<ThresholdArguments>().options();
  if (!options) throw InputError("wanted one of --method, --value and --band");
  const Layout layout{Type::U8, input.layout().shape, 1, input.layout().spacing};
  outputs.check_format(flags.out, layout);
  require_memory(context, "the object, a bit a voxel, and what is written at a time",
                 image_bytes(Type::Bool, layout.shape) + bytes_of_copy(layout));
  const Binary binary = about_file(flags.in, [&] { return binarise(context, *input.source, *options, input.region); });
  outputs.write_image(context, flags.out, *convert(source_of(binary.object), Type::U8, Window{0, 1}), layout);
  const std::string phase(word_of(options->phase, phases)), machine = context.describe(binary.device);
  nlohmann::ordered_json json;
  json["type"] = name(input.layout().type);
  add_threshold_of(json, binary);
  json["phase"] = phase;
  json["domain_volume"] = binary.domain_volume;
  json["volume"] = binary.volume;
  json["device"] = device_text({binary.device, context.gpu});
  json["machine"] = machine;
  const double share =
      static_cast<double>(binary.volume) / static_cast<double>(std::max<std::int64_t>(binary.domain_volume, 1));
  return {json,
          fmt::format("threshold {}\n{} {:.4g} % ({} of {} voxels)\nran on {}\n", threshold_text(binary), phase,
                      100 * share, binary.volume, binary.domain_volume, machine),
          ""};
}

}  // namespace

void add_threshold(const Command& program, Session& session) {
  add_map_command(program, session, "threshold", "the value and what became of it, as JSON", run);
}

}  // namespace tamis::cli
