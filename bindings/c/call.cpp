#include "c/call.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <tamis/image/channels.hpp>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "c/error.hpp"
#include "c/interface.hpp"
#include "c/result.hpp"

namespace tamis::c {

Images::Images(const OperationDescription& operation, const tamis_view* views, std::size_t count) {
  if (count > 0) require_pointer(views, "images", fmt::format("{} of them", count));
  std::vector<std::string> known;
  for (const Data& data : operation.takes) known.push_back(data.name);
  const std::vector<Data> own = own_images(operation);
  std::size_t next = 0;
  std::vector<std::pair<std::string, ConstImageView>> extra;
  for (std::size_t i = 0; i < count; ++i) {
    const bool named = views[i].name != nullptr && *views[i].name != '\0';
    if (!named && next == known.size()) {
      throw InputError(fmt::format("{}: more images than it takes, which is {}", operation.name, known.size()));
    }
    const std::string name = named ? views[i].name : known[next];
    const bool taken = std::find(known.begin(), known.end(), name) != known.end();
    const bool by_name = std::any_of(own.begin(), own.end(), [&](const Data& data) { return data.name == name; });
    if (!taken && !by_name) throw InputError(fmt::format("{}: {} takes no image of that name", name, operation.name));
    if (find(name)) throw InputError(name + ": given twice");
    given_.emplace_back(name, checked(views[i], name));
    const std::optional<int> gpu = gpu_of(views[i], name);
    if (i == 0) gpu_ = gpu;
    if (gpu != gpu_)
      throw InputError(fmt::format("{}: in {}, others in {}; wanted one place", name, place(gpu), place(gpu_)));
    if (!named) ++next;
  }
  require_all(operation);
}

void Images::require_all(const OperationDescription& operation) {
  std::vector<std::pair<std::string, ConstImageView>> ordered;
  for (const Data& data : operation.takes) {
    const ConstImageView* const view = find(data.name);
    if (!view) throw InputError(fmt::format("{}: not given; {} takes it", data.name, operation.name));
    ordered.emplace_back(data.name, *view);
  }
  taken_ = ordered.size();
  for (auto& [name, view] : given_) {
    const bool there =
        std::any_of(ordered.begin(), ordered.end(), [&, &word = name](const auto& one) { return one.first == word; });
    if (!there) ordered.emplace_back(std::move(name), std::move(view));
  }
  given_ = std::move(ordered);
}

std::vector<ConstImageView> Images::taken() const {
  std::vector<ConstImageView> views;
  for (std::size_t i = 0; i < taken_; ++i) views.push_back(given_[i].second);
  return views;
}

const ConstImageView* Images::find(std::string_view name) const {
  const auto at = std::find_if(given_.begin(), given_.end(), [&](const auto& image) { return image.first == name; });
  return at == given_.end() ? nullptr : &at->second;
}

Image read_all(const Context& context, SliceSource& source) {
  return std::move(read_channels(context, source, false).front());
}

Image Call::read(const ConstImageView& view) const {
  const std::unique_ptr<SliceSource> source = as_f32(source_of(view));
  return std::move(read_channels(context, *source, view.shape.rank == 2).front());
}

Image back_to(const Context& context, Type type, Image chosen) {
  if (chosen.type() == type) return chosen;
  const bool stack = chosen.shape().rank == 2;
  return std::move(read_channels(context, *from_f32(source_of(chosen), type), stack).front());
}

void Call::refuse_stack() const {
  const Shape& shape = images.first().shape;
  if (shape.rank == 3 || shape.z == 1) return;
  throw InputError(
      fmt::format("image: a stack of {} images; {} wants one image, or a volume, of rank 3", shape.z, operation.name));
}

Binary Call::object(const ThresholdOptions& threshold) const {
  refuse_stack();
  outputs.require_shape(images.first().shape);
  const std::unique_ptr<SliceSource> image = source();
  std::unique_ptr<SliceSource> mask;
  Region region;
  if (const ConstImageView* const roi = images.find("roi")) {
    mask = source_of(*roi);
    region = {Region::Kind::Mask, mask.get()};
  }
  Binary made = binarise(context, *image, threshold, region);
  made.object.spacing = image->layout().spacing;
  return made;
}

ImageView Call::place_for(std::string name, Type type, const Shape& shape, const Spacing& spacing,
                          bool may_be_wider) const {
  if (const std::optional<ImageView> view = outputs.take(name, type, shape, may_be_wider)) return *view;
  return result.add(context, std::move(name), type, shape, spacing);
}

void Call::give(std::string name, Image image, bool may_be_wider) const {
  if (!outputs.wanted(name)) return result.add(context, std::move(name), std::move(image));
  const Type type = image.type();
  const ImageView to = place_for(std::move(name), type, image.shape(), image.spacing, may_be_wider);
  if (to.type == type) return copy(context, image, to);
  write_slices(to, type, image.data(), 0, image.shape().z);
}

GpuOutput Call::place_on_gpu(std::string name, Type type, const Shape& shape) const {
  const int gpu = images.gpu().value();
  if (const std::optional<ImageView> view = outputs.take(name, type, shape, false)) return array_on(gpu, *view);
  return result.add_on_gpu(context, std::move(name), type, shape, images.first().spacing, gpu);
}

void Call::tell_gpu() const {
  Context there = context;
  there.gpu = images.gpu().value();
  there.more_gpus.clear();
  result.figures["machine"] = there.describe(Device::Cuda);
}

Image black_and_white(const Context& context, const Image& bits) {
  require_memory(context, "the result", image_bytes(Type::U8, bits.shape()));
  Image bytes(Type::U8, bits.shape(), bits.spacing);
  ImageView view = view_of(bytes);
  view.type = Type::Bool;
  copy(context, bits, view);
  for (std::int64_t z = 0; z < bytes.shape().z; ++z) {
    for (std::int64_t y = 0; y < bytes.shape().y; ++y) {
      auto* const row = bytes.row<std::uint8_t>(z, y);
      for (std::int64_t x = 0; x < bytes.shape().x; ++x) row[x] = static_cast<std::uint8_t>(-row[x]);
    }
  }
  return bytes;
}

}  // namespace tamis::c
