#include "cli/program.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace tamis::cli {
namespace {

constexpr int bad_input = 2;
constexpr int interrupted = 130;
/// Set by the handler of SIGBUS, which then wakes the thread that waits for signals.
volatile std::sig_atomic_t input_shrank = 0;

/// A mapped input that another program shortens has no samples any more, and the thread that wants them cannot go on.
/// The one that watches ends the program in words, and removes what has no name yet.
void on_bus_error(int, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    std::signal(SIGBUS, SIG_DFL);
    return;  // the access is tried again and ends the program
  }
  input_shrank = 1;
  kill(getpid(), SIGTERM);
  for (;;) pause();
}

void watch_bus_errors() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

SignalWatch::SignalWatch() {
  // A file that grows past its limit is an error of write(), with a message, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  // A reader that went away is an error of write() too: temporary files are removed on the way out.
  std::signal(SIGPIPE, SIG_IGN);
  watch_bus_errors();
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

void SignalWatch::end(int exit_code) {
  sudden_end_.request_stop();
  _exit(exit_code);
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
    if (input_shrank != 0) {
      static constexpr char words[] = "tamis: an input was shortened by another program while it was read\n";
      static_cast<void>(!::write(STDERR_FILENO, words, sizeof words - 1));
      end(bad_input);
    }
    if (source_.request_stop()) {
      first = Clock::now();
    } else if (Clock::now() - first > patience) {
      end(interrupted);
    }
  }
}

}  // namespace tamis::cli
