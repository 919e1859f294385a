// Frames that come from the host, go through a filter on the GPU and back: for cameras and whoever else must be done
// before the next image is there.
#pragma once

#include <tamis/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/median.hpp>
#include <tamis/morphology.hpp>

namespace tamis {
namespace cuda {
struct GpuFilter;
}  // namespace cuda

/// Page-locked memory of the host, zeroed: what frames need so that copies overlap with work.
class PinnedMemory {
 public:
  /// Throws ResourceError without a GPU or where memory is short.
  explicit PinnedMemory(std::int64_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

/// Medians of frames.
struct MedianFrames {
  MedianOptions median = {};
  int in_flight = 3;  ///< frames at most: 1 to 64
};

/// Frames from the memory of the host through a filter and back. While one is filtered the next one is uploaded, and
/// the one before downloaded.
///
///   GpuFrames frames(context, Operation::Open, Type::U8, shape, {.morphology = {.element = "square:15"}});
///   for (...) {
///     if (frames.full()) use(frames.take());
///     frames.submit(next, result_of_next);
///   }
///   while (frames.in_flight() > 0) use(frames.take());
///
/// Frames and results are as in an Image (dense, x fastest, bool packed). In memory that is not page-locked
/// (PinnedMemory, cudaHostRegister) they are right too, but each copy is waited for. Device memory: two images a frame
/// in flight, and what GpuMorphology (GpuMedian) has. Not to be used from two threads at once.
class GpuFrames {
 public:
  struct Options {
    MorphologyOptions morphology = {};
    int in_flight = 3;  ///< frames at most: 1 to 64. 3 keep both directions of the bus and the GPU busy
  };

  /// Throws as GpuMorphology.
  GpuFrames(const Context& context, Operation operation, Type type, const Shape& shape, const Options& options);
  /// Medians, as GpuMedian.
  GpuFrames(const Context& context, Type type, const Shape& shape, const MedianFrames& options);
  /// Waits for what is under way: then nothing touches the memory of the frames any more.
  ~GpuFrames();
  GpuFrames(GpuFrames&&) noexcept;
  GpuFrames& operator=(GpuFrames&&) noexcept;

  /// Queues a frame; its result will be in `result`. Both have to stay until take() has returned it. Waits for nothing.
  /// Throws InputError if as many are in flight as may be.
  void submit(const void* frame, void* result);
  /// Waits for the oldest frame in flight and returns its `result`. Throws InputError if there is none, or if that
  /// frame held NaN that is refused; the frame is then no longer in flight.
  void* take();

  [[nodiscard]] int in_flight() const;
  [[nodiscard]] bool full() const;

 private:
  struct Work;
  void start(const Context& context, std::string_view what, const Shape& shape, int in_flight,
             const std::function<cuda::GpuFilter()>& plan);
  std::shared_ptr<Work> work_;  ///< not shared: a unique_ptr would want Work complete where each family starts frames
};

}  // namespace tamis
