// Work on files that Ctrl-C ends.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <stop_token>
#include <system_error>
#include <type_traits>

#include <tamis/error.hpp>

namespace tamis::python {

/// Runs work() on a thread of its own, without the GIL. Only Python's main thread hears signals, and it may wait long for a
/// disk or a decoder: meanwhile this one listens, and asks `stop` to stop the work. Of few `bytes` the work is done before
/// a thread has started, and so by this one.
template <class Work>
auto watched(std::stop_source& stop, std::int64_t bytes, const Work& work) {
  namespace nb = nanobind;
  constexpr std::int64_t few = std::int64_t{1} << 20;
  if (bytes <= few) {
    const nb::gil_scoped_release released;
    return work();
  }
  std::future<std::invoke_result_t<Work>> done;
  try {
    done = std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    throw ResourceError("no thread could be started");
  }
  std::optional<nb::python_error> signal;
  {
    const nb::gil_scoped_release released;
    while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      const nb::gil_scoped_acquire gil;
      if (signal || PyErr_CheckSignals() == 0) continue;
      signal.emplace();
      stop.request_stop();
    }
  }
  if (!signal) return done.get();
  try {
    static_cast<void>(done.get());
  } catch (...) {  // what it says of its end is not what the caller has to hear
  }
  throw nb::python_error(std::move(*signal));
}

}  // namespace tamis::python
