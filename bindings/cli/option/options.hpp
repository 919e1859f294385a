// The options that several commands share, each described once.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include <tamis/operations/arguments.hpp>
#include <tamis/context.hpp>
#include <tamis/image/crop.hpp>
#include <tamis/error.hpp>
#include <tamis/io.hpp>
#include <tamis/operations.hpp>

#include "cli/option/command.hpp"
#include "cli/session.hpp"

namespace tamis::cli {

/// The text of an argument in a message: quotes where it is empty, its beginning where nobody would read it all.
[[nodiscard]] std::string shown(std::string_view text);

/// Runs `work` with the text of an option; an InputError then starts with both.
template <class Work>
void about_option(const std::string& flag, const std::string& text, Work work) {
  try {
    work();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} {}: {}{}", flag, shown(text), error.what(), decimal_point(text)));
  }
}

/// An option whose text `read` turns into `target`. A refusal is prefixed with the option and the text.
template <class Target, class Read>
void add_value(const Command& command, const OptionWords& words, Target& target, Read read) {
  command.add_option(words, [flag = words.name, read, &target](const std::string& text) {
    about_option(flag, text, [&] { target = read(text); });
  });
}

/// How to read the input files.
struct InputFlags {
  Arguments arguments = reading().defaults;
  [[nodiscard]] const ReadOptions& read() const { return arguments.as<ReadOptions>(); }
  void add_to(const Command& command);
  /// Only --follow and --unconfined, for commands whose files are masks.
  void add_for_any_file_to(const Command& command);
};

/// The part of the image that counts.
struct RegionFlags {
  std::string roi;  ///< "", "cylinder" or the file of a mask
  std::optional<CropRanges> crop;
  std::string crop_text;  ///< as it was given
  [[nodiscard]] bool has_mask_file() const { return !roi.empty() && roi != "cylinder"; }
  void add_to(const Command& command);
  void add_crop_to(const Command& command);
};

/// Where and how to compute.
struct ComputeFlags {
  Arguments arguments = running().defaults;
  bool quiet = false;
  [[nodiscard]] const RunningArguments& asked() const { return arguments.as<RunningArguments>(); }
  void add_to(const Command& command);
  /// All but the device, for commands that only the CPU has.
  void add_cpu_to(const Command& command);
  /// Only --memory, for commands whose work is writing.
  void add_memory_to(const Command& command);
  /// Only --quiet, for commands that do not compute.
  void add_quiet_to(const Command& command);
  /// A context with these choices that reports its progress to the session.
  [[nodiscard]] Context context(Session& session) const;

 private:
  void add(const Command& command, std::string_view name);
};

/// --slice: which one a picture shows.
void add_slice_option(const Command& command, std::optional<std::int64_t>& target);
/// The slice of `count` that is asked for, otherwise the middle one. Throws InputError for one that is not there.
[[nodiscard]] std::int64_t slice_in(const std::optional<std::int64_t>& slice, std::int64_t count);

/// How the images of a command are written.
void add_writing(const Command& command, Session& session);

/// An option that names a file to write.
void add_output(const Command& command, const std::string& flag, std::string& target, const std::string& description);

}  // namespace tamis::cli
