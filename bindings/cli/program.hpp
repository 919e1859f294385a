// A program of commands: `tamis`, and what is made of the same commands.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include "cli/command/shared_work.hpp"
#include "cli/session.hpp"

namespace tamis::cli {

// Ctrl-C and SIGTERM ask the work to stop; a second one ends the program at once.

/// Construct before any other thread exists: threads inherit the blocked signals.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// Stop is requested when the program is about to end without unwinding: what hears it has the last word.
  [[nodiscard]] std::stop_token sudden_end() const { return sudden_end_.get_token(); }

 private:
  void watch();
  [[noreturn]] void end(int exit_code);

  sigset_t watched_{};
  std::stop_source source_;
  std::stop_source sudden_end_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

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
