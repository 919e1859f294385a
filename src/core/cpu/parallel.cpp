#include "core/cpu/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <string>

#include <tamis/error.hpp>

#ifdef TAMIS_STD_THREADS
#include <thread>
#include <vector>
#else
#include <dlfcn.h>
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>
#endif

namespace tamis {
namespace {

void unless_cancelled(const Context& context, std::int64_t i, const std::function<void(std::int64_t)>& body) {
  if (context.cancel.stop_requested()) throw Cancelled();
  body(i);
}

/// The first exception of several threads, which no frame of another library has to let through: oneTBB may stand on
/// another C++ runtime than this library does, as in wheels.
class FirstFailure {
 public:
  [[nodiscard]] bool has_come() const { return come_.load(std::memory_order_relaxed); }
  /// To be called while an exception is handled.
  void keep() {
    const std::lock_guard lock(guard_);
    if (!first_) first_ = std::current_exception();
    come_.store(true, std::memory_order_relaxed);
  }
  /// Once all threads are done.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> come_{false};
  std::mutex guard_;
  std::exception_ptr first_;
};

}  // namespace

#ifdef TAMIS_STD_THREADS

int thread_count(const Context& context) {
  return context.threads > 0 ? context.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(const Context& context, std::int64_t count, const std::function<void(std::int64_t)>& body) {
  std::atomic<std::int64_t> next{0};
  FirstFailure failure;
  const auto work = [&] {
    try {
      for (std::int64_t i = next++; i < count && !failure.has_come(); i = next++) unless_cancelled(context, i, body);
    } catch (...) {
      failure.keep();
    }
  };
  {
    std::vector<std::jthread> workers;
    const std::int64_t helpers = std::min<std::int64_t>(thread_count(context), count) - 1;
    for (std::int64_t i = 0; i < helpers; ++i) workers.emplace_back(work);
    work();
  }
  failure.rethrow();
}

#else

namespace {

/// Keeps oneTBB loaded: its workers live on when dlclose() has unloaded this library, and their code has to stay.
void keep_code_of_workers() {
  static const bool done = [] {
    Dl_info workers{};
    return dladdr(reinterpret_cast<const void*>(&TBB_runtime_version), &workers) != 0 &&
           dlopen(workers.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
  }();
  static_cast<void>(done);
}

/// Asks for the memory with which oneTBB can start: where it ends meanwhile, the call that starts it may wait for ever.
void require_room_to_start() {
  static const bool started = [] {
    void* volatile room = std::malloc(std::size_t{4} << 20);
    if (!room) throw std::bad_alloc();
    std::free(room);
    return true;
  }();
  static_cast<void>(started);
}

}  // namespace

int thread_count(const Context& context) {
  // oneTBB has no more workers than cores, and says so on stderr if asked for more.
  const int cores = std::max(1, tbb::info::default_concurrency());
  return std::min(context.threads > 0 ? context.threads : tbb::this_task_arena::max_concurrency(), cores);
}

void parallel_for(const Context& context, std::int64_t count, const std::function<void(std::int64_t)>& body) {
  const int threads = thread_count(context);
  if (threads == 1 || count == 1) {
    for (std::int64_t i = 0; i < count; ++i) unless_cancelled(context, i, body);
    return;
  }
  keep_code_of_workers();
  require_room_to_start();
  FirstFailure failure;
  tbb::task_group_context group;
  const auto run = [&](const tbb::blocked_range<std::int64_t>& range) {
    try {
      for (std::int64_t i = range.begin(); i < range.end() && !failure.has_come(); ++i) {
        unless_cancelled(context, i, body);
      }
    } catch (...) {
      failure.keep();
      group.cancel_group_execution();  // or every other share would still be made, only to end at once
    }
  };
  const auto loop = [&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count, 1), run, tbb::simple_partitioner{}, group);
  };
  try {
    // An arena of its own costs more than a small loop; only a request for another number of threads needs one.
    if (context.threads <= 0 || threads == tbb::this_task_arena::max_concurrency()) {
      // While this thread waits it takes no other task of the caller's, who may hold a lock that such a task wants.
      tbb::this_task_arena::isolate(loop);
    } else {
      tbb::task_arena(threads).execute(loop);
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // oneTBB's own: those of `body` do not come this way
    throw ResourceError(std::to_string(threads) + " threads cannot be had: " + error.what() + "; wanted them, or fewer");
  }
  failure.rethrow();
}

#endif

}  // namespace tamis
