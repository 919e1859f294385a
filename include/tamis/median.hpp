// Medians and other percentiles of the samples in a window, on images and volumes.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <tamis/image/border.hpp>
#include <tamis/context.hpp>
#include <tamis/element.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

template <class Memory>
struct BasicGpuArray;
using GpuArray = BasicGpuArray<const void>;
using GpuOutput = BasicGpuArray<void>;

struct MedianOptions {
  /// Any element; sums are taken as one set. The result at x is of the samples at x + b, b in the window. Origins of
  /// even edges are at index n/2: "square:4" sees x-2 ... x+1.
  StructuringElement window = StructuringElement::square(3);
  /// 0 (minimum) to 100 (maximum): of n samples sorted, the one with index min(n-1, floor(n percentile / 100)). The
  /// median of an even count is the upper of the two in the middle.
  double percentile = 50;
  std::int64_t iterations =
      1;  ///< one after the other, at least 1; those that can change nothing any more are not done
  Border border = Border::reflect();  ///< Neutral: the window shrinks to the samples inside, and n with it. Not Fit
  NanPolicy nan = NanPolicy::Refuse;  ///< Ignore: n counts numbers only
};

/// How a median was computed.
struct MedianFacts {
  Device device = Device::Cpu;  ///< Cpu or Cuda
  std::string engines;          ///< of the CPU, for people: one line a step
};

/// The median, or another percentile, of the samples that the window sees. Images of type Bool (packed bits: a
/// majority), U8, U16, I16 and F32; 2-D windows act on volumes slice by slice. Where a window sees no sample at all the
/// result is the sample itself, or NaN where it sees only NaN that is ignored. Exact and the same on every device,
/// thread count and instruction set. F32 is ordered as numbers are, -0 below +0. Sources: Perrot 2013 (selection in
/// registers), Adams 2021 (sorted columns), Sugy 2025 (hierarchical tiling), Huang 1979 and Perreault and Hebert 2007
/// (histograms); src/median/README.md says which is taken where, and the complexity. Memory: the result, with more than
/// one iteration one more image, and a few padded rows a thread. Throws InputError for other types, NaN, 3-D windows on
/// images, windows of 2^31 samples and more, a percentile outside of 0 ... 100, border fit, and constants that are no
/// value of the type.
[[nodiscard]] Image median(const Context& context, const Image& image, const MedianOptions& options = {});
/// The same into `out`, whose memory is used again if type and shape fit. `out` must not be `image`. Where NaN is
/// refused on the CPU it may hold anything. Returns how it was computed.
MedianFacts median(const Context& context, const Image& image, const MedianOptions& options, Image& out);

/// The window that a size names for images of rank 2 or 3, sizes x first: "5" a square or on volumes a cube, "7x3" 7
/// wide and 3 high (slice by slice), "5x5x3". Throws InputError for anything else, sizes below 1, three sizes on an
/// image.
[[nodiscard]] StructuringElement window_of_size(std::string_view size, int rank);

/// Perrot's smoother: medians along one axis after the other, in every iteration first along y, then x, then z. It is not the median of the box, but near it where the
/// window is large, and cheaper.
struct SmoothOptions {
  std::int64_t width = 55;   ///< samples along x, at least 1
  std::int64_t height = 55;  ///< along y
  std::int64_t depth = 1;    ///< along z, volumes only
  std::int64_t iterations = 1;
  Border border = Border::reflect();  ///< as for medians
  NanPolicy nan = NanPolicy::Refuse;
};
/// The median along y, of that the one along x, of that along z (Perrot 2013, section 4.2). As median() in all else.
[[nodiscard]] Image smooth(const Context& context, const Image& image, const SmoothOptions& options = {});
MedianFacts smooth(const Context& context, const Image& image, const SmoothOptions& options, Image& out);

/// "Remove Outliers" of ImageJ: what is too far from the median of its window becomes that median.
struct OutlierOptions {
  enum class Which : std::uint8_t { Bright, Dark, Both };
  StructuringElement window = StructuringElement::square(3);
  double threshold = 50;       ///< at least 0: a sample this far from the median is none yet
  Which which = Which::Bright; ///< samples above their median, below it, or either
  Border border = Border::reflect();  ///< as for medians
  NanPolicy nan = NanPolicy::Refuse;
};
/// Differences do not wrap around; those of F32 are taken as doubles. A NaN that is not refused stays. As median() in all
/// else: types, windows, memory, where it runs, what it throws.
[[nodiscard]] Image remove_outliers(const Context& context, const Image& image, const OutlierOptions& options = {});
MedianFacts remove_outliers(const Context& context, const Image& image, const OutlierOptions& options, Image& out);
/// Of arrays on a GPU, as gpu/array.hpp says of median().
void remove_outliers(const Context& context, const GpuArray& image, const GpuOutput& out, const OutlierOptions& options);

/// Where median() and smooth() run. Auto takes the GPU where the CPU would take longer than the GPU, the copies there
/// and back and the start of CUDA (a third of a second, once in a process) together: large windows, and many samples.
/// Throws InputError for options that do not go together, ResourceError if the context asks for a GPU that cannot be
/// used.
[[nodiscard]] Device choose_device(const Context& context, Type type, const Shape& shape, const MedianOptions& options);
[[nodiscard]] Device choose_device(const Context& context, Type type, const Shape& shape, const SmoothOptions& options);

/// How a median will be computed on the CPU, for people: one line a step.
[[nodiscard]] std::string explain(const Context& context, Type type, const Shape& shape, const MedianOptions& options);

}  // namespace tamis
