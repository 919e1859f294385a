// A program of commands: `tamis`, and what is made of the same commands.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/command/shared_work.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"

namespace tamis::cli {

struct Program {
  std::string name;
  std::string text;      ///< what it does, in one line
  std::string examples;  ///< under its help
  std::function<void(CLI::App& app, Session& session)> add_commands;
  SharedWork* shared = nullptr;  ///< measures in the place of this process
};

/// Runs what the arguments ask for, and says what went wrong. Returns the exit code.
int run(const Program& program, const SignalWatch& signals, int argc, char** argv);

}  // namespace tamis::cli
