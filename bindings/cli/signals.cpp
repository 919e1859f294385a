#include "signals.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace tamis::cli {

SignalWatch::SignalWatch() {
  // A file that grows past its limit is an error of write(), with a message, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  // A reader that went away is an error of write() too: temporary files are removed on the way out.
  std::signal(SIGPIPE, SIG_IGN);
  sigemptyset(&watched_);
  sigaddset(&watched_, SIGINT);
  sigaddset(&watched_, SIGTERM);
  sigaddset(&watched_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &watched_, nullptr);
  thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);  // wakes sigwait
  thread_.join();
}

void SignalWatch::watch() {
  using Clock = std::chrono::steady_clock;
  // The first signal lets everything end in order. Only a user who still waits after that gets a sudden end.
  constexpr std::chrono::seconds patience{2};
  Clock::time_point first;
  for (;;) {
    int signal = 0;
    if (sigwait(&watched_, &signal) != 0) continue;
    if (over_) return;
    if (source_.request_stop()) {
      first = Clock::now();
    } else if (Clock::now() - first > patience) {
      _exit(130);
    }
  }
}

}  // namespace tamis::cli
