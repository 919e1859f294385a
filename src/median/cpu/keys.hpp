// Samples as unsigned whole numbers of the same order and size, which is all that selection needs;
// and a part of an image as keys, with all that windows see around it.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/bits/ordered_bits.hpp"
#include "core/memory.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

template <class Sample>
using Key = std::conditional_t<sizeof(Sample) == 1, std::uint8_t,
                               std::conditional_t<sizeof(Sample) == 2, std::uint16_t, std::uint32_t>>;

/// What is not there (outside of a window that shrinks, NaN that is ignored) has the highest key: sorted after all that
/// is there, it leaves their ranks alone. No number of F32 has it.
template <class K>
inline constexpr K absent = std::numeric_limits<K>::max();

/// -0 is below +0; NaN is absent.
inline std::uint32_t key_of(float sample) {
  if (sample != sample) return absent<std::uint32_t>;
  return detail::ordered_key(sample);
}
inline std::uint16_t key_of(std::int16_t sample) { return static_cast<std::uint16_t>(sample ^ 0x8000); }
inline std::uint16_t key_of(std::uint16_t sample) { return sample; }
inline std::uint8_t key_of(std::uint8_t sample) { return sample; }

/// The other way; absent becomes a NaN.
template <class Sample>
Sample sample_of(Key<Sample> key) {
  if constexpr (sizeof(Sample) == 4) {
    return detail::float_of_key(key);
  } else {
    return static_cast<Sample>(key_of(static_cast<Sample>(key)));
  }
}

/// On vectors: keys[i] = key_of(samples[i]). Whether there is NaN.
bool keys_of_floats(Simd simd, const float* samples, std::int64_t count, std::uint32_t* keys);
/// sample_of<float>() for each, where they lie.
void floats_of_keys(Simd simd, std::uint32_t* keys, std::int64_t count);

/// Slices z0 ... z1-1, rows y0 ... y1-1, whole rows.
struct Band {
  std::int64_t z0 = 0, z1 = 1;
  std::int64_t y0 = 0, y1 = 1;
};

/// Engines know no borders and no types: they read such a part.
template <class K>
class KeySlab {
 public:
  /// Bytes before the first and behind the last key of a row that may be read; what is there does not matter.
  static constexpr std::int64_t slack_bytes = 64;

  /// Reads the band and what the step's window sees from it, in place of what was there before. Whether there is NaN.
  template <class Sample>
  bool fill(const Image& image, const RankStep& step, const Band& band, Simd simd = Simd::Best);

  /// Keys of a row, by the image's coordinates: [x] for x from window.low.x to nx + window.high.x - 1.
  [[nodiscard]] const K* row(std::int64_t z, std::int64_t y) const {
    return keys_ + ((z - z_) * ny_ + (y - y_)) * stride_ + first_;
  }
  /// Keys from a row to the next, from a slice to the next.
  [[nodiscard]] std::int64_t row_stride() const { return stride_; }
  [[nodiscard]] std::int64_t slice_stride() const { return stride_ * ny_; }

 private:
  std::int64_t z_ = 0, y_ = 0, ny_ = 0, stride_ = 0, first_ = 0;
  K* keys_ = nullptr;
  Buffer<K> memory_;
};

}  // namespace tamis::median_detail::cpu
