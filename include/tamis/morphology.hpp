// Erosion, dilation and what is built from them, by any flat structuring element, on images and volumes.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tamis/image/border.hpp>
#include <tamis/context.hpp>
#include <tamis/element.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// Operations on one image by one element B; f is the image, b runs over B.
enum class Operation : std::uint8_t {
  Erode,          ///< min f(x+b)
  Dilate,         ///< max f(x-b)
  Open,           ///< n erosions, then n dilations: below f, idempotent under a neutral border
  Close,          ///< n dilations, then n erosions: above f, idempotent under a neutral border
  Gradient,       ///< dilation - erosion
  InnerGradient,  ///< f - erosion
  OuterGradient,  ///< dilation - f
  TopHat,         ///< f - opening (white top-hat)
  BotHat,         ///< closing - f (black top-hat)
};
[[nodiscard]] std::string_view name(Operation operation);

/// What the element line:L@A means on an image:
///   Invariant  one digital segment, moved to every sample
///   Traced     Bresenham lines tile the image (Soille 1996, Karas 2015), and along each a segment of L of its samples
///              moves, origin at index L/2. An opening of any length costs the same. The lines do not move with what is
///              in the image. For A in [0,45) and [135,180): samples (x, c - floor(x tan A + 1/2)), one line for each
///              whole c; for A in [45,135): (c - floor(y cot A + 1/2), y). On volumes slice by slice.
enum class Lines : std::uint8_t { Invariant, Traced };
[[nodiscard]] std::string_view name(Lines lines);

struct MorphologyOptions {
  StructuringElement element = StructuringElement::square(3);
  Border border = {};
  std::int64_t iterations = 1;  ///< n, at least 1; those that can change nothing any more are not done
  NanPolicy nan = NanPolicy::Refuse;
  Lines lines = Lines::Invariant;  ///< Traced: the element is one line:L@A, L a whole number; borders Neutral and Fit
};

/// Images of type Bool (packed bits all the way), U8, U16, I16 and F32. 2-D elements act on volumes slice by slice.
/// Exact and the same on every device, thread count and instruction set. Differences saturate (Bool: a and not b).
/// F32 is ordered as numbers are, and -0 is below +0.
/// Time: rectangles, boxes O(N) in y and z, O(N log edge) in x; crosses and octagons O(N log radius); others
/// O(N * runs of the element along x); traced lines O(N). Memory: the result, and for n iterations or sums at most one
/// more image. Throws InputError for other types, NaN, 3-D elements on images, borders that are no value of the type.
[[nodiscard]] Image morphology(const Context& context, Operation operation, const Image& image,
                               const MorphologyOptions& options);
/// The same into `out`, whose memory is used again if type and shape fit. `out` must not be `image`.
void morphology(const Context& context, Operation operation, const Image& image, const MorphologyOptions& options,
                Image& out);

[[nodiscard]] inline Image erode(const Context& context, const Image& image, const MorphologyOptions& options = {}) {
  return morphology(context, Operation::Erode, image, options);
}
[[nodiscard]] inline Image dilate(const Context& context, const Image& image, const MorphologyOptions& options = {}) {
  return morphology(context, Operation::Dilate, image, options);
}
[[nodiscard]] inline Image open(const Context& context, const Image& image, const MorphologyOptions& options = {}) {
  return morphology(context, Operation::Open, image, options);
}
[[nodiscard]] inline Image close(const Context& context, const Image& image, const MorphologyOptions& options = {}) {
  return morphology(context, Operation::Close, image, options);
}
[[nodiscard]] inline Image gradient(const Context& context, const Image& image, const MorphologyOptions& options = {}) {
  return morphology(context, Operation::Gradient, image, options);
}
[[nodiscard]] inline Image tophat(const Context& context, const Image& image, const MorphologyOptions& options = {}) {
  return morphology(context, Operation::TopHat, image, options);
}
[[nodiscard]] inline Image bothat(const Context& context, const Image& image, const MorphologyOptions& options = {}) {
  return morphology(context, Operation::BotHat, image, options);
}

/// Where `hit` fits into the bright and `miss` into the dark: max(0, min over hit of f(x+b) - max over miss of f(x+b)),
/// the unconstrained grey hit-or-miss (Soille); on Bool images that is erode(f, hit) and erode(not f, miss).
struct HitMissOptions {
  StructuringElement hit = StructuringElement::square(1);
  StructuringElement miss = StructuringElement::circle(1);
  Border border = {};
  NanPolicy nan = NanPolicy::Refuse;
};
[[nodiscard]] Image hitmiss(const Context& context, const Image& image, const HitMissOptions& options);

/// Alternating sequential filter by a family of elements of growing size: OpenClose opens and closes by size 1, then 2,
/// ... n; CloseOpen closes first.
struct AsfOptions {
  enum class Order : std::uint8_t { OpenClose, CloseOpen };
  /// The last element, "disk:5" for radii 1 ... 5. Squares and cubes take edges 3, 5 ... n. One of square, cube, cross,
  /// disk, ball, octagon, hexagon.
  std::string element = "square:3";
  Order order = Order::OpenClose;
  Border border = {};
  NanPolicy nan = NanPolicy::Refuse;
};
[[nodiscard]] Image asf(const Context& context, const Image& image, const AsfOptions& options);

/// Which samples are neighbours: across faces (4 in an image, 6 in a volume), or corners and edges too (8, 26).
enum class Connectivity : std::uint8_t { Face, Full };

struct ReconstructOptions {
  enum class By : std::uint8_t { Dilation, Erosion };
  By by = By::Dilation;
  Connectivity connectivity = Connectivity::Full;
};
/// Reconstruction (Vincent 1993): unit dilations of the marker, each held below the mask, until nothing changes; by
/// erosion the same upside down. Both images of one type, which may be U32 or U64 too, and shape, marker <= mask
/// everywhere (>= by erosion), else InputError, as for NaN. The same on every device and thread count. CPU: scans and a
/// queue (Vincent 1993), in bands that threads share; GPU: tiles brought to rest one warp each, those that neighbours
/// have risen beside again, in one kernel. Memory beside the images: two cells a sample (1 byte for bool and u8, else
/// the sample's).
[[nodiscard]] std::int64_t bytes_of_reconstruct(Type type, const Shape& shape);  ///< memory beside the images
[[nodiscard]] Image reconstruct(const Context& context, const Image& marker, const Image& mask,
                                const ReconstructOptions& options = {});

/// Opening and closing by reconstruction: the image is rebuilt from its erosion (dilation), so that what survives keeps
/// its shape.
[[nodiscard]] Image open_by_reconstruction(const Context& context, const Image& image,
                                           const MorphologyOptions& options = {},
                                           Connectivity connectivity = Connectivity::Full);
[[nodiscard]] Image close_by_reconstruction(const Context& context, const Image& image,
                                            const MorphologyOptions& options = {},
                                            Connectivity connectivity = Connectivity::Full);

/// How `operation` will be computed, for people: one line a step.
[[nodiscard]] std::string explain(Operation operation, const Shape& shape, const MorphologyOptions& options);

}  // namespace tamis
