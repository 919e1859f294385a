// What commands share that make one image of another: options, reading, writing, the summary.
#pragma once

#include <string>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/operations.hpp>

#include "cli/command/commands.hpp"
#include "cli/input/image.hpp"
#include "cli/option/options.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/files.hpp"

namespace tamis::cli {

/// Files, and where and how to compute.
struct FilterFlags {
  std::vector<std::string> in;  ///< of one type and shape; the last is the one that the result is like
  std::string out;
  std::string json;
  bool batch = false;
  bool resume = false;
  InputFlags input;
  RegionFlags region;  ///< the crop only
  std::string mask;    ///< the file that says what counts; empty: all does
  ComputeFlags compute;
  /// The positional arguments; before all other options.
  void add_files_to(const Command& command, const OperationDescription& operation);
  /// The rest, after the command's own options.
  void add_to(const Command& command, const OperationDescription& operation);
};

/// Reads, filters channel by channel, writes, tells. Errors name the file.
void run_filter(const FilterFlags& flags, Session& session, const OperationDescription& operation,
                const Arguments& arguments);

/// Of types that the library does not compute with the image becomes F32, which is told.
void take_as_f32(Input& input, const OperationDescription& operation, const Arguments& arguments, Session& session);

/// Reads an image that a filter can take, with all its channels; as a stack of images if `batch`.
[[nodiscard]] std::vector<Image> read_for_filter(const Context& context, Input& input, bool batch);

/// A spec; masks are read from files as `read` says, which can also cancel that.
[[nodiscard]] StructuringElement parse_element(const std::string& spec, const ReadOptions& read);

// Commands that make an image of an image, and say as JSON how: distances and thresholds.

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
