#include "core/frames.hpp"

#include <string>

#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "core/door.hpp"

namespace tamis {
namespace core_detail {
namespace {

constexpr int most = 64;

}  // namespace

FrameWork::FrameWork(Device on, int frames) : device(on), most_in_flight(frames) {
  if (frames >= 1 && frames <= most) return;
  throw InputError("frames in flight: " + std::to_string(frames) + "; wanted 1 to " + std::to_string(most));
}

Device device_of_frames(const Context& context) {
  require_device(context);
  if (context.device != Device::Auto) return context.device;
  return why_no_gpu().empty() ? Device::Cuda : Device::Cpu;
}

}  // namespace core_detail

Frames::~Frames() = default;
Frames::Frames(Frames&&) noexcept = default;
Frames& Frames::operator=(Frames&&) noexcept = default;

Device Frames::device() const { return door::require_there(work_, "frames").device; }
int Frames::in_flight() const { return door::require_there(work_, "frames").in_flight; }
bool Frames::full() const { return in_flight() == work_->most_in_flight; }

void Frames::submit(const void* frame, void* result) {
  door::require_pointer(frame, "a frame");
  door::require_pointer(result, "memory for the result of a frame");
  if (full()) {
    throw InputError("a frame while " + std::to_string(in_flight()) +
                     " are in flight; wanted take() first, or more in flight");
  }
  door::guarded("a frame", [&] { work_->submit(frame, result); });
  ++work_->in_flight;
}

void* Frames::take() {
  if (in_flight() == 0) throw InputError("a result while no frame is in flight; wanted submit() first");
  --work_->in_flight;
  return work_->take();
}

}  // namespace tamis
