// Ctrl-C and SIGTERM ask the work to stop; a second one ends the program at once.
#pragma once

#include <csignal>

#include <atomic>
#include <stop_token>
#include <thread>

namespace tamis::cli {

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

}  // namespace tamis::cli
