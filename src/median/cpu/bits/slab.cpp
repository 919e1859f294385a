#include "median/cpu/bits/run.hpp"

#include <algorithm>

#include "core/border.hpp"

namespace tamis::median_detail::cpu {
namespace {

void put_bit(std::uint64_t* words, std::int64_t i, bool value) {
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(i % 64);
  words[i / 64] = value ? words[i / 64] | bit : words[i / 64] & ~bit;
}

/// Samples 0, 1, ... become bits `first`, first + 1, ...; what is behind them in the last word are zeros.
void copy_to(std::uint64_t* words, std::int64_t first, const std::uint64_t* samples, std::int64_t sample_words) {
  const auto shift = static_cast<unsigned>(first % 64);
  words += first / 64;
  for (std::int64_t i = 0; i < sample_words; ++i) {
    words[i] |= samples[i] << shift;
    if (shift != 0) words[i + 1] = samples[i] >> (64 - shift);
  }
}

}  // namespace

void BitSlab::fill(const Image& image, const RankStep& step, const Band& band) {
  const Shape& shape = image.shape();
  const OffsetBox& window = step.window.box();
  low_ = std::min<std::int64_t>(window.low.x, 0);
  const std::int64_t high = shape.x + std::max<std::int64_t>(window.high.x, 0);
  const std::int64_t nz = band.z1 - band.z0 + window.high.z - window.low.z;
  z_ = band.z0 + window.low.z;
  y_ = band.y0 + window.low.y;
  ny_ = band.y1 - band.y0 + window.high.y - window.low.y;
  stride_ = (high - low_) / 64 + 1 + 2 * block_words;
  words_.assign(static_cast<std::size_t>(stride_ * ny_ * nz), 0);
  const bool outside = step.border.kind == Border::Kind::Constant && step.border.value != 0;
  for (std::int64_t z = 0; z < nz; ++z) {
    const std::int64_t from_z = seen_at(z_ + z, shape.z, step.border.kind);
    for (std::int64_t y = 0; y < ny_; ++y) {
      step.stop_if_cancelled();
      const std::int64_t from_y = seen_at(y_ + y, shape.y, step.border.kind);
      std::uint64_t* const words = words_.data() + (z * ny_ + y) * stride_;
      if (from_z < 0 || from_y < 0) {
        std::fill_n(words, stride_, outside ? ~std::uint64_t{0} : 0);
        continue;
      }
      copy_to(words, -low_, image.row<std::uint64_t>(from_z, from_y), image.row_bytes() / 8);
      const auto put = [&](std::int64_t x) {
        step.stop_if_cancelled(x);
        const std::int64_t from_x = seen_at(x, shape.x, step.border.kind);
        put_bit(words, x - low_, from_x < 0 ? outside : image.bit(from_z, from_y, from_x));
      };
      for (std::int64_t x = low_; x < 0; ++x) put(x);
      for (std::int64_t x = shape.x; x < high; ++x) put(x);
    }
  }
}

}  // namespace tamis::median_detail::cpu
