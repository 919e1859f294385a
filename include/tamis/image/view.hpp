// Images in memory of the caller (frames of a camera, cv::Mat, arrays): read and written where they lie. Results are those
// of the functions for images, bit for bit.
//
// Erosions and all that is built of them, medians, smooth(), remove_outliers(), turns and traced openings read a view in place, and
// write into one in place, where the samples of a row lie one after the other, rows and slices follow each other with or
// without gaps (a pitch, a part of a larger image), and addresses are multiples of a sample. Nothing is written into gaps.
// Reconstructions, other functions for lines, and a GPU, want no gaps for that. Everything else, that is steps, turned
// axes and Bool (which is packed into bits, but where bytes of 0 and 1 are as fast), goes by a copy each. Thresholds and histograms read any view through
// source_of(), in place where the samples of a row lie one after the other, whatever the pitch; convert() of convert.hpp
// takes rows with a pitch as they are. What measures objects (granulometry.hpp, balls.hpp, porosimetry.hpp) takes their
// bits: those of binarise(), or of image_of().
//
// All functions throw InputError for a view that require_view() refuses, and for results whose type or shape is another
// than the image's; and what the functions for images throw.
//
// An output may be the input, or overlap it; one whose rows, columns or channels take turns with the input's overlaps it
// not. Where such a call throws, or is cancelled, the input is as it was, on every device; an output that overlaps no
// input may then hold anything. There is one exception. Where the output is the input
// exactly, in address, strides and type, and both are written in place (above), erosions and all that is built of them,
// medians, smooth() and remove_outliers() on the CPU go over the image band by band, which costs no copy, only some memory
// for each thread. Such a call that is cancelled, or that finds too little memory, leaves samples of before and after. NaN
// and arguments are refused before the first sample is written. Traced lines, turns, a border that shows the image
// again, filters that look farther than a 24th of the rows, or so far that a band of 24 times as many rows takes 8 MiB (in
// large volumes), images with NaN that is ignored, and outputs that overlap otherwise, cost a copy of the image.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/deskew.hpp>
#include <tamis/distance.hpp>
#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>
#include <tamis/line.hpp>
#include <tamis/median.hpp>
#include <tamis/morphology.hpp>
#include <tamis/orientation.hpp>

namespace TAMIS_PUBLIC tamis {

class Arguments;
struct FilterDone;
struct OperationDescription;

/// Samples in memory of the host. Not owned.
template <class Memory>
struct BasicImageView {
  Memory* data = nullptr;  ///< sample (0, 0, 0)
  Type type{};  ///< Bool at first, which is a byte a sample here, 0 or 1
  Shape shape;             ///< rank 2 with several slices: a stack of images
  /// Bytes from a sample to the next one along z; may be negative, and 0 in an input. Of no account where there is one.
  std::int64_t stride_z = 0;
  std::int64_t stride_y = 0;  ///< the pitch
  std::int64_t stride_x = 0;
  Spacing spacing = {};
};
using ConstImageView = BasicImageView<const void>;
/// Where a result goes: strides leave room for each sample.
using ImageView = BasicImageView<void>;

/// Throws InputError for a view that no call takes: without memory, what require_layout() refuses, and strides that lead out
/// of all memory; of an output strides that lay samples on each other too. (Each stride has to lead past all that the
/// shorter ones take.) `what` names it in the message.
void require_view(const ConstImageView& view, std::string_view what);
void require_view(const ImageView& view, std::string_view what);

/// A view of samples without gaps, x fastest; or of rows that begin `pitch` bytes after each other.
template <class Memory>
[[nodiscard]] BasicImageView<Memory> view_of(Memory* data, Type type, const Shape& shape, std::int64_t pitch = 0) {
  const std::int64_t sample = sample_bytes(type);
  const std::int64_t row = pitch != 0 ? pitch : capped_product(sample, shape.x, 1);
  std::int64_t slice = 0;
  if (__builtin_mul_overflow(row, shape.y, &slice)) slice = INT64_MAX;  // which require_view() refuses
  return {data, type, shape, slice, row, sample};
}
/// Of an image of the library's; not of Bool, whose bits are packed (InputError).
[[nodiscard]] ConstImageView view_of(const Image& image);
[[nodiscard]] ImageView view_of(Image& image);

/// The same samples as an input.
[[nodiscard]] inline ConstImageView as_input(const ImageView& view) {
  return {view.data, view.type, view.shape, view.stride_z, view.stride_y, view.stride_x, view.spacing};
}

/// For functions that read slices: binarise(), histogram(). The memory has to outlive it.
[[nodiscard]] std::unique_ptr<SliceSource> source_of(const ConstImageView& view);
/// An image of the library's own with the samples of a view; bytes of Bool become bits. A copy, by all threads, for
/// functions that have no form for views.
[[nodiscard]] Image image_of(const Context& context, const ConstImageView& view);
/// Copies an image into memory of the same type and shape; bits become bytes 0 and 1. All threads.
void copy(const Context& context, const Image& image, const ImageView& out);

/// Any filter by its description (operations.hpp), of as many images as it takes. `arguments` are its own. The other
/// functions take Bool, U8, U16, I16 and F32; this one takes all types (operations/types.hpp): `out` is of
/// SampleTypes::result, or F64 of F64. Those that it does not compute with cost copies as F32.
FilterDone filter(const Context& context, const OperationDescription& filter, std::span<const ConstImageView> images,
                  const Arguments& arguments, const ImageView& out);

/// An operation of morphology.hpp by one element.
void morphology(const Context& context, Operation operation, const ConstImageView& image, const ImageView& out,
                const MorphologyOptions& options);

inline void erode(const Context& context, const ConstImageView& image, const ImageView& out,
                  const MorphologyOptions& options = {}) {
  morphology(context, Operation::Erode, image, out, options);
}
inline void dilate(const Context& context, const ConstImageView& image, const ImageView& out,
                   const MorphologyOptions& options = {}) {
  morphology(context, Operation::Dilate, image, out, options);
}
inline void open(const Context& context, const ConstImageView& image, const ImageView& out,
                 const MorphologyOptions& options = {}) {
  morphology(context, Operation::Open, image, out, options);
}
inline void close(const Context& context, const ConstImageView& image, const ImageView& out,
                  const MorphologyOptions& options = {}) {
  morphology(context, Operation::Close, image, out, options);
}
inline void gradient(const Context& context, const ConstImageView& image, const ImageView& out,
                     const MorphologyOptions& options = {}) {
  morphology(context, Operation::Gradient, image, out, options);
}
inline void tophat(const Context& context, const ConstImageView& image, const ImageView& out,
                   const MorphologyOptions& options = {}) {
  morphology(context, Operation::TopHat, image, out, options);
}
inline void bothat(const Context& context, const ConstImageView& image, const ImageView& out,
                   const MorphologyOptions& options = {}) {
  morphology(context, Operation::BotHat, image, out, options);
}

void hitmiss(const Context& context, const ConstImageView& image, const ImageView& out, const HitMissOptions& options);
void asf(const Context& context, const ConstImageView& image, const ImageView& out, const AsfOptions& options);
void reconstruct(const Context& context, const ConstImageView& marker, const ConstImageView& mask, const ImageView& out,
                 const ReconstructOptions& options = {});
void open_by_reconstruction(const Context& context, const ConstImageView& image, const ImageView& out,
                            const MorphologyOptions& options = {}, Connectivity connectivity = Connectivity::Full);
void close_by_reconstruction(const Context& context, const ConstImageView& image, const ImageView& out,
                             const MorphologyOptions& options = {}, Connectivity connectivity = Connectivity::Full);

MedianFacts median(const Context& context, const ConstImageView& image, const ImageView& out,
                   const MedianOptions& options = {});
MedianFacts smooth(const Context& context, const ConstImageView& image, const ImageView& out,
                   const SmoothOptions& options = {});
MedianFacts remove_outliers(const Context& context, const ConstImageView& image, const ImageView& out,
                            const OutlierOptions& options = {});

/// `out` has the shape of RotateOptions::size, or the image's.
void rotate(const Context& context, const ConstImageView& image, double degrees, const RotateOptions& options,
            const ImageView& out);
[[nodiscard]] Skew find_skew(const Context& context, const ConstImageView& page, const DeskewOptions& options = {});

void traced_opening(const Context& context, const ConstImageView& image, const ImageView& out, std::int64_t length,
                    double angle, const Border& border = {});
[[nodiscard]] Orientation orientation(const Context& context, const ConstImageView& image,
                                      const OrientationOptions& options = {});
[[nodiscard]] std::vector<AngularSpectrum> angular_spectra(const Context& context, const ConstImageView& image,
                                                           const OrientationOptions& options = {});
[[nodiscard]] Sizes line_granulometry(const Context& context, const ConstImageView& image,
                                      const LineGranulometryOptions& options = {});
[[nodiscard]] Sizes grey_granulometry(const Context& context, const ConstImageView& image,
                                      const GreyGranulometryOptions& options = {});

/// `object` is a view of Bool, and `out` one of F32 and the same shape. `domain`: an image of Bool, such as image_of() makes.
void distance(const Context& context, const ConstImageView& object, const ImageView& out,
              const DistanceOptions& options = {}, const Image& domain = {});

}  // namespace tamis
