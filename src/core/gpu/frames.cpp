// Frames through a prepared filter: a stream for each direction of the bus and one for the kernels.
#include <tamis/gpu_frames.hpp>

#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "core/gpu/event.hpp"
#include "core/gpu/prepared.hpp"

namespace tamis {

using cuda::DeviceStore;

namespace {

constexpr int most_in_flight = 64;

int validated(int in_flight) {
  if (in_flight >= 1 && in_flight <= most_in_flight) return in_flight;
  throw InputError("frames in flight: " + std::to_string(in_flight) + "; wanted 1 to " +
                   std::to_string(most_in_flight));
}

/// Where a frame is on the device, and how far.
struct Place {
  Place(const cuda::Stream& kernels, const cuda::GpuFilter& filter)
      : image(kernels, filter.type, filter.shape),
        out(kernels, filter.type, filter.shape),
        nan(kernels, 1),
        host_nan(1),
        uploaded(kernels.device()),
        filtered(kernels.device()),
        downloaded(kernels.device()) {}

  DeviceStore image, out;
  cuda::DeviceBuffer<unsigned> nan;
  cuda::PinnedBuffer<unsigned> host_nan;
  cuda::Event uploaded, filtered, downloaded;
  void* result = nullptr;
};

}  // namespace

struct GpuFrames::Work {
  Work(int gpu, int in_flight, cuda::GpuFilter planned)
      : up(gpu), kernels(gpu), down(gpu), filter(std::move(planned)), made(cuda::make_warm(kernels, filter)) {
    for (int i = 0; i < in_flight; ++i) places.emplace_back(kernels, filter);
    kernels.synchronize();  // the other streams use this memory
  }
  /// Memory goes back by the stream of the kernels, which the other two do not wait for.
  ~Work() {
    static_cast<void>(cudaStreamSynchronize(up.get()));
    static_cast<void>(cudaStreamSynchronize(kernels.get()));
    static_cast<void>(cudaStreamSynchronize(down.get()));
  }

  [[nodiscard]] Place& place(std::size_t frame) { return places[frame % places.size()]; }

  cuda::Stream up, kernels, down;
  cuda::GpuFilter filter;
  std::unique_ptr<cuda::DeviceFilter> made;
  std::deque<Place> places;  ///< taken in turn
  std::size_t submitted = 0, taken = 0;
};

void GpuFrames::start(const Context& context, std::string_view what, const Shape& shape, int in_flight,
                      const std::function<cuda::GpuFilter()>& plan) {
  const cuda::DeviceScope scope(cuda::usable_gpu(context));
  cuda::require_samples(what, shape);
  work_ = std::make_shared<Work>(context.gpu, validated(in_flight), plan());
}

GpuFrames::~GpuFrames() = default;
GpuFrames::GpuFrames(GpuFrames&&) noexcept = default;
GpuFrames& GpuFrames::operator=(GpuFrames&&) noexcept = default;

int GpuFrames::in_flight() const { return static_cast<int>(work_->submitted - work_->taken); }
bool GpuFrames::full() const { return work_->submitted - work_->taken == work_->places.size(); }

void GpuFrames::submit(const void* frame, void* result) {
  Work& work = *work_;
  if (full()) {
    throw InputError("a frame while " + std::to_string(in_flight()) +
                     " are in flight; wanted take() first, or more in flight");
  }
  const cuda::DeviceScope scope(work.kernels.device());
  // Its last frame was taken: no copy of it is under way.
  Place& place = work.place(work.submitted);
  place.result = result;
  place.image.fill(work.up, frame);
  place.uploaded.record(work.up);
  place.uploaded.hold(work.kernels);
  unsigned* const nan = work.filter.refuses_nan() ? place.nan.data() : nullptr;
  if (nan != nullptr) place.nan.clear();
  cuda::run_and_look(work.kernels, *work.made, work.filter.shape, place.image.get(), place.out.get(), nan);
  place.filtered.record(work.kernels);
  place.filtered.hold(work.down);
  place.out.read(work.down, result);
  if (nan != nullptr) {
    cuda::check(
        cudaMemcpyAsync(place.host_nan.data(), nan, sizeof(unsigned), cudaMemcpyDeviceToHost, work.down.get()),
        "read a flag");
  }
  place.downloaded.record(work.down);
  ++work.submitted;
}

void* GpuFrames::take() {
  Work& work = *work_;
  if (in_flight() == 0) throw InputError("a result while no frame is in flight; wanted submit() first");
  Place& place = work.place(work.taken);
  place.downloaded.wait();
  ++work.taken;
  if (work.filter.refuses_nan() && place.host_nan[0] != 0) cuda::refuse_nan(work.filter, "a frame");
  return place.result;
}

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
