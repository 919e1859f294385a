#include "signals.hpp"

#include <unistd.h>

#include <cstdlib>

namespace tamis::cli {

SignalWatch::SignalWatch() {
  // A file that grows past its limit is an error of write(), with a message, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  sigemptyset(&watched_);
  sigaddset(&watched_, SIGINT);
  sigaddset(&watched_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &watched_, nullptr);
  thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);  // wakes sigwait
  thread_.join();
}

void SignalWatch::watch() {
  for (;;) {
    int signal = 0;
    if (sigwait(&watched_, &signal) != 0) continue;
    if (over_) return;
    if (source_.stop_requested()) _exit(130);
    source_.request_stop();
  }
}

}  // namespace tamis::cli
