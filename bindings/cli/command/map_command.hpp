// Commands that make an image of an image, and say as JSON how: distances and thresholds.
#pragma once

#include <string>

#include "cli/command/commands.hpp"
#include "cli/input/image.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/files.hpp"
#include "cli/output/report.hpp"

namespace tamis::cli {

struct MapFlags {
  std::string in, out, json;
  Arguments arguments;
  InputFlags input;
  RegionFlags region;
  ComputeFlags compute;
};

/// What became of an image.
struct MapTold {
  nlohmann::ordered_json json;  ///< behind the file and its shape
  std::string text;
  std::string warning;  ///< empty: none
};
/// How an object was told from the rest, as JSON.
inline void add_threshold_of(nlohmann::ordered_json& json, const Binary& binary) {
  json["threshold"] = binary.threshold;
  if (binary.method == ThresholdMethod::Band) json["high"] = binary.high;
  json["method"] = name(binary.method);
}
/// Writes the image.
using MapRun = MapTold (*)(const MapFlags& flags, const Context& context, Input& input, Outputs& outputs);

/// The command of that operation; `json` is what the file of --json holds.
void add_map_command(const Command& program, Session& session, const char* name, const char* json, MapRun run);

}  // namespace tamis::cli
