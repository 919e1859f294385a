// Frames that come one after the other, go through a filter and back: for cameras and whoever else must be done before
// the next image is there. The same program runs on the CPU and on a GPU.
#pragma once

#include <tamis/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/median.hpp>
#include <tamis/morphology.hpp>

namespace tamis::core_detail {
class FrameWork;
}

namespace TAMIS_PUBLIC tamis {

/// Page-locked memory of the host, zeroed: what frames on a GPU need so that copies overlap with work.
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

/// Frames from the memory of the host through a filter and back. On a GPU, while one is filtered the next one is
/// uploaded, and the one before downloaded; on the CPU a thread filters them in turn, with the context's threads for
/// each, while the caller fetches the next.
///
///   Frames frames(context, Operation::Open, Type::U8, shape, {.morphology = {.element = "square:15"}});
///   for (...) {
///     if (frames.full()) use(frames.take());
///     frames.submit(next, result_of_next);
///   }
///   while (frames.in_flight() > 0) use(frames.take());
///
/// Frames and results are as in an Image (dense, x fastest, bool packed). On a GPU they are right, but each copy is
/// waited for, in memory that is not page-locked (PinnedMemory, cudaHostRegister). Device memory: two images a frame in
/// flight, and what GpuMorphology (GpuMedian) has. Memory on the CPU: two images, and what the filter has. Not to be
/// used from two threads at once.
class Frames {
 public:
  struct Options {
    MorphologyOptions morphology = {};
    int in_flight = 3;  ///< frames at most: 1 to 64. 3 keep both directions of the bus and the GPU busy
  };

  /// On the device that the context names; Auto is the GPU wherever one can be used. The filter runs once, so that the
  /// first frame waits for nothing. Throws as morphology() and GpuMorphology.
  Frames(const Context& context, Operation operation, Type type, const Shape& shape, const Options& options);
  /// Medians. Throws as median() and GpuMedian.
  Frames(const Context& context, Type type, const Shape& shape, const MedianFrames& options);
  /// Waits for what is under way: then nothing touches the memory of the frames any more.
  ~Frames();
  Frames(Frames&&) noexcept;
  Frames& operator=(Frames&&) noexcept;

  /// Queues a frame; its result will be in `result`, which may be the frame. Both have to stay until take() has returned
  /// it. Waits for nothing. Throws InputError if as many are in flight as may be, for null pointers, and, as all that
  /// follows does, where this has been moved from.
  void submit(const void* frame, void* result);
  /// Waits for the oldest frame in flight and returns its `result`. Throws InputError if there is none, or if that
  /// frame held NaN that is refused; the frame is then no longer in flight.
  void* take();

  [[nodiscard]] Device device() const;  ///< Cpu or Cuda
  [[nodiscard]] int in_flight() const;
  [[nodiscard]] bool full() const;

 private:
  std::unique_ptr<core_detail::FrameWork> work_;
};

}  // namespace tamis
