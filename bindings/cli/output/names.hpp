// The files that a command can write, each described once, and their names where several results have files of their
// own:
// "{name}" and "{phase}" stand for what tells them apart.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/option/command.hpp"
#include "cli/output/files.hpp"

namespace tamis::cli {

enum class FileKind {
  Any,
  Table,  ///< .csv or .xlsx
  Png,
  Plot,     ///< .svg, by gnuplot
  Picture,  ///< .png, by gnuplot
};

struct NamedOutput {
  const char* option;  ///< "--csv"
  std::string* path;   ///< empty: not wanted
  FileKind kind;
  bool own;  ///< each result has one for itself; otherwise all results stand in it together
  std::string text;
};
using NamedOutputs = std::vector<NamedOutput>;

/// Their options.
void add_outputs(const Command& command, std::span<const NamedOutput> named);
/// Throws InputError where files of `files` inputs, or of both phases, would have one name, or where what all results
/// stand in has a placeholder.
void require_names(const NamedOutputs& named, std::size_t files, bool both);
/// Fills in the placeholders of own names: `input` is the file of the result, `phase` "bright" or "dark".
void fill_in(const NamedOutputs& named, const std::string& input, const std::string& phase);
/// Outputs::declare() of those that are wanted and own, or not.
void declare(Outputs& outputs, const NamedOutputs& named, bool own);
/// Throws ResourceError where one is wanted that gnuplot draws and there is none.
void require_gnuplot(const NamedOutputs& named, const std::stop_token& cancel);
/// Outputs::discard() of those that are own.
void discard_own(Outputs& outputs, const NamedOutputs& named);

}  // namespace tamis::cli
