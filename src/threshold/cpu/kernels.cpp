#include "threshold/cpu/kernels.hpp"

#include <algorithm>
#include <type_traits>

#include "core/visit_type.hpp"

#define HWY_TARGET_INCLUDE "threshold/cpu/kernels.cpp"
#include "core/cpu/simd.hpp"
// The order matters: foreach_target includes this file once for every instruction set.
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::threshold_detail::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Bit i speaks of sample i.
struct Word {
  std::uint64_t bright;
  std::uint64_t odd;
};

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

// Highway would go sample by sample here. Bytes of 0 and 1 are what compilers vectorise for any machine, and one
// product gathers eight of them: the factor moves byte i's bit to bit 56 + i, and no two terms meet in one bit.
std::uint64_t gather(const std::uint8_t* flags) {
  std::uint64_t word = 0;
  for (int i = 0; i < 64; i += 8) {
    std::uint64_t eight = 0;
    for (int k = 0; k < 8; ++k) eight |= std::uint64_t{flags[i + k]} << (8 * k);
    word |= (eight * 0x0102040810204080U >> 56) << i;
  }
  return word;
}

template <class T, class Condition>
std::uint64_t bits_of(const T* samples, Condition condition) {
  std::uint8_t flags[64];
  for (int i = 0; i < 64; ++i) flags[i] = static_cast<std::uint8_t>(condition(samples[i]));
  return gather(flags);
}

template <class T, Rule rule>
Word word_of(const T* samples, T low, T high) {
  if constexpr (rule == Rule::OneOf) {
    const std::uint64_t bright = bits_of(samples, [high](T v) { return v == high; });
    return {bright, ~(bright | bits_of(samples, [low](T v) { return v == low; }))};
  } else {
    const std::uint64_t bright = bits_of(samples, [low, high](T v) { return (v >= low) & (v <= high); });
    if constexpr (std::is_integral_v<T>) return {bright, 0};
    return {bright, bits_of(samples, [](T v) { return v != v; })};
  }
}

#else

template <class D, class M>
std::uint64_t mask_bits(D d, M mask) {
  const std::size_t lanes = hn::Lanes(d);
  alignas(8) std::uint8_t bytes[8];
  hn::StoreMaskBits(d, mask, bytes);
  // Read back with the width that was written, so that the store is forwarded or vanishes.
  if (lanes == 64) {
    std::uint64_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
  }
  if (lanes == 32) {
    std::uint32_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
  }
  if (lanes == 16) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
  }
  return bytes[0];
}

template <class T, Rule rule>
Word word_of(const T* samples, T low, T high) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const auto lows = hn::Set(d, low);
  const auto highs = hn::Set(d, high);
  Word word{0, 0};
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, samples + i);
    if constexpr (rule == Rule::Between && std::is_integral_v<T>) {
      word.bright |= mask_bits(d, hn::Not(hn::Or(hn::Lt(v, lows), hn::Gt(v, highs)))) << i;
    } else if constexpr (rule == Rule::Between) {
      word.bright |= mask_bits(d, hn::And(hn::Ge(v, lows), hn::Le(v, highs))) << i;
      // Not Ne: Highway's is false for NaN on x86.
      word.odd |= mask_bits(d, hn::Not(hn::Eq(v, v))) << i;
    } else {
      const auto bright = hn::Eq(v, highs);
      word.bright |= mask_bits(d, bright) << i;
      word.odd |= mask_bits(d, hn::Not(hn::Or(bright, hn::Eq(v, lows)))) << i;
    }
  }
  return word;
}

#endif

template <class T, Rule rule>
Packed pack_rows(const PackJob& job) {
  const T low = sample_of<T>(job.low);
  const T high = sample_of<T>(job.high);
  const std::uint64_t flip = job.complement ? ~std::uint64_t{0} : 0;
  const std::int64_t words = (job.columns + 63) / 64;
  std::int64_t set = 0;
  std::uint64_t odd = 0;
  for (std::int64_t row = 0; row < job.rows; ++row) {
    const auto* const samples = reinterpret_cast<const T*>(job.samples + row * job.row_stride);
    for (std::int64_t w = 0; w < words; ++w) {
      const std::int64_t left = std::min<std::int64_t>(64, job.columns - 64 * w);
      std::uint64_t inside = ~std::uint64_t{0} >> (64 - left);
      Word word;
      if (left == 64) {
        word = word_of<T, rule>(samples + 64 * w, low, high);
      } else {
        T padded[64] = {};
        std::memcpy(padded, samples + 64 * w, static_cast<std::size_t>(left) * sizeof(T));
        word = word_of<T, rule>(padded, low, high);
      }
      if (job.domain) inside &= job.domain[row * words + w];
      odd |= word.odd & inside;
      const std::uint64_t object = (word.bright ^ flip) & inside;
      set += static_cast<std::int64_t>(hwy::PopCount(object));
      if (job.bits) job.bits[row * words + w] = object;
    }
  }
  return {set, odd != 0};
}

Packed pack_any(const PackJob& job) {
  return visit_type(job.type, [&job](auto sample) HWY_ATTR {
    using T = decltype(sample);
    return job.rule == Rule::Between ? pack_rows<T, Rule::Between>(job) : pack_rows<T, Rule::OneOf>(job);
  });
}

/// Zeros and ones for samples of a byte, signed or not: one is bright if it is at most `width` above `low`, as unsigned
/// numbers that go round.
struct Window {
  std::uint8_t low, width, flip;
  [[nodiscard]] std::uint8_t of(std::uint8_t sample) const {
    return static_cast<std::uint8_t>((static_cast<std::uint8_t>(sample - low) <= width) != (flip != 0));
  }
#if HWY_TARGET != HWY_SCALAR
  template <class D, class V>
  [[nodiscard]] V of(D d, V samples) const {
    const auto above = hn::Sub(samples, hn::Set(d, low));
    const auto bright = hn::VecFromMask(d, hn::Eq(hn::Min(above, hn::Set(d, width)), above));
    return hn::Xor(hn::And(bright, hn::Set(d, 1)), hn::Set(d, flip));
  }
#endif
};

/// The same for what most thresholds are, all from `low` on, without the subtraction.
struct AtLeast {
  std::uint8_t low;
  [[nodiscard]] std::uint8_t of(std::uint8_t sample) const { return static_cast<std::uint8_t>(sample >= low); }
#if HWY_TARGET != HWY_SCALAR
  template <class D, class V>
  [[nodiscard]] V of(D d, V samples) const {
    return hn::And(hn::VecFromMask(d, hn::Eq(hn::Max(samples, hn::Set(d, low)), samples)), hn::Set(d, 1));
  }
#endif
};

#if HWY_TARGET == HWY_SCALAR

template <class ByteRule>
std::int64_t compare_vectors(ByteRule, const std::uint8_t*, std::int64_t, std::uint8_t*, std::int64_t&) {
  return 0;
}

#else

/// Whole groups of four vectors, whose ones are counted together; how many samples those are. The rule is a copy, as what
/// is written could change another's.
template <class ByteRule>
std::int64_t compare_vectors(const ByteRule rule, const std::uint8_t* in, std::int64_t count, std::uint8_t* out,
                             std::int64_t& set) {
  const hn::ScalableTag<std::uint8_t> d;
  const hn::Repartition<std::uint64_t, decltype(d)> sums;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  auto counted = hn::Zero(sums);
  std::int64_t i = 0;
  const auto put = [&](std::int64_t at) HWY_ATTR {
    const auto object = rule.of(d, hn::LoadU(d, in + at));
    hn::StoreU(object, d, out + at);
    return object;
  };
  for (; i + 4 * n <= count; i += 4 * n) {
    const auto a = put(i), b = put(i + n), c = put(i + 2 * n), e = put(i + 3 * n);
    counted = hn::Add(counted, hn::SumsOf8(hn::Add(hn::Add(a, b), hn::Add(c, e))));
  }
  set += static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(sums, counted)));
  return i;
}

#endif

template <class ByteRule>
std::int64_t compare_row(const ByteRule& rule, const std::uint8_t* in, std::int64_t count, std::uint8_t* out) {
  std::int64_t set = 0, i = 0;
  const auto one_by_one = [&](std::int64_t end) {
    for (; i < end; ++i) {
      out[i] = rule.of(in[i]);
      set += out[i];
    }
  };
  // To a whole line of the cache, as vectors that cross lines are stored at half the speed.
  const auto to_line = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(out) % 64);
  one_by_one(std::min(to_line, count));
  i += compare_vectors(rule, in + i, count - i, out + i, set);
  one_by_one(count);
  return set;
}

template <class ByteRule>
std::int64_t compare_rows(const ByteRule& rule, const PackJob& job, std::byte* out, std::int64_t out_stride) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(job.samples);
  auto* bytes = reinterpret_cast<std::uint8_t*>(out);
  const bool dense = job.row_stride == job.columns && out_stride == job.columns;
  if (dense) return compare_row(rule, in, job.rows * job.columns, bytes);
  std::int64_t set = 0;
  for (std::int64_t row = 0; row < job.rows; ++row, in += job.row_stride, bytes += out_stride) {
    set += compare_row(rule, in, job.columns, bytes);
  }
  return set;
}

/// Samples of one byte between `low` and `high`, or not, as bytes.
Packed compare_any(const PackJob& job, std::byte* out, std::int64_t out_stride) {
  const auto low = static_cast<std::uint8_t>(job.low), high = static_cast<std::uint8_t>(job.high);
  const bool none = job.type == Type::I8 ? static_cast<std::int8_t>(low) > static_cast<std::int8_t>(high) : low > high;
  const auto flip = static_cast<std::uint8_t>(job.complement ? 1 : 0);
  // All samples are at most 255 above any.
  const Window window =
      none ? Window{0, 255, static_cast<std::uint8_t>(1 - flip)} : Window{low, static_cast<std::uint8_t>(high - low), flip};
  const bool upper = !none && !job.complement && high == 255;
  return {upper ? compare_rows(AtLeast{low}, job, out, out_stride) : compare_rows(window, job, out, out_stride), false};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tamis::threshold_detail::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::threshold_detail::cpu {

Packed pack(Simd simd, const PackJob& job) { return TAMIS_SIMD(simd, pack_any)(job); }

bool compares(const PackJob& job) {
  return sample_bytes(job.type) == 1 && job.rule == Rule::Between && job.domain == nullptr;
}

Packed compare(Simd simd, const PackJob& job, std::byte* out, std::int64_t out_stride) {
  return TAMIS_SIMD(simd, compare_any)(job, out, out_stride);
}

}  // namespace tamis::threshold_detail::cpu
#endif
