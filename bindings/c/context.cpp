#include "c/context.hpp"

#include <string>

#include <tamis/operations/arguments.hpp>
#include <tamis/error.hpp>

#include "c/call.hpp"
#include "c/error.hpp"

namespace tamis::c {
namespace {

std::stop_token token_of(const tamis_context* context) {
  if (!context) return {};
  const std::lock_guard lock(context->guard);
  return context->stop.get_token();
}

}  // namespace

CallContext::CallContext(const tamis_context* context)
    : follows_(token_of(context), Stop{&own_}), context_(Context::best()) {
  if (context) {
    context->running.as<RunningArguments>().put_into(context_);
    context_.stream = context->stream;
    if (context->progress) {
      context_.on_progress = [this, tell = context->progress, user = context->user](const Progress& progress) {
        const std::string stage(progress.stage);
        if (tell(user, stage.c_str(), progress.done, progress.total) != 0) own_.request_stop();
      };
    }
  }
  context_.cancel = own_.get_token();
  require_device(context_);
}

void CallContext::require_wanted() const {
  if (own_.stop_requested()) throw Cancelled();
}

}  // namespace tamis::c

using namespace tamis;
using namespace tamis::c;

tamis_status tamis_context_new(tamis_context** context) {
  return guarded([&] {
    require_pointer(context, "context", "the address of a tamis_context*");
    *context = new tamis_context;
  });
}

void tamis_context_free(tamis_context* context) { delete context; }

tamis_status tamis_context_set(tamis_context* context, const char* name, const char* value) {
  return guarded([&] {
    require_pointer(context, "context", "one of tamis_context_new");
    require_pointer(name, "name", "device, threads, memory, device_memory or simd");
    require_pointer(value, name, "a text");
    set_parameter(running(), "a context", context->running, name, value);
  });
}

tamis_status tamis_context_on_progress(tamis_context* context, tamis_progress progress, void* user) {
  return guarded([&] {
    require_pointer(context, "context", "one of tamis_context_new");
    context->progress = progress;
    context->user = user;
  });
}

tamis_status tamis_context_on_stream(tamis_context* context, void* stream) {
  return guarded([&] {
    require_pointer(context, "context", "one of tamis_context_new");
    context->stream = stream;
  });
}

tamis_status tamis_context_stop(tamis_context* context, int stop) {
  return guarded([&] {
    require_pointer(context, "context", "one of tamis_context_new");
    std::stop_source source;
    {
      const std::lock_guard lock(context->guard);
      if (stop == 0 && context->stop.stop_requested()) context->stop = std::stop_source();
      source = context->stop;
    }
    if (stop != 0) source.request_stop();
  });
}
