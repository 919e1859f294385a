#include "python/context.hpp"

#include <nanobind/stl/string_view.h>

#include <string>

#include <tamis/operations/arguments.hpp>
#include <tamis/operations/parse.hpp>
#include <tamis/operations/words.hpp>

#include "python/function.hpp"

namespace tamis::python {
namespace {

// Short for a person, long beside a call on a small array, which never takes the GIL back before its end.
constexpr std::chrono::milliseconds between_looks{50};

}  // namespace

Call::Call(const Keywords& keywords)
    : context_(Context::best()), thread_(std::this_thread::get_id()), next_look_(Clock::now() + between_looks) {
  set_place(keywords);
  if (keywords.memory.is_valid()) context_.memory_bytes = bytes_of(keywords.memory, "memory");
  if (keywords.device_memory.is_valid()) {
    context_.device_memory_bytes = bytes_of(keywords.device_memory, "device_memory");
  }
  context_.cancel = stop_.get_token();
  context_.on_note = [this](std::string_view note) {
    const std::lock_guard lock(notes_mutex_);
    notes_.push_back(in_python(note));
  };
  context_.on_progress = [this](const Progress& progress) { watch(progress); };
  if (keywords.progress.is_valid()) show_progress(keywords.progress);
}

/// Where and on how many threads it runs.
void Call::set_place(const Keywords& keywords) {
  if (keywords.device.is_valid()) {
    const std::string_view text = text_argument(keywords.device, "device");
    const DeviceChoice device = about_argument("device", keywords.device, [&] { return parse_device(text); });
    put_device(device, context_);
  }
  if (keywords.threads.is_valid()) context_.threads = whole_argument(keywords.threads, "threads");
  if (context_.threads < 0) {
    throw InputError("threads=" + std::to_string(context_.threads) + ": wanted 0 for all cores, or their number");
  }
  if (keywords.simd.is_valid()) {
    const std::string_view text = text_argument(keywords.simd, "simd");
    context_.simd = about_argument("simd", keywords.simd, [&] { return parse_choice(text, instruction_sets); });
  }
}

void Call::show_progress(nb::handle progress) {
  if (progress.is_none() || progress.is(nb::bool_(false))) return;
  own_bar_ = progress.is(nb::bool_(true));
  if (own_bar_) {
    progress_ = nb::module_::import_("tamis._progress").attr("Bar")();
  } else if (PyCallable_Check(progress.ptr()) != 0) {
    progress_ = nb::borrow(progress);
  } else {
    throw InputError("progress=" + text_of(progress) +
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
  for (const std::string& note : std::exchange(notes_, {})) {
    if (PyErr_WarnEx(PyExc_UserWarning, note.c_str(), 1) != 0) throw nb::python_error();
  }
  if (!error_) return;
  nb::python_error error = std::move(*error_);
  error_.reset();
  throw error;
}

}  // namespace tamis::python
