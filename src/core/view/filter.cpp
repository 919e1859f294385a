// Filters by their descriptions, of images in memory of the caller.
#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/operations.hpp>

#include "core/cpu/bits_and_bytes.hpp"
#include "core/operation/filter_image.hpp"
#include "core/view/view.hpp"

namespace tamis {
namespace {

using view_detail::Keeps;

/// Zeros and ones that lie in bytes where bits would be packed, filtered and unpacked, for no gain.
bool go_as_bytes(const Context& context, const FilterCalls& calls, const ConstImageView& image, const ImageView& out,
                 const Arguments& arguments) {
  if (image.type != Type::Bool || out.type != Type::Bool || context.device == Device::Cuda) return false;
  return calls.better_as_bytes && calls.better_as_bytes(arguments, image.shape) && view_detail::is_dense(image) &&
         are_zero_or_one(context, static_cast<const std::byte*>(image.data), image.shape.count());
}

}  // namespace

FilterDone filter(const Context& context, const OperationDescription& filter, std::span<const ConstImageView> images,
                  const Arguments& arguments, const ImageView& out) {
  const FilterCalls& calls = filter.filter;
  if (!calls) throw InputError(filter.name + ": no filter; wanted one");
  if (images.size() != filter.takes.size()) {
    throw InputError(fmt::format("{}: {} images; wanted {}", filter.name, images.size(), filter.takes.size()));
  }
  for (const ConstImageView& image : images) {
    view_detail::require_view(image, filter.name);
    require_filter_type(image.type, filter.name);
  }
  ConstImageView first = images.front();
  ImageView result = out;
  if (images.size() == 1 && go_as_bytes(context, calls, first, out, arguments)) {
    first.type = result.type = Type::U8;
    images = {&first, 1};
  }
  const Keeps keeps = calls.keeps_to_samples ? Keeps::ToSamples : Keeps::NotToSamples;
  FilterDone done;
  view_detail::run_on_views(
      context, filter.name, images, result, keeps,
      [&](std::span<const Image* const> read, Image& written) { done = calls.run(context, read, arguments, written); });
  return done;
}

}  // namespace tamis
