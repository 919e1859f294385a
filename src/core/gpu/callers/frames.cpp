// Frames through a prepared filter: a stream for each direction of the bus and one for the kernels.
#include "core/gpu/callers/frames.hpp"

#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "core/door.hpp"
#include "core/gpu/callers/prepared.hpp"
#include "core/gpu/stream.hpp"

namespace tamis {
namespace cuda {
namespace {

/// Where a frame is on the device, and how far.
struct Place {
  Place(const Stream& kernels, const GpuFilter& filter)
      : image(kernels, filter.type, filter.shape),
        out(kernels, filter.type, filter.shape),
        nan(kernels, 1),
        host_nan(1),
        uploaded(kernels.device()),
        filtered(kernels.device()),
        downloaded(kernels.device()) {}

  DeviceStore image, out;
  DeviceBuffer<unsigned> nan;
  PinnedBuffer<unsigned> host_nan;
  Event uploaded, filtered, downloaded;
  void* result = nullptr;
};

class GpuFrames final : public core_detail::FrameWork {
 public:
  GpuFrames(int gpu, int most, GpuFilter planned)
      : FrameWork(Device::Cuda, most),
        up_(gpu),
        kernels_(gpu),
        down_(gpu),
        filter_(std::move(planned)),
        made_(make_warm(kernels_, filter_)) {
    for (int i = 0; i < most; ++i) places_.emplace_back(kernels_, filter_);
    kernels_.synchronize();  // the other streams use this memory
  }
  /// Memory goes back by the stream of the kernels, which the other two do not wait for.
  ~GpuFrames() override {
    static_cast<void>(cudaStreamSynchronize(up_.get()));
    static_cast<void>(cudaStreamSynchronize(kernels_.get()));
    static_cast<void>(cudaStreamSynchronize(down_.get()));
  }

  void submit(const void* frame, void* result) override {
    const DeviceScope scope(kernels_.device());
    // Its last frame was taken: no copy of it is under way.
    Place& place = place_of(submitted_);
    place.result = result;
    place.image.fill(up_, frame);
    place.uploaded.record(up_);
    place.uploaded.hold(kernels_);
    unsigned* const nan = filter_.refuses_nan() ? place.nan.data() : nullptr;
    if (nan != nullptr) place.nan.clear();
    run_and_look(kernels_, *made_, filter_.shape, place.image.get(), place.out.get(), nan);
    place.filtered.record(kernels_);
    place.filtered.hold(down_);
    place.out.read(down_, result);
    if (nan != nullptr) {
      check(cudaMemcpyAsync(place.host_nan.data(), nan, sizeof(unsigned), cudaMemcpyDeviceToHost, down_.get()),
            "read a flag");
    }
    place.downloaded.record(down_);
    ++submitted_;
  }

  void* take() override {
    Place& place = place_of(taken_);
    place.downloaded.wait();
    ++taken_;
    if (filter_.refuses_nan() && place.host_nan[0] != 0) refuse_nan(filter_, "a frame");
    return place.result;
  }

 private:
  [[nodiscard]] Place& place_of(std::size_t frame) { return places_[frame % places_.size()]; }

  Stream up_, kernels_, down_;
  GpuFilter filter_;
  std::unique_ptr<DeviceFilter> made_;
  std::deque<Place> places_;  ///< taken in turn
  std::size_t submitted_ = 0, taken_ = 0;
};

}  // namespace

std::unique_ptr<core_detail::FrameWork> frames(const Context& context, std::string_view what, const Shape& shape,
                                               int in_flight, const PlanFilter& plan) {
  const DeviceScope scope(usable_gpu(context));
  door::require_shape(Type::U8, shape, what);
  return std::make_unique<GpuFrames>(context.gpu, in_flight, plan());
}

}  // namespace cuda

PinnedMemory::PinnedMemory(std::int64_t bytes) {
  if (const std::string problem = why_no_gpu(); !problem.empty()) {
    throw ResourceError("page-locked memory: " + problem + "; wanted a GPU");
  }
  void* memory = nullptr;
  cuda::check(cudaHostAlloc(&memory, static_cast<std::size_t>(bytes), cudaHostAllocPortable),
              "allocate page-locked memory");
  std::memset(memory, 0, static_cast<std::size_t>(bytes));
  data_ = static_cast<std::byte*>(memory);
}
PinnedMemory::~PinnedMemory() {
  if (data_) static_cast<void>(cudaFreeHost(data_));
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  return *this;
}

}  // namespace tamis
