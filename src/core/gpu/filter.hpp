// A filter on a GPU. A family describes and makes it, once; core runs it on images of the host (host.hpp), on arrays of
// others (array/call.hpp), on memory of the caller again and again (prepared.hpp) and on frames (frames.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/element.hpp>
#include <tamis/image.hpp>
#include <tamis/image/border.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

// NaN in images on a device.

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

/// Made for images of one type and shape, and queued on its stream as often as wanted. A step of a filter is one too.
class DeviceFilter {
 public:
  DeviceFilter() = default;
  virtual ~DeviceFilter() = default;
  DeviceFilter(const DeviceFilter&) = delete;
  DeviceFilter& operator=(const DeviceFilter&) = delete;

  /// Queued. Both images lie as DeviceStore has them and are not the same; the padding of rows of `out` may be written.
  /// `nan`: null, or for a filter that looks for NaN a flag that becomes 1 if the image holds some.
  virtual void run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const = 0;
  /// Whether kernels that read an F32 image anyway say if it holds NaN, so that no other has to.
  [[nodiscard]] virtual bool looks_for_nan() const { return false; }
};

using DeviceStep = std::unique_ptr<DeviceFilter>;
using DeviceSteps = std::vector<DeviceStep>;

/// Images that steps go between: all are of one layout, `bytes` long.
struct StepImages {
  DeviceImage image, out;
  DeviceImage between;  ///< not used where there is one run of one step, or none
  std::int64_t bytes = 0;
};
/// Queues steps one after the other, all of them `times` over. No steps: a copy. `nan` is for the first one.
void run_steps(const Stream& stream, const DeviceSteps& steps, std::int64_t times, const StepImages& images,
               unsigned* nan);

/// A filter's reach for GpuFilter: nothing where images of this shape cannot be cut, by slices or, of one, by rows.
[[nodiscard]] std::optional<Offset> reach_if_local(const Offset& reach, const Shape& shape);

/// What a family says of a filter before it is made.
struct GpuFilter {
  std::string_view what;  ///< "erode", "median": for messages
  Type type = Type::U8;
  Shape shape;
  NanPolicy nan = NanPolicy::Refuse;
  /// How far the samples lie that a result depends on, along each axis, to either side; with the results between the
  /// steps of the filter. Nothing: it may depend on the whole image.
  std::optional<Offset> reach;
  int images = 2;  ///< held on the device at a time, the image and its result among them
  /// For images of this shape, which is the filter's or that of a slab of it. `around_nan`: F32 images may hold NaN,
  /// which is left out; otherwise they hold none, or the results are of no use.
  std::function<std::unique_ptr<DeviceFilter>(const Stream& stream, const Shape& shape, bool around_nan)> make = {};

  [[nodiscard]] bool refuses_nan() const { return type == Type::F32 && nan == NanPolicy::Refuse; }
  [[nodiscard]] bool leaves_nan_out() const { return type == Type::F32 && nan == NanPolicy::Ignore; }
};
/// Plans a filter, or throws InputError: called when it is known that there is a GPU.
using PlanFilter = std::function<GpuFilter()>;

/// Queues a filter, and a search for NaN where its kernels do not look. `nan`: null if nobody asks.
void run_and_look(const Stream& stream, const DeviceFilter& filter, const Shape& shape, const DeviceImage& image,
                  const DeviceImage& out, unsigned* nan);
/// Makes and queues a filter for an image of which nobody knows whether it holds NaN: of F32 it waits until that is
/// known. False if there is some that is refused; `out` is of no use then.
[[nodiscard]] bool run_once(const Stream& stream, const GpuFilter& filter, const Shape& shape, const DeviceImage& image,
                            const DeviceImage& out);
/// Throws InputError: "the array" (`where`: " at x 3") holds NaN, which is refused.
[[noreturn]] void refuse_nan(const GpuFilter& filter, const std::string& whose, const std::string& where = {});

}  // namespace tamis::cuda
