// Filters that are prepared once and run on image after image: on device memory, and on frames that come from the host
// and go back there. For cameras and whoever else must be done before the next image is there. Everything else goes
// through morphology.hpp, and arrays on a GPU of others through gpu_array.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

namespace tamis {

/// A filter with its workspace on the GPU `context.gpu`: up to four images, around NaN five more.
///
/// run() waits for nothing, and can be captured into a CUDA graph. It allocates nothing where one kernel makes a step
/// (rectangles up to 48 rows, 200 bytes wide, say); other steps take memory from the pool of the stream, which the
/// first run, made by the constructor, has filled: later runs take none from the device. Not to be used from two
/// threads at once.
class GpuMorphology {
 public:
  struct Options {
    MorphologyOptions morphology = {};
    void* stream = nullptr;  ///< the caller's cudaStream_t; nullptr: one of its own
  };

  /// For images of this type and shape. Throws InputError as morphology(), EnvironmentError without a GPU or memory.
  GpuMorphology(const Context& context, Operation operation, Type type, const Shape& shape, const Options& options);
  /// The same for the hit-or-miss.
  GpuMorphology(const Context& context, Type type, const Shape& shape, const HitMissOptions& options,
                void* stream = nullptr);
  ~GpuMorphology();
  GpuMorphology(GpuMorphology&&) noexcept;
  GpuMorphology& operator=(GpuMorphology&&) noexcept;

  /// Queues the filter of `image` into `out`: device memory that does not overlap, as in an Image: dense, x fastest,
  /// bool packed into words of 64. Rows of a multiple of 16 bytes at such addresses are used where they lie, others
  /// through copies on the device. Of F32, NanPolicy::Ignore costs three times the work, whether there is NaN or not.
  void run(const void* image, void* out);

  /// The stream (cudaStream_t) on which run() queues.
  [[nodiscard]] void* stream() const;
  /// Waits for the last run. Throws InputError if one since the last wait() had NaN that NanPolicy::Refuse refuses; its
  /// result is of no use.
  void wait();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// Page-locked memory of the host, zeroed: what frames need so that copies overlap with work.
class PinnedMemory {
 public:
  /// Throws EnvironmentError without a GPU or where memory is short.
  explicit PinnedMemory(std::int64_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
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
/// in flight, and what GpuMorphology has. Not to be used from two threads at once.
class GpuFrames {
 public:
  struct Options {
    MorphologyOptions morphology = {};
    int in_flight = 3;  ///< frames at most: 1 to 64. 3 keep both directions of the bus and the GPU busy
  };

  /// Throws as GpuMorphology.
  GpuFrames(const Context& context, Operation operation, Type type, const Shape& shape, const Options& options);
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
  std::unique_ptr<Work> work_;
};

}  // namespace tamis
