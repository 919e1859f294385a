// What Frames asks of a device.
#pragma once

#include <functional>
#include <memory>

#include <tamis/frames.hpp>

namespace tamis::core_detail {

/// Frames in flight on a device, taken in the order in which they came. Frames counts them.
class FrameWork {
 public:
  /// Throws InputError for more or fewer frames than 1 to 64.
  FrameWork(Device device, int most_in_flight);
  virtual ~FrameWork() = default;
  FrameWork(const FrameWork&) = delete;
  FrameWork& operator=(const FrameWork&) = delete;

  /// Only while fewer than `most_in_flight` frames are under way.
  virtual void submit(const void* frame, void* result) = 0;
  /// Only while a frame is under way. An error that the filter met with it is thrown here.
  virtual void* take() = 0;

  const Device device;
  const int most_in_flight;
  int in_flight = 0;
};

/// Cpu or Cuda. Throws ResourceError if the context asks for a GPU that is not there.
[[nodiscard]] Device device_of_frames(const Context& context);

}  // namespace tamis::core_detail

namespace tamis::core_detail::cpu {

using FilterFrame = std::function<void(const Context&, const Image&, Image& out)>;

/// Frames through a filter, whatever device the context names. Throws what the filter does of an image of zeros.
[[nodiscard]] std::unique_ptr<FrameWork> frames(const Context& context, Type type, const Shape& shape, int in_flight,
                                                FilterFrame filter);

}  // namespace tamis::core_detail::cpu
