// A named stage of an operation: times itself, reports progress, and is where cancellation takes effect.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

#include <tamis/context.hpp>
#include <tamis/error.hpp>

namespace tamis {

class Stage {
 public:
  Stage(const Context& context, std::string name, std::int64_t total = 0)
      : context_(context), name_(std::move(name)), total_(total), start_(Clock::now()) {
    advance(0);
  }
  /// Tells that the stage has ended, unless an exception ends it. What on_stage throws comes out: a stage lies in no
  /// object that destroys it without letting exceptions through, as std::optional does.
  ~Stage() noexcept(false) {
    if (!context_.on_stage || context_.cancel.stop_requested() || std::uncaught_exceptions() > thrown_) return;
    context_.on_stage(name_, seconds());
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// `steps` more are done. Any thread may call it. Throws Cancelled.
  void advance(std::int64_t steps = 1) {
    if (context_.cancel.stop_requested()) throw Cancelled();
    const std::int64_t done = done_.fetch_add(steps, std::memory_order_relaxed) + steps;
    if (!context_.on_progress) return;
    const std::unique_lock lock(reporting_, std::try_to_lock);  // whoever comes second need not report
    if (lock) context_.on_progress({name_, done, total_});
  }

  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  const Context& context_;
  std::string name_;
  std::int64_t total_;
  std::atomic<std::int64_t> done_{0};
  std::mutex reporting_;
  Clock::time_point start_;
  int thrown_ = std::uncaught_exceptions();  ///< before it
};

}  // namespace tamis
