// A point in a stream that the host or another stream can wait for.
#pragma once

#include <cuda_runtime_api.h>

#include "core/gpu/check.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

class Event {
 public:
  /// For streams of this device.
  explicit Event(int device) {
    const DeviceScope scope(device);
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "create an event");
  }
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Marks what is queued on the stream so far.
  void record(const Stream& stream) const { check(cudaEventRecord(event_, stream.get()), "record an event"); }
  /// The host waits for the mark; at once if there is none.
  void wait() const { check(cudaEventSynchronize(event_), "wait for the device"); }
  /// Whether the host need not wait for the mark, or there is none.
  [[nodiscard]] bool has_come() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());  // which is no error
      return false;
    }
    check(status, "ask the device");
    return true;
  }
  /// Later work of the stream waits for the mark.
  void hold(const Stream& stream) const { check(cudaStreamWaitEvent(stream.get(), event_, 0), "order two streams"); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace tamis::cuda
