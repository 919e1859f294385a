// tamis_context: where and how operations run.
#pragma once

#include <mutex>
#include <stop_token>

#include <tamis/tamis.h>
#include <tamis/context.hpp>
#include <tamis/operations.hpp>

/// The type that the header leaves open.
struct tamis_context {
  tamis::Arguments running = tamis::running().defaults;
  tamis_progress progress = nullptr;
  void* user = nullptr;
  void* stream = nullptr;    ///< a cudaStream_t
  mutable std::mutex guard;  ///< of `stop`
  std::stop_source stop;
};

namespace tamis::c {

/// A context of the library for one call: it ends when its caller's context is stopped, or progress says so.
class CallContext {
 public:
  /// `context` may be null: the best device, all cores. Throws InputError for a device that is none.
  explicit CallContext(const tamis_context* context);
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;

  [[nodiscard]] const Context& get() const { return context_; }
  /// Throws Cancelled if the caller has asked for an end, even where the work was done before it was seen.
  void require_wanted() const;

 private:
  struct Stop {
    std::stop_source* call;
    void operator()() const { call->request_stop(); }
  };

  std::stop_source own_;
  std::stop_callback<Stop> follows_;
  Context context_;
};

}  // namespace tamis::c
