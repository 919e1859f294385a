// The parameters of an operation as options of a command: max_size is --max-size.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tamis/io.hpp>
#include <tamis/operations.hpp>

#include "cli/option/command.hpp"

namespace tamis::cli {

/// A name as commands and options have it: "max-size" for "max_size".
[[nodiscard]] std::string hyphened(std::string name);
/// "--max-size" for "max_size".
[[nodiscard]] std::string flag_of(const std::string& parameter);

/// A message of the library as people of the command line read it: `channel 0` is --channel 0.
[[nodiscard]] std::string with_flags(std::string_view message);

/// The elements of a command line. They are parsed when the command runs, for only then is it known how the files of
/// their masks may be read.
struct ElementTexts {
  std::vector<std::pair<std::string, std::string>> given;  ///< a parameter's name and its text
  /// Throws InputError for what is no element, and names its option.
  void parse_into(Arguments& arguments, const ReadOptions& read) const;
};

/// Adds an option for each parameter; their texts are put into `arguments`, those of elements into `elements`. Both
/// have to live as long as the program. Operations without elements need no `elements`.
void add_parameters(const Command& command, const OperationDescription& operation, Arguments& arguments,
                    ElementTexts* elements = nullptr);
/// The lines of its examples, for the foot of a help.
[[nodiscard]] std::string examples_text(const OperationDescription& operation);
/// One of them.
void add_parameter(const Command& command, const Parameter& parameter, Arguments& arguments,
                   ElementTexts* elements = nullptr);

}  // namespace tamis::cli
