#include <tamis/image/channels.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/door.hpp"
#include "core/operation/filter_image.hpp"

namespace tamis {
namespace {

/// Sample by sample between a row of interleaved channels and a row of one of them.
void take_row(const std::byte* from, std::int64_t bytes, std::int64_t step, Image& image, std::int64_t z,
              std::int64_t y) {
  const std::int64_t width = image.shape().x;
  if (image.type() == Type::Bool) {
    auto* const words = image.row<std::uint64_t>(z, y);
    for (std::int64_t x = 0; x < width; ++x) {
      words[x / 64] |= std::uint64_t{from[x * step] != std::byte{0}} << (x % 64);
    }
  } else if (step == bytes) {
    std::memcpy(image.row<std::byte>(z, y), from, static_cast<std::size_t>(width * bytes));
  } else {
    auto* const to = image.row<std::byte>(z, y);
    for (std::int64_t x = 0; x < width; ++x) {
      std::memcpy(to + x * bytes, from + x * step, static_cast<std::size_t>(bytes));
    }
  }
}

class JoinedSource final : public SliceSource {
 public:
  JoinedSource(const std::vector<Image>& channels, const Layout& layout) : layout_(layout) {
    for (const Image& channel : channels) sources_.push_back(source_of(channel));
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    door::require_slices(layout_.shape, z0, count, out);
    const std::int64_t bytes = sample_bytes(layout_.type);
    const std::int64_t samples = count * layout_.shape.y * layout_.shape.x;
    const std::int64_t step = bytes * layout_.channels;
    if (sources_.size() == 1) return sources_.front()->read(z0, count, out);
    std::vector<std::byte> plane(static_cast<std::size_t>(samples * bytes));
    for (std::size_t c = 0; c < sources_.size(); ++c) {
      sources_[c]->read(z0, count, plane.data());
      std::byte* const to = out + static_cast<std::int64_t>(c) * bytes;
      for (std::int64_t i = 0; i < samples; ++i) {
        std::memcpy(to + i * step, plane.data() + i * bytes, static_cast<std::size_t>(bytes));
      }
    }
  }

 private:
  Layout layout_;
  std::vector<std::unique_ptr<SliceSource>> sources_;
};

}  // namespace

std::int64_t bytes_of_channels(const Layout& layout) {
  require_layout(layout, "channels");
  return layout.channels * image_bytes(layout.type, layout.shape);
}

std::vector<Image> read_channels(const Context& context, SliceSource& source, bool stack) {
  return door::enter(context, "reading", [&] {
    const Layout& layout = source.layout();
    require_layout(layout, "reading");
    Shape shape = layout.shape;
    if (stack) shape.rank = 2;
    const std::int64_t bytes = sample_bytes(layout.type);
    const std::int64_t row = layout.shape.x * layout.channels * bytes;
    const std::int64_t slice_bytes = row * layout.shape.y;
    require_memory(context, "the image", bytes_of_channels(layout) + slice_bytes);
    std::vector<Image> channels;
    channels.reserve(static_cast<std::size_t>(layout.channels));
    for (int c = 0; c < layout.channels; ++c) channels.emplace_back(layout.type, shape, layout.spacing);
    std::vector<std::byte> slice(static_cast<std::size_t>(slice_bytes));
    for (std::int64_t z = 0; z < layout.shape.z; ++z) {
      if (context.cancel.stop_requested()) throw Cancelled();
      if (context.on_progress) context.on_progress({"reading", z, layout.shape.z});
      source.read(z, 1, slice.data());
      for (std::int64_t y = 0; y < layout.shape.y; ++y) {
        for (std::size_t c = 0; c < channels.size(); ++c) {
          take_row(slice.data() + y * row + static_cast<std::int64_t>(c) * bytes, bytes, bytes * layout.channels,
                   channels[c], z, y);
        }
      }
    }
    return channels;
  });
}

std::unique_ptr<SliceSource> joined(const std::vector<Image>& channels, const Layout& layout) {
  require_layout(layout, "channels");
  for (const Image& channel : channels) {
    require_image(channel, "channels");
    const bool same_extent = channel.shape().count() == layout.shape.count() && channel.shape().z == layout.shape.z;
    if (channel.type() == layout.type && same_extent && channel.shape().x == layout.shape.x) continue;
    throw InputError(fmt::format("channels of {} {}; wanted {} {}", to_string(channel.shape()), name(channel.type()),
                                 to_string(layout.shape), name(layout.type)));
  }
  if (std::ssize(channels) != layout.channels) {
    throw InputError(fmt::format("{} channels; wanted {}", channels.size(), layout.channels));
  }
  return std::make_unique<JoinedSource>(channels, layout);
}

namespace {

std::int64_t bytes_of_slice(const Layout& layout) {
  const Type type = layout.type == Type::Bool ? Type::U8 : layout.type;  // as bytes
  return layout.channels * image_bytes(type, {1, layout.shape.y, layout.shape.x, 2});
}

std::int64_t slices_at_once(const Layout& layout) {
  constexpr std::int64_t slab_bytes = std::int64_t{8} << 20;
  return std::clamp<std::int64_t>(slab_bytes / bytes_of_slice(layout), 1, layout.shape.z);
}

}  // namespace

std::int64_t bytes_of_copy(const Layout& layout) {
  require_layout(layout, "writing");
  return slices_at_once(layout) * bytes_of_slice(layout);
}

void copy_slices(const Context& context, SliceSource& source, SliceSink& sink) {
  door::enter(context, "writing", [&] {
    const Layout& layout = source.layout();
    require_layout(layout, "writing");
    const std::int64_t slice_bytes = bytes_of_slice(layout);
    const std::int64_t at_once = slices_at_once(layout);
    require_memory(context, "writing", bytes_of_copy(layout));
    std::vector<std::byte> slab(static_cast<std::size_t>(at_once * slice_bytes));
    for (std::int64_t z = 0; z < layout.shape.z; z += at_once) {
      if (context.cancel.stop_requested()) throw Cancelled();
      if (context.on_progress) context.on_progress({"writing", z, layout.shape.z});
      const std::int64_t count = std::min(at_once, layout.shape.z - z);
      source.read(z, count, slab.data());
      sink.write(slab.data(), count);
    }
  });
}

}  // namespace tamis
