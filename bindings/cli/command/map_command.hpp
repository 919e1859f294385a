// Commands that make an image of an image, and say as JSON how: distances and thresholds.
#pragma once

#include <string>

#include "cli/command/commands.hpp"
#include "cli/input/image.hpp"
#include "cli/option/parameters.hpp"

namespace tamis::cli {

struct MapFlags {
  std::string in, out, json;
  Arguments arguments;
  InputFlags input;
  RegionFlags region;
  ComputeFlags compute;
};

/// The command of that operation; `json` is what the file of --json holds.
void add_map_command(const Command& program, Session& session, const char* name, const char* json,
                     void (*run)(const MapFlags&, Session&));

}  // namespace tamis::cli
