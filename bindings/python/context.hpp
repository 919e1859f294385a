// The keywords that every operation has, and one call with them: the context, the GIL, signals and progress.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/error.hpp>

#include "python/arguments.hpp"

namespace tamis::python {

/// As they come from Python; not valid where nothing was given.
struct Keywords {
  nb::handle device;
  nb::handle threads;
  nb::handle memory;
  nb::handle device_memory;
  nb::handle simd;
  nb::handle progress;
};

/// One call of an operation. Python may have several at a time, each in its thread.
class Call {
 public:
  explicit Call(const Keywords& keywords);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  [[nodiscard]] const Context& context() const { return context_; }

  /// Runs work(context) without the GIL. Ctrl-C, and an error in `progress`, end it and come out as they are.
  template <class Work>
  auto run(Work work) {
    using Result = std::invoke_result_t<Work, const Context&>;
    try {
      if constexpr (std::is_void_v<Result>) {
        {
          const nb::gil_scoped_release released;
          work(context_);
        }
        rethrow();
      } else {
        std::optional<Result> result;
        {
          const nb::gil_scoped_release released;
          result.emplace(work(context_));
        }
        rethrow();
        return std::move(*result);
      }
    } catch (const Cancelled&) {
      rethrow();
      throw;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  void set_place(const Keywords& keywords);
  void show_progress(nb::handle progress);
  void watch(const Progress& progress);
  void report(std::string_view stage, std::int64_t done, std::int64_t total);
  void keep_error();
  /// What was kept while the GIL was not held: an error, and notes, which become warnings.
  void rethrow();

  Context context_;
  std::stop_source stop_;
  std::thread::id thread_;
  Clock::time_point next_look_;
  nb::object progress_;
  bool own_bar_ = false;
  std::int64_t total_ = 0;
  std::optional<nb::python_error> error_;
  std::mutex notes_mutex_;
  std::vector<std::string> notes_;
};

}  // namespace tamis::python
