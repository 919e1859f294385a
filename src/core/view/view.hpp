// Views of the caller's memory as the images that engines take.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <tamis/image/view.hpp>

namespace tamis::view_detail {

/// Throws InputError for a view that a result of this type and shape cannot be written into.
void require_output(const ImageView& out, Type type, const Shape& shape, std::string_view what);

/// The samples of a row lie one after the other, the rows and slices too, and addresses are multiples of a sample.
[[nodiscard]] bool is_dense(const ConstImageView& view);
/// Bytes of a Bool view that are 0 and 1 and nothing else, in rows that an image of bytes may be laid over.
[[nodiscard]] bool holds_zeros_and_ones(const Context& context, const ConstImageView& view);
/// Whether they may share a byte. They do not where one ends before the other begins, nor where rows, columns or channels
/// of the two take turns.
[[nodiscard]] bool may_overlap(const ConstImageView& a, const ConstImageView& b);

/// What a filter does with images: it writes `out`, which has memory already where that is the view's.
using Run = std::function<void(std::span<const Image* const> images, Image& out)>;

/// Whether a filter reads and writes nothing behind the last sample, so that it may work on memory of others; or behind
/// the last one of any row, so that there may be gaps.
enum class Keeps : std::uint8_t { NotToSamples, ToSamples, ToRows };

/// The view as an image: over its memory, where the samples lie as those of an image do and whoever reads them keeps to
/// them, otherwise a copy. Only to be read.
[[nodiscard]] Image seen_as_image(const Context& context, std::string_view what, const ConstImageView& view,
                                  Keeps keeps = Keeps::ToSamples);

/// Runs a filter on views: on images over their memory where that can be, otherwise on copies. Where it throws, images that
/// the output overlaps are what they were.
void run_on_views(const Context& context, std::string_view what, std::span<const ConstImageView> images,
                  const ImageView& out, Keeps keeps, const Run& run);
/// The same for a result of another type or shape than the image's.
void run_on_views(const Context& context, std::string_view what, std::span<const ConstImageView> images,
                  const ImageView& out, Type type, const Shape& shape, Keeps keeps, const Run& run);

}  // namespace tamis::view_detail
