// Arrays that lie on a GPU and belong to somebody else (CuPy, PyTorch, a camera's driver): worked on where they lie,
// on their GPU and on the caller's stream, without a copy to the host. Results are those of the functions for images,
// bit for bit.
//
// Context::stream names the stream. Work is queued there after what the caller has queued before, and results are
// ready for what the caller queues there next. Memory of arrays may be released once the call has returned if that is
// ordered by the same stream (as the pools of CuPy and PyTorch do); otherwise the caller waits for the stream first.
// Without a stream a call runs on one of its own and returns when all is done; the arrays have to be ready then.
//
// All functions throw InputError for an array that is not in the memory of its GPU, has samples that are not aligned
// to their size, is empty, or does not fit the others; for a context that asks for the CPU or another GPU; and
// ResourceError without a GPU, in a build without CUDA, and where its memory is short.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <functional>
#include <optional>

#include <tamis/balls.hpp>
#include <tamis/context.hpp>
#include <tamis/distance.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>
#include <tamis/median.hpp>
#include <tamis/morphology.hpp>
#include <tamis/threshold.hpp>

namespace TAMIS_PUBLIC tamis {

/// Samples in the memory of a GPU. Not owned. Any view will do: slices, transposed axes, steps, reversed axes; nothing
/// is copied to make it dense unless a function says so.
template <class Memory>
struct BasicGpuArray {
  Memory* data = nullptr;  ///< sample (0, 0, 0); nullptr: no array
  Type type{};  ///< Bool at first, which is a byte a sample here, 0 or 1
  Shape shape;
  std::int64_t stride_z = 0;  ///< bytes from a sample to the next one along z; may be negative, and 0 in an input
  std::int64_t stride_y = 0;
  std::int64_t stride_x = 0;
  int gpu = 0;  ///< the GPU (cuda:N) whose memory it is; its context, stream and result are there too

  [[nodiscard]] bool empty() const { return data == nullptr; }
};
using GpuArray = BasicGpuArray<const void>;
/// Where a result goes. Strides leave room for each sample, and no input may overlap it unless a function says so.
using GpuOutput = BasicGpuArray<void>;

/// An array without gaps, x fastest.
template <class Memory>
[[nodiscard]] BasicGpuArray<Memory> dense_gpu_array(Memory* data, Type type, const Shape& shape, int gpu = 0) {
  const std::int64_t sample = sample_bytes(type);
  return {data, type, shape, capped_product(sample, shape.x, shape.y), capped_product(sample, shape.x, 1), sample, gpu};
}

/// The GPU whose memory this is; nothing for memory of the host, and where tamis was built without CUDA.
[[nodiscard]] std::optional<int> gpu_of(const void* memory);

/// What is queued on `later` from now on waits for what is on `earlier` now; both are streams (cudaStream_t) of this
/// GPU. The host does not wait. For arrays that another stream is still writing.
void order_streams(int gpu, void* earlier, void* later);

/// Samples to Bool: 1 where the sample belongs to the object. `image` has any type; `object` is Bool and of its shape.
/// `domain` (Bool or U8, the same shape, or one slice for all; not 0 is inside) bounds what counts; empty: everything.
/// Returns the value used, as in Binary::threshold.
///
/// Value and Band are queued and return at once for integers; a domain without a sample inside is no error with them,
/// for to find that would take a wait. Floating-point samples are searched for NaN, so the call waits for the stream; if
/// there is one it throws InputError, and what is in `object` then does not matter. Automatic methods and TwoValues wait
/// for each pass that finds the value, and use a dense copy in device memory where x is not contiguous or rows are not
/// evenly spaced. O(N).
double binarise(const Context& context, const GpuArray& image, const GpuOutput& object, const ThresholdOptions& options,
                const GpuArray& domain = {});

/// As histogram() of an image: waits, and uses a dense copy where binarise() does.
[[nodiscard]] Histogram histogram(const Context& context, const GpuArray& image, const GpuArray& domain = {});

/// As threshold_value() of an image, to the last bit: waits, and uses a dense copy where binarise() does.
[[nodiscard]] double threshold_value(const Context& context, const GpuArray& image, ThresholdMethod method,
                                     const GpuArray& domain = {});

/// Granulometry of a Bool array (Boulos et al., DASIP 2012). `domain` as for binarise(); object voxels outside it do
/// not count (they are not an error here: to find them would take a wait). Waits, since the curve is on the host. Time
/// as granulometry() of an image. Device memory beside the arrays: 4 to 10 bytes a voxel, twice that from size 256 on;
/// it does not run in slabs. What does not fit is a ResourceError that says how much is wanted.
[[nodiscard]] Sizes granulometry(const Context& context, const GpuArray& object,
                                 const GranulometryOptions& options = {}, const GpuArray& domain = {});

/// The size map into memory of the caller: `map` is U8, U16 or U32, of the object's shape. With max_size it has to hold
/// max_size + 1, and by recursion everything is queued and the call returns at once. Without, the call waits to learn
/// the largest size, and throws InputError if `map` cannot hold it.
void size_map(const Context& context, const GpuArray& object, const GpuOutput& map,
              const GranulometryOptions& options = {}, const GpuArray& domain = {});

/// The size map in the narrowest type that holds it, with the curve. `allocate` is called once, with that type, when
/// sizes are known, on the thread of the call; the array it returns is filled. Waits.
Sizes size_map(const Context& context, const GpuArray& object, const GranulometryOptions& options,
               const GpuArray& domain, const std::function<GpuOutput(Type)>& allocate);

/// Granulometry by balls (balls.hpp) of a Bool array whose voxels are as long as `spacing` says, as ball_granulometry()
/// of an image. `domain` as for granulometry(). Waits. Device memory: about 7 bytes a voxel beside the array, 13 past a
/// radius of 254 sides, 22 where squares may need more than 31 bits; in slabs where Context::device_memory_bytes or the device has less.
[[nodiscard]] BallSizes ball_granulometry(const Context& context, const GpuArray& object,
                                          const BallOptions& options = {}, const GpuArray& domain = {},
                                          const Spacing& spacing = {});

/// With a map: `allocate` is called once, with ball_map_type() of the result, on the thread of the call.
BallSizes ball_map(const Context& context, const GpuArray& object, BallMeasure measure, const BallOptions& options,
                   const GpuArray& domain, const Spacing& spacing, const std::function<GpuOutput(Type)>& allocate);

/// The exact Euclidean distance (distance.hpp) of a Bool array into an F32 array of its shape, in units of `spacing`.
/// `domain` as for granulometry(). Waits, for the width of squares follows from the largest. Device memory: 2 bytes a
/// voxel beside the arrays, 8 where distances reach 168 sides of a voxel, 16 where squares may need more than 31 bits; what
/// may need more than 62 is a ResourceError.
void distance(const Context& context, const GpuArray& object, const GpuOutput& out, const DistanceOptions& options = {},
              const GpuArray& domain = {}, const Spacing& spacing = {});

/// What squares on a GPU come to, as SquaredDistances.
struct GpuSquares {
  std::uint64_t largest = 0;
  bool unbounded = false;
};
/// The squares themselves: `allocate` is called once, with U16, U32 or U64.
GpuSquares squared_distance(const Context& context, const GpuArray& object, const DistanceOptions& options,
                            const GpuArray& domain, const Spacing& spacing,
                            const std::function<GpuOutput(Type)>& allocate);

/// An operation of morphology.hpp by one element. `image` is Bool, U8, U16, I16 or F32, `out` of its type and shape; it
/// may be the image, or overlap it. A shape of rank 2 with several slices is a stack of images.
///
/// Queued; returns at once for all types but F32, which is searched for NaN: the call waits for the stream, and throws
/// InputError if there is some that options.nan refuses; what is in `out` then does not matter, unless it overlaps the
/// image, which stays as it was. Time as morphology(). Arrays that are dense, at multiples of 16 bytes, in rows of a
/// multiple of 16 bytes are read and written where they lie; others, overlapping ones and Bool (packed into bits) by a
/// copy on the device each. Device memory: those copies, up to two images more, around NaN five, and with elements that
/// are no boxes some 100 MB. What does not fit is a ResourceError that says how much is wanted.
void morphology(const Context& context, Operation operation, const GpuArray& image, const GpuOutput& out,
                const MorphologyOptions& options);

inline void erode(const Context& context, const GpuArray& image, const GpuOutput& out,
                  const MorphologyOptions& options = {}) {
  morphology(context, Operation::Erode, image, out, options);
}
inline void dilate(const Context& context, const GpuArray& image, const GpuOutput& out,
                   const MorphologyOptions& options = {}) {
  morphology(context, Operation::Dilate, image, out, options);
}
inline void open(const Context& context, const GpuArray& image, const GpuOutput& out,
                 const MorphologyOptions& options = {}) {
  morphology(context, Operation::Open, image, out, options);
}
inline void close(const Context& context, const GpuArray& image, const GpuOutput& out,
                  const MorphologyOptions& options = {}) {
  morphology(context, Operation::Close, image, out, options);
}
inline void gradient(const Context& context, const GpuArray& image, const GpuOutput& out,
                     const MorphologyOptions& options = {}) {
  morphology(context, Operation::Gradient, image, out, options);
}
inline void tophat(const Context& context, const GpuArray& image, const GpuOutput& out,
                   const MorphologyOptions& options = {}) {
  morphology(context, Operation::TopHat, image, out, options);
}
inline void bothat(const Context& context, const GpuArray& image, const GpuOutput& out,
                   const MorphologyOptions& options = {}) {
  morphology(context, Operation::BotHat, image, out, options);
}

/// As morphology(), of two elements and of families of elements.
void hitmiss(const Context& context, const GpuArray& image, const GpuOutput& out, const HitMissOptions& options);
void asf(const Context& context, const GpuArray& image, const GpuOutput& out, const AsfOptions& options);

/// reconstruct() of arrays of one type and shape, into one that may be either of them or overlap both. NaN, and a
/// marker above the mask (by erosion: below), are an InputError that names the first place; `out` is then as it was.
/// A shape of rank 2 with several slices is a stack of images, each on its own. Waits: how many rounds it takes shows
/// on the way; and is cancelled within some 50 ms. Runs on all of the GPU at once, in a cooperative kernel. Device
/// memory: two cells a sample (1 byte for Bool and U8, else the sample's), and copies where morphology() has them.
void reconstruct(const Context& context, const GpuArray& marker, const GpuArray& mask, const GpuOutput& out,
                 const ReconstructOptions& options = {});

/// As reconstruct(), of the image under its erosion (above its dilation). NaN is refused under either policy.
void open_by_reconstruction(const Context& context, const GpuArray& image, const GpuOutput& out,
                            const MorphologyOptions& options = {}, Connectivity connectivity = Connectivity::Full);
void close_by_reconstruction(const Context& context, const GpuArray& image, const GpuOutput& out,
                             const MorphologyOptions& options = {}, Connectivity connectivity = Connectivity::Full);

/// Medians and Perrot's smoother; arrays and waits as for morphology().
void median(const Context& context, const GpuArray& image, const GpuOutput& out, const MedianOptions& options);
void smooth(const Context& context, const GpuArray& image, const GpuOutput& out, const SmoothOptions& options);

}  // namespace tamis
