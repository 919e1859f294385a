#include "python/context.hpp"

#include <string>

#include "cli/option/parse.hpp"

namespace tamis::python {
namespace {

constexpr cli::Choice<Simd> simds[] = {
    {"best", Simd::Best}, {"avx512", Simd::Avx512}, {"avx2", Simd::Avx2}, {"portable", Simd::Portable}};

// Short for a person, long beside a call on a small array, which never takes the GIL back before its end.
constexpr std::chrono::milliseconds between_looks{50};

}  // namespace

Call::Call(const Keywords& keywords)
    : context_(Context::best()), thread_(std::this_thread::get_id()), next_look_(Clock::now() + between_looks) {
  const cli::DeviceChoice device = about_keyword("device='" + std::string(keywords.device) + "'",
                                                 [&] { return cli::parse_device(keywords.device); });
  context_.device = device.device;
  context_.gpu = device.gpu;
  if (keywords.threads < 0) {
    throw InputError("threads=" + std::to_string(keywords.threads) + ": wanted 0 for all cores, or their number");
  }
  context_.threads = keywords.threads;
  context_.memory_bytes = bytes_of(keywords.memory, "memory");
  context_.device_memory_bytes = bytes_of(keywords.device_memory, "device_memory");
  context_.simd = about_keyword("simd='" + std::string(keywords.simd) + "'",
                                [&] { return cli::parse_choice(keywords.simd, simds); });
  context_.cancel = stop_.get_token();
  context_.on_progress = [this](const Progress& progress) { watch(progress); };
  if (keywords.progress.is_none() || keywords.progress.is(nb::bool_(false))) return;
  own_bar_ = keywords.progress.is(nb::bool_(true));
  if (own_bar_) {
    progress_ = nb::module_::import_("tamis._progress").attr("Bar")();
  } else if (PyCallable_Check(keywords.progress.ptr()) != 0) {
    progress_ = nb::borrow(keywords.progress);
  } else {
    throw InputError("progress=" + text_of(keywords.progress) +
                     ": wanted True for a bar, or a function of (stage, done, total)");
  }
  context_.on_stage = [this](std::string_view stage, double) {
    if (std::this_thread::get_id() != thread_) return;
    const nb::gil_scoped_acquire gil;
    if (!error_) report(stage, total_, total_);
  };
}

Call::~Call() {
  if (!own_bar_) return;
  try {
    progress_.attr("close")();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("tamis progress bar");
  }
}

void Call::watch(const Progress& progress) {
  // Only the main thread of Python hears signals, and few progress bars like to be drawn from two threads. The thread
  // of the call works along with the others, so it comes by here often.
  if (std::this_thread::get_id() != thread_) return;
  total_ = progress.total;
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + between_looks;
  const nb::gil_scoped_acquire gil;
  if (error_) return;
  if (PyErr_CheckSignals() != 0) {
    keep_error();
  } else if (progress_.is_valid()) {
    report(progress.stage, progress.done, progress.total);
  }
}

void Call::report(std::string_view stage, std::int64_t done, std::int64_t total) {
  try {
    progress_(stage, done, total);
  } catch (nb::python_error& error) {
    error.restore();
    keep_error();
  }
}

/// Moves Python's current error here and stops the work.
void Call::keep_error() {
  error_.emplace();
  stop_.request_stop();
}

void Call::rethrow() {
  if (!error_) return;
  nb::python_error error = std::move(*error_);
  error_.reset();
  throw error;
}

}  // namespace tamis::python
