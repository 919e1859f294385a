// Filters by their descriptions, of images in memory of the caller.
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/image/channels.hpp>
#include <tamis/operations.hpp>
#include <tamis/operations/types.hpp>

#include "core/door.hpp"
#include "core/view/view.hpp"

namespace tamis {
namespace {

using view_detail::Keeps;

/// All of a source, which a stack of images is no volume for.
Image read_all(const Context& context, std::unique_ptr<SliceSource> source, const Shape& shape) {
  return std::move(read_channels(context, *source, shape.rank == 2).front());
}

/// Of samples that the filter does not compute with, which go as F32 and come back.
FilterDone filter_converted(const Context& context, const FilterCalls& calls, std::span<const ConstImageView> images,
                            const Arguments& arguments, Type result, const ImageView& out) {
  const Type type = out.type == Type::F64 && images.back().type == Type::F64 ? Type::F64 : result;
  view_detail::require_output(out, type, images.back().shape, "the result");
  std::vector<Image> numbers;
  for (const ConstImageView& view : images) numbers.push_back(read_all(context, as_f32(source_of(view)), view.shape));
  std::vector<const Image*> read;
  for (const Image& image : numbers) read.push_back(&image);
  Image made;
  FilterDone done = calls.run(context, read, arguments, made);
  const Image result_of_type = read_all(context, from_f32(source_of(made), type), out.shape);
  Context to_the_end = context;  // the output may be an image, which is as it was unless all goes well
  to_the_end.cancel = {};
  copy(to_the_end, result_of_type, out);
  return done;
}

}  // namespace

FilterDone filter(const Context& context, const OperationDescription& filter, std::span<const ConstImageView> images,
                  const Arguments& arguments, const ImageView& out) {
  const FilterCalls& calls = filter.filter;
  if (!calls) throw InputError(filter.name + ": no filter; wanted one");
  if (images.size() != filter.takes.size()) {
    throw InputError(fmt::format("{}: {} images; wanted {}", filter.name, images.size(), filter.takes.size()));
  }
  std::vector<Type> types;
  for (const ConstImageView& image : images) {
    require_view(image, filter.name);
    types.push_back(image.type);
  }
  const SampleTypes passage = sample_types(filter, arguments, types);
  if (passage.converts()) {
    return door::enter(context, filter.name,
                       [&] { return filter_converted(context, calls, images, arguments, passage.result, out); });
  }
  ConstImageView first = images.front();
  ImageView result = out;
  if (images.size() == 1 && first.type == Type::Bool && calls.better_as_bytes &&
      calls.better_as_bytes(arguments, first.shape) && view_detail::may_go_as_bytes(context, first, out)) {
    first.type = result.type = Type::U8;
    images = {&first, 1};
  }
  const Keeps keeps = calls.keeps_to_samples ? Keeps::ToRows : Keeps::NotToSamples;
  FilterDone done;
  std::mutex guard;
  view_detail::run_on_views(
      context, filter.name, images, result, keeps,
      [&](const Context& own, std::span<const Image* const> read, Image& written) {
        FilterDone one = calls.run(own, read, arguments, written);
        const std::lock_guard lock(guard);
        done = std::move(one);
      },
      [&] { return calls.reach(arguments, first.type, first.shape); });
  return done;
}

}  // namespace tamis
