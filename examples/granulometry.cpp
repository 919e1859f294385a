// The sizes of the pores of a scan, with progress; Ctrl-C ends it at once.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stop_token>
#include <thread>

#include <tamis/tamis.hpp>

namespace {

std::atomic<bool> interrupted{false};

/// A signal handler may not stop the work itself; this thread asks it to.
std::jthread stop_on_interrupt(std::stop_source work) {
  std::signal(SIGINT, [](int) { interrupted = true; });
  return std::jthread([work](const std::stop_token& end) mutable {
    while (!end.stop_requested()) {
      if (interrupted) work.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: granulometry FILE\n";
    return 2;
  }
  std::stop_source stop;
  const std::jthread watcher = stop_on_interrupt(stop);
  tamis::Context context = tamis::Context::best();
  context.cancel = stop.get_token();
  context.on_progress = [](const tamis::Progress& progress) {
    std::cerr << '\r' << progress.stage << ' ' << progress.done;
    if (progress.total > 0) std::cerr << " of " << progress.total;
  };
  try {
    // Slice by slice: a volume need never be whole in memory, only its bits.
    tamis::ReadOptions options;
    options.cancel = stop.get_token();
    const auto source = tamis::open_file(arguments[1], options);
    const tamis::Binary pores =
        tamis::binarise(context, *source, {.method = tamis::ThresholdMethod::Otsu, .phase = tamis::Phase::Dark});
    const tamis::Sizes sizes = tamis::granulometry(context, pores.object, {}, pores.domain);
    std::cerr << '\n';
    for (std::int64_t row = 0; row < sizes.rows(); ++row) {
      std::cout << sizes.size(row) << '\t' << sizes.fraction(row) << '\n';
    }
  } catch (const tamis::Cancelled& error) {
    std::cerr << '\n' << error.what() << '\n';
    return 130;
  } catch (const std::exception& error) {
    std::cerr << '\n' << error.what() << '\n';
    return 1;
  }
}
