// NaN in images on a device.
#pragma once

#include <tamis/image.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// Queued: sets `found` if an F32 image holds NaN.
void find_nan(const Stream& stream, const DeviceImage& image, const Shape& shape, unsigned* found);

/// Whether an F32 image holds NaN.
class NanSearch {
 public:
  explicit NanSearch(const Stream& stream) : stream_(stream), flag_(stream, 1) { flag_.clear(); }

  void look_at(const DeviceImage& image, const Shape& shape) const { find_nan(stream_, image, shape, flag_.data()); }
  /// For kernels that look by themselves.
  [[nodiscard]] unsigned* flag() const { return flag_.data(); }
  /// Waits.
  [[nodiscard]] bool found() const {
    const PinnedBuffer<unsigned> host(stream_, 1);
    check(cudaMemcpyAsync(host.data(), flag_.data(), sizeof(unsigned), cudaMemcpyDeviceToHost, stream_.get()),
          "read a flag");
    stream_.synchronize();
    return host[0] != 0;
  }

 private:
  const Stream& stream_;
  DeviceBuffer<unsigned> flag_;
};

}  // namespace tamis::cuda
