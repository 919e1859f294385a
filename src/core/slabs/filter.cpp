#include "core/slabs/filter.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/image/channels.hpp>
#include <tamis/memory.hpp>
#include <tamis/operations/types.hpp>

#include "core/operation/filter_image.hpp"

namespace tamis {
namespace {

/// A filter that refuses NaN says where it is in the slab; what is thrown says where it is in the volume.
[[noreturn]] void refuse(const InputError& error, const Image& image, std::int64_t from) {
  const std::string in_slab = image.type() == Type::F32 && from > 0 ? first_nan(image) : "";
  std::string message = error.what();
  const std::size_t found = in_slab.empty() ? std::string::npos : message.find(in_slab);
  if (found == std::string::npos) throw InputError(message);
  throw InputError(message.replace(found, in_slab.size(), first_nan(image, from)));
}

}  // namespace

FilterSlab slab_between(const SlabPlan& plan, std::int64_t begin, std::int64_t end) {
  return {std::max<std::int64_t>(begin - plan.halo, 0), begin, end, std::min(plan.slices, end + plan.halo)};
}

SlabFilter::SlabFilter(const Context& context, const OperationDescription& operation, const Arguments& arguments,
                       std::span<SliceSource* const> sources, bool batch)
    : quiet_(context), operation_(operation), arguments_(arguments), batch_(batch) {
  std::vector<Type> types;
  for (SliceSource* const source : sources) {
    types.push_back(source->layout().type);
    sources_.push_back(as_f32(std::make_unique<SomeSlices>(*source, 0, source->layout().shape.z)));
  }
  result_ = sample_types(operation, arguments, types).result;
  layout_ = sources_.back()->layout();
  quiet_.on_progress = nullptr;
  quiet_.on_stage = nullptr;
  // Slabs are smaller than the volume, and alone might not pay for the start of CUDA; together they may, and then it
  // has started.
  static_cast<void>(choose_device(context, layout_.shape.count()));
}

Context SlabFilter::beside_images(const SlabPlan& plan) const {
  if (quiet_.memory_bytes == 0) return quiet_;
  Shape shape = layout_.shape;
  if (batch_) shape.rank = 2;
  shape.z = std::min(shape.z, plan.thickness + 2 * plan.halo);
  return beside(quiet_, plan.bytes - operation_.filter.bytes_between(arguments_, layout_.type, shape));
}

SlabImages SlabFilter::read(const Context& context, const FilterSlab& slab) const {
  Context unlimited = context;  // the plan has counted these
  unlimited.memory_bytes = 0;
  SlabImages images;
  for (const std::unique_ptr<SliceSource>& source : sources_) {
    SomeSlices slices(*source, slab.from, slab.to);
    images.push_back(read_channels(unlimited, slices, batch_));
  }
  return images;
}

std::vector<Image> SlabFilter::filtered(const Context& context, const FilterSlab& slab, SlabImages images,
                                        FilterDone& done) const {
  std::vector<Image> results(images.back().size());
  for (std::size_t c = 0; c < results.size(); ++c) {
    std::vector<const Image*> channel;
    for (const std::vector<Image>& image : images) channel.push_back(&image[c]);
    try {
      done = operation_.filter.run(context, channel, arguments_, results[c]);
    } catch (const InputError& error) {
      refuse(error, *channel.back(), slab.from);
    }
    for (std::vector<Image>& image : images) image[c] = Image();
  }
  return results;
}

void SlabFilter::write(const Context& context, const FilterSlab& slab, const std::vector<Image>& results,
                       SliceSink& sink) const {
  Layout layout = layout_;
  layout.shape.z = slab.to - slab.from;
  const std::unique_ptr<SliceSource> all = from_f32(joined(results, layout), result_);
  SomeSlices kept(*all, slab.begin - slab.from, slab.end - slab.from);
  copy_slices(context, kept, sink);
}

}  // namespace tamis
