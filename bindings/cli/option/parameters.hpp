// The parameters of an operation as options of a command: max_size is --max-size.
#pragma once

#include <tamis/operations.hpp>

#include "cli/option/command.hpp"
#include "cli/session.hpp"

namespace tamis::cli {

/// A name as commands and options have it: "max-size" for "max_size".
[[nodiscard]] std::string hyphened(std::string name);
/// "--max-size" for "max_size".
[[nodiscard]] std::string flag_of(const std::string& parameter);

/// A message of the library as people of the command line read it: `channel 0` is --channel 0.
[[nodiscard]] std::string with_flags(std::string_view message);

/// Adds an option for each parameter; their texts are put into `arguments`, which has to live as long as the program.
void add_parameters(const Command& command, const OperationDescription& operation, Arguments& arguments,
                    const Session& session);
/// The lines of its examples, for the foot of a help.
[[nodiscard]] std::string examples_text(const OperationDescription& operation);
/// One of them.
void add_parameter(const Command& command, const Parameter& parameter, Arguments& arguments, const Session& session);

}  // namespace tamis::cli
