// What commands share that make one image of another: options, reading, writing, the summary.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "input.hpp"
#include "options.hpp"
#include "outputs.hpp"

namespace tamis::cli {

/// Files, and where and how to compute.
struct FilterFlags {
  std::string in;
  std::string out;
  std::string json;
  bool batch = false;
  InputFlags input;
  RegionFlags region;  ///< the crop only
  ComputeFlags compute;
  /// The positional arguments; before all other options.
  void add_files_to(CLI::App& app);
  /// The rest, after the command's own options.
  void add_to(CLI::App& app);
};

/// What a filter did, for the summary and --json.
struct FilterFacts {
  std::string command;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string plan;                ///< lines; may be empty
  std::optional<Device> device{};  ///< that did it, where it is not the one that was asked for
};

/// Reads, filters channel by channel, writes, tells. `facts` looks at a result. Errors name the file.
/// `between` says how many bytes the filter keeps beside an image and its result, where that is known beforehand.
void run_filter(const FilterFlags& flags, Session& session,
                const std::function<Image(const Context&, const Image&)>& filter,
                const std::function<FilterFacts(const Context&, const Image&)>& facts,
                const std::function<std::int64_t(const Layout&)>& between = {});

/// Reads an image that a filter can take, with all its channels; as a stack of images if `batch`.
[[nodiscard]] std::vector<Image> read_for_filter(const Context& context, Input& input, bool batch);

/// The context for filters of all that read_for_filter() reads of `inputs`: their memory limit is what the images and
/// the results leave. Throws EnvironmentError where these and what is `between` do not fit, before anything is read.
[[nodiscard]] Context beside_images(const Context& context, const std::vector<Layout>& inputs, std::int64_t between);

/// What is left to do with the results of a filter.
struct FilterResults {
  const std::vector<Image>& images;
  Layout layout;  ///< of the output file
  double reading_seconds = 0;
};
/// Writes and tells.
void finish_filter(const FilterFlags& flags, Session& session, const Context& context, Outputs& outputs,
                   const FilterResults& results, const FilterFacts& facts);

/// A spec; masks are read from files.
[[nodiscard]] StructuringElement parse_element(const std::string& spec, const std::stop_token& cancel = {});
/// "disk:2 (13 offsets)".
[[nodiscard]] std::string offsets_text(const StructuringElement& element, int rank);

CLI::Option* add_element(CLI::App& app, const Session& session, const std::string& flag, StructuringElement& target,
                         const std::string& description);
void add_border(CLI::App& app, Border& target);
/// --border with what traced lines have, and --lines.
void add_border_and_lines(CLI::App& app, Border& border, Lines& lines);
CLI::Option* add_nan(CLI::App& app, NanPolicy& target);
void add_connectivity(CLI::App& app, Connectivity& target);

}  // namespace tamis::cli
