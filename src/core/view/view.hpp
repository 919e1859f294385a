// Views of the caller's memory as the images that engines take.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include <tamis/image/view.hpp>

namespace tamis::view_detail {

/// Throws InputError for a view that a result of this type and shape cannot be written into.
void require_output(const ImageView& out, Type type, const Shape& shape, std::string_view what);

/// The samples of a row lie one after the other, the rows and slices too, and addresses are multiples of a sample.
[[nodiscard]] bool is_dense(const ConstImageView& view);
/// Bool views on the CPU, the bytes of the input 0 and 1 and nothing else, in rows that an image of bytes may be laid over.
[[nodiscard]] bool may_go_as_bytes(const Context& context, const ConstImageView& image, const ImageView& out);
/// Whether they may share a byte. They do not where one ends before the other begins, nor where rows, columns or channels
/// of the two take turns.
[[nodiscard]] bool may_overlap(const ConstImageView& a, const ConstImageView& b);

/// What a filter does with images: it writes `out`, which may have memory already. Called of parts by several threads at
/// once, each with a context of its own.
using Run = std::function<void(const Context& context, std::span<const Image* const> images, Image& out)>;
/// How far results look to either side along each axis, as FilterCalls::reach. Asked only where it matters.
using ReachOf = std::function<Offset()>;

/// Whether a filter reads and writes nothing behind the last sample, so that it may work on memory of others; or behind
/// the last one of any row, so that there may be gaps.
enum class Keeps : std::uint8_t { NotToSamples, ToSamples, ToRows };

/// The view as an image: over its memory, where the samples lie as those of an image do and whoever reads them keeps to
/// them, otherwise a copy. Only to be read.
[[nodiscard]] Image seen_as_image(const Context& context, std::string_view what, const ConstImageView& view,
                                  Keeps keeps = Keeps::ToSamples);

/// Runs a filter on views: on images over their memory where that can be, otherwise on copies. An input that the output
/// overlaps is as it was where it throws; but for an output that is the one input, on the CPU, of a filter of known `reach`:
/// then it may be in part what the filter makes of it, after Cancelled and where memory is short. `result_of`: type and shape
/// of the result, where they are not the image's.
void run_on_views(const Context& context, std::string_view what, std::span<const ConstImageView> images,
                  const ImageView& out, Keeps keeps, const Run& run, const ReachOf& reach = {},
                  const std::optional<Layout>& result_of = {});

/// Filters an image, whose rows may have gaps between them, onto itself by bands, on the CPU. Results look at so many rows
/// to either side. False, and nothing is done, where bands would be too few for the threads, or there is NaN.
[[nodiscard]] bool run_in_place(const Context& context, std::string_view what, Image& image, std::int64_t reach,
                                const Run& run);

}  // namespace tamis::view_detail
