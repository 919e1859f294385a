// A volume as a camera or a file reader would leave it for a GPU.
#pragma once

#include <cstring>

#include <tamis/image.hpp>

#include "core/cpu/parallel.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::bench {

/// Samples of 1 byte, 0 and 255, in page-locked memory.
class PinnedVolume : public SliceSource {
 public:
  PinnedVolume(const Context& cpu, const Image& object) : bytes_(object.shape().count()) {
    layout_.shape = object.shape();
    layout_.spacing = object.spacing;
    const Shape& shape = layout_.shape;
    parallel_for(cpu, shape.z, [&](std::int64_t z) {
      std::uint8_t* out = bytes_.data() + z * shape.y * shape.x;
      for (std::int64_t y = 0; y < shape.y; ++y) {
        const auto* const words = object.row<std::uint64_t>(z, y);
        for (std::int64_t x = 0; x < shape.x; ++x) *out++ = (words[x / 64] >> (x % 64) & 1U) != 0 ? 255 : 0;
      }
    });
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    std::memcpy(out, slice(z0), static_cast<std::size_t>(count * layout_.shape.y * layout_.shape.x));
  }
  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    const Shape& shape = layout_.shape;
    return MappedSlices{reinterpret_cast<const std::byte*>(bytes_.data()), shape.x, shape.y * shape.x};
  }
  [[nodiscard]] const std::uint8_t* slice(std::int64_t z) const {
    return bytes_.data() + z * layout_.shape.y * layout_.shape.x;
  }

 private:
  Layout layout_;
  cuda::PinnedBuffer<std::uint8_t> bytes_;
};

}  // namespace tamis::bench
