// The options that several commands share, each described once.
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/io.hpp>
#include <tamis/threshold.hpp>

#include "parse.hpp"
#include "session.hpp"

namespace tamis::cli {

inline constexpr Choice<Phase> phases[] = {{"bright", Phase::Bright}, {"dark", Phase::Dark}};
inline constexpr Choice<Simd> simds[] = {
    {"best", Simd::Best}, {"avx512", Simd::Avx512}, {"avx2", Simd::Avx2}, {"portable", Simd::Portable}};
inline constexpr Choice<ByteOrder> byte_orders[] = {{"little", ByteOrder::Little}, {"big", ByteOrder::Big}};

/// An option whose text `read` turns into `target`. A refusal is prefixed with the option and the text.
/// `metavar` is shown in the help; lower-case words in it, split at '|', are what the shell completes.
template <class Target, class Read>
CLI::Option* add_value(CLI::App& app, const std::string& flag, const std::string& metavar, Target& target, Read read,
                       const std::string& description) {
  const auto store = [flag, read, &target](const std::string& text) {
    try {
      target = read(text);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{} {}: {}", flag, shown(text), error.what()));
    }
  };
  return app.add_option_function<std::string>(flag, store, description)->type_name(metavar);
}

/// How to read the input files.
struct InputFlags {
  ReadOptions read;
  std::string spacing_text;  ///< as it was given
  void add_to(CLI::App& app);
};

/// The part of the image that counts.
struct RegionFlags {
  std::string roi;  ///< "", "cylinder" or the file of a mask
  std::optional<CropRanges> crop;
  std::string crop_text;  ///< as it was given
  [[nodiscard]] bool has_mask_file() const { return !roi.empty() && roi != "cylinder"; }
  void add_to(CLI::App& app);
  void add_crop_to(CLI::App& app);
};

/// Where and how to compute.
struct ComputeFlags {
  DeviceChoice device;
  int threads = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t device_memory_bytes = 0;
  Simd simd = Simd::Best;
  bool quiet = false;
  void add_to(CLI::App& app);
  /// All but the device, for commands that only the CPU has.
  void add_cpu_to(CLI::App& app);
  /// Only --memory, for commands whose work is writing.
  void add_memory_to(CLI::App& app);
  /// Only --quiet, for commands that do not compute.
  void add_quiet_to(CLI::App& app);
  /// A context with these choices that reports its progress to the session.
  [[nodiscard]] Context context(Session& session) const;
};

/// An option that names a file to write.
CLI::Option* add_output(CLI::App& app, const std::string& flag, std::string& target, const std::string& description);

/// --phase, for everything that makes an object of grey values.
void add_phase(CLI::App& app, Phase& phase);

}  // namespace tamis::cli
