// Memory of a user with an image in it, in every way in which it may lie there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tamis/image/view.hpp>

namespace tamis::view_testing {

/// How samples lie in a buffer.
enum class Way { Dense, Pitch, Steps, Turned, Upwards, Odd };
inline constexpr Way ways[] = {Way::Dense, Way::Pitch, Way::Steps, Way::Turned, Way::Upwards, Way::Odd};

/// Memory of a user with an image in it, and something else in between that has to stay.
class Buffer {
 public:
  Buffer(Type type, const Shape& shape, Way way) : bytes_(static_cast<std::size_t>(4 * shape.count() * 8 + 65536), std::byte{0x5a}) {
    const std::int64_t sample = sample_bytes(type);
    std::int64_t step = sample, pitch = shape.x * sample;
    if (way == Way::Pitch) pitch += 3 * sample;
    if (way == Way::Steps) step *= 3, pitch *= 3;
    std::int64_t slice = pitch * shape.y;
    std::int64_t first = 64;
    if (way == Way::Odd) first += sample > 1 ? 1 : 0;
    if (way == Way::Turned) {  // x lies farthest apart
      slice = sample;
      pitch = shape.z * sample;
      step = shape.z * shape.y * sample;
    }
    if (way == Way::Upwards) {  // the last row lies first
      first += pitch * (shape.y - 1);
      pitch = -pitch;
    }
    view = {bytes_.data() + first, type, shape, slice, pitch, step};
  }

  void put(const Image& image) { copy({}, image, view); }
  [[nodiscard]] std::vector<std::byte> samples() const {
    std::vector<std::byte> all(static_cast<std::size_t>(view.shape.count() * sample_bytes(view.type)));
    source_of(as_input(view))->read(0, view.shape.z, all.data());
    return all;
  }
  /// Bytes of the buffer that are no samples: as many as before.
  [[nodiscard]] std::size_t untouched(const Buffer& fresh) const {
    std::size_t same = 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i) same += bytes_[i] == fresh.bytes_[i] ? 1 : 0;
    return same;
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  ImageView view;

 private:
  std::vector<std::byte> bytes_;
};

inline std::vector<std::byte> samples_of(const Image& image) {
  std::vector<std::byte> all(static_cast<std::size_t>(image.shape().count() * sample_bytes(image.type())));
  source_of(image)->read(0, image.shape().z, all.data());
  return all;
}

}  // namespace tamis::view_testing
