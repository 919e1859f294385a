#include "median/cpu/keys.hpp"

#include <algorithm>
#include <type_traits>

#include "core/border.hpp"

namespace tamis::median_detail::cpu {
namespace {

/// Keys of samples side by side. Whether there is NaN.
template <class Sample>
bool keys_of(Simd simd, const Sample* samples, std::int64_t count, Key<Sample>* keys) {
  if constexpr (std::is_same_v<Sample, float>) return keys_of_floats(simd, samples, count, keys);
  for (std::int64_t i = 0; i < count; ++i) keys[i] = key_of(samples[i]);
  return false;
}

/// What lies beside a row of n keys, `keys` pointing to key 0.
template <class K>
void put_sides(K* keys, std::int64_t n, std::int64_t low, std::int64_t high, const RankStep& step, K outside) {
  const auto put = [&](std::int64_t x) {
    step.stop_if_cancelled(x);
    const std::int64_t from = seen_at(x, n, step.border.kind);
    keys[x] = from < 0 ? outside : keys[from];
  };
  for (std::int64_t x = low; x < 0; ++x) put(x);
  for (std::int64_t x = n; x < n + high; ++x) put(x);
}

}  // namespace

template <class K>
template <class Sample>
bool KeySlab<K>::fill(const Image& image, const RankStep& step, const Band& band, Simd simd) {
  const Shape& shape = image.shape();
  const OffsetBox& window = step.window.box();
  constexpr std::int64_t slack = slack_bytes / static_cast<std::int64_t>(sizeof(K));
  const std::int64_t low = std::min<std::int64_t>(window.low.x, 0);
  const std::int64_t high = std::max<std::int64_t>(window.high.x, 0);
  const auto up = [](std::int64_t n) { return (n + slack - 1) / slack * slack; };
  z_ = band.z0 + window.low.z;
  y_ = band.y0 + window.low.y;
  const std::int64_t nz = band.z1 - band.z0 + window.high.z - window.low.z;
  ny_ = band.y1 - band.y0 + window.high.y - window.low.y;
  first_ = up(-low) + slack;
  stride_ = up(first_ + shape.x + high + slack);
  if (memory_.size() < stride_ * ny_ * nz) memory_ = Buffer<K>(stride_ * ny_ * nz);
  keys_ = memory_.data();
  const K outside =
      step.border.kind == Border::Kind::Constant ? key_of(static_cast<Sample>(step.border.value)) : absent<K>;
  bool nan = false;
  for (std::int64_t z = 0; z < nz; ++z) {
    const std::int64_t from_z = seen_at(z_ + z, shape.z, step.border.kind);
    for (std::int64_t y = 0; y < ny_; ++y) {
      step.stop_if_cancelled();
      const std::int64_t from_y = seen_at(y_ + y, shape.y, step.border.kind);
      K* const keys = keys_ + (z * ny_ + y) * stride_ + first_;
      if (from_z < 0 || from_y < 0) {
        std::fill(keys + low, keys + shape.x + high, outside);
        continue;
      }
      nan |= keys_of(simd, image.row<Sample>(from_z, from_y), shape.x, keys);
      put_sides(keys, shape.x, low, high, step, outside);
    }
  }
  return nan;
}

template bool KeySlab<std::uint8_t>::fill<std::uint8_t>(const Image&, const RankStep&, const Band&, Simd);
template bool KeySlab<std::uint16_t>::fill<std::uint16_t>(const Image&, const RankStep&, const Band&, Simd);
template bool KeySlab<std::uint16_t>::fill<std::int16_t>(const Image&, const RankStep&, const Band&, Simd);
template bool KeySlab<std::uint32_t>::fill<float>(const Image&, const RankStep&, const Band&, Simd);

}  // namespace tamis::median_detail::cpu
