// A progress bar on a terminal, for work that takes longer than a second. Nothing in pipes and files.
#pragma once

#include <chrono>
#include <mutex>

#include <tamis/context.hpp>

namespace tamis::cli {

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

}  // namespace tamis::cli
