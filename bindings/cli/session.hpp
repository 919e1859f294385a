// What one run of the program carries along: cancellation, progress on the terminal, times of the stages.
#pragma once

#include <chrono>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/io.hpp>
#include <tamis/operations.hpp>

namespace tamis::cli {

// A progress bar on a terminal, for work that takes longer than a second. Nothing in pipes and files.

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Draws at most ten times a second. Any thread may call it.
  void report(const Progress& progress);
  /// Takes the bar off the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  const bool terminal_;
  const Clock::time_point start_;
  std::mutex drawing_;
  Clock::time_point drawn_;
  bool visible_ = false;
};

/// Seconds spent in each stage, in the order in which they first ended.
class StageTimes {
 public:
  void add(std::string_view stage, double seconds);
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& all() const { return times_; }
  void clear() { times_.clear(); }

 private:
  std::vector<std::pair<std::string, double>> times_;
};

/// A file that could not be used while the command went on with the others (--keep-going).
struct Failure {
  std::string file;
  std::string message;
};

class SharedWork;

struct Session {
  std::stop_token cancel;
  std::stop_token sudden_end;  ///< the program is about to end without a way out: hidden files go now
  ProgressBar progress;
  StageTimes times;
  std::vector<Failure> failures;  ///< told at the end, each on a line of its own; the exit code then says bad input
  std::vector<std::string> notes;  ///< of what happened on the way (a GPU that failed), told at the end
  int exit_code = 0;              ///< of a command that went well: 0, or 3 where there is no answer
  SharedWork* shared = nullptr;   ///< processes that measure together; null: this one does
  Arguments writing = tamis::writing().defaults;  ///< how all images are written: WriteOptions
};

}  // namespace tamis::cli
