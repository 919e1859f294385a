#include "line/sweep_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/cpu/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "line/sweep_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::line_detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Sample>
LaneOf<Sample> lane_of(Sample sample) {
  if constexpr (std::is_same_v<Sample, float>) {
    const auto bits = std::bit_cast<std::int32_t>(sample);
    return bits ^ (bits >> 31 & 0x7fffffff);
  } else {
    return sample;
  }
}

/// Largest count of an F32 sample (sweep_scale): an infinity, where no segment fits, counts as an end of the range.
constexpr double most_counts = 2147483648.0;
/// Added to a double below 2^51, it leaves the nearest whole number (even, of two) in the last bits.
constexpr double to_whole = 6755399441055744.0;

template <class Sample>
std::int64_t count_of(Sample sample, const SweepScale& scale) {
  if constexpr (std::is_same_v<Sample, float>) {
    const double count = (static_cast<double>(sample) - scale.base) / scale.step;
    return std::llrint(std::clamp(count, 0.0, most_counts));
  } else {
    return sample;
  }
}

/// Sums vectors of samples.
template <class Sample>
class Counter {
 public:
  using D = hn::ScalableTag<LaneOf<Sample>>;

  explicit Counter(const SweepScale& scale) : scale_(scale) {}

  /// Bits of samples as they lie in memory.
  HWY_INLINE void add(hn::Vec<D> samples) {
    const D d;
    if constexpr (sizeof(Sample) == 1) {
      sum_ = hn::Add(sum_, hn::SumsOf8(samples));
    } else if constexpr (!std::is_same_v<Sample, float>) {
      // Two halves of 32 bits; those of most_swept samples do not overflow.
      const hn::Repartition<std::uint32_t, D> d32;
      const hn::RebindToUnsigned<D> du;
      auto bits = hn::BitCast(du, samples);
      if constexpr (std::is_signed_v<Sample>) bits = hn::Xor(bits, hn::Set(du, 0x8000));
      const auto pairs = hn::BitCast(d32, bits);
      halves_ = hn::Add(halves_, hn::Add(hn::And(pairs, hn::Set(d32, 0xffff)), hn::ShiftRight<16>(pairs)));
    } else {
      const hn::Half<hn::RebindToFloat<D>> half;
      const auto floats = hn::BitCast(hn::RebindToFloat<D>(), samples);
      add_floats(hn::LowerHalf(half, floats));
#if HWY_TARGET != HWY_SCALAR
      add_floats(hn::UpperHalf(half, floats));
#endif
    }
    ++vectors_;
    (void)d;
  }

  [[nodiscard]] HWY_INLINE std::int64_t total() const {
    const auto samples = vectors_ * static_cast<std::int64_t>(hn::Lanes(D()));
    if constexpr (sizeof(Sample) == 1) {
      return sum_lanes(D64u(), sum_);
    } else if constexpr (!std::is_same_v<Sample, float>) {
      HWY_ALIGN std::uint32_t parts[hn::MaxLanes(D32())];
      hn::Store(halves_, D32(), parts);
      std::int64_t sum = 0;
      for (const std::uint32_t part : parts) sum += part;
      return std::is_signed_v<Sample> ? sum - 32768 * samples : sum;
    } else {
      const std::uint64_t all = static_cast<std::uint64_t>(samples) * std::bit_cast<std::uint64_t>(to_whole);
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum_lanes(D64u(), sum_)) - all);
    }
  }

 private:
  using D64u = hn::Repartition<std::uint64_t, D>;
  using D32 = hn::Repartition<std::uint32_t, D>;

  template <class V>
  HWY_INLINE void add_floats(V floats) {
    const hn::Repartition<double, D> d;
    const auto above = hn::Sub(hn::PromoteTo(d, floats), hn::Set(d, scale_.base));
    // Steps are powers of two, so that nothing is lost.
    const auto count = hn::Mul(above, hn::Set(d, 1 / scale_.step));
    const auto held = hn::Min(hn::Max(count, hn::Zero(d)), hn::Set(d, most_counts));
    sum_ = hn::Add(sum_, hn::BitCast(D64u(), hn::Add(held, hn::Set(d, to_whole))));
  }

  template <class DN, class V>
  static HWY_INLINE std::int64_t sum_lanes(DN d, V vector) {
    HWY_ALIGN std::uint64_t parts[hn::MaxLanes(DN())];
    hn::Store(vector, d, parts);
    std::uint64_t sum = 0;
    for (const std::uint64_t part : parts) sum += part;
    return static_cast<std::int64_t>(sum);
  }

  SweepScale scale_;
  hn::Vec<D64u> sum_ = hn::Zero(D64u());
  hn::Vec<D32> halves_ = hn::Zero(D32());
  std::int64_t vectors_ = 0;
};

template <class Sample, class V>
HWY_INLINE V keys_of(V bits) {
  if constexpr (std::is_same_v<Sample, float>) {
    const hn::ScalableTag<std::int32_t> d;
    return hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), hn::Set(d, 0x7fffffff)));
  } else {
    return bits;
  }
}

#if HWY_TARGET == HWY_SCALAR
inline constexpr bool has_vectors = false;
#else
inline constexpr bool has_vectors = true;
#endif

template <class Sample, bool maps, bool dark>
HWY_INLINE std::int64_t sweep(const Sample* now, std::int64_t count, const SweepScale& scale,
                              const SweepMaps<LaneOf<Sample>>& rows, CodeOf<LaneOf<Sample>> code) {
  using Lane = LaneOf<Sample>;
  std::int64_t i = 0;
  std::int64_t sum = 0;
  Lane* const best = rows.best;
  Lane* const worst = rows.worst;
  CodeOf<Lane>* const codes = rows.code;
  if constexpr (has_vectors) {
    const hn::ScalableTag<Lane> d;
    const hn::Rebind<CodeOf<Lane>, decltype(d)> dc;
    const auto n = static_cast<std::int64_t>(hn::Lanes(d));
    Counter<Sample> counter(scale);
    for (; i + n <= count; i += n) {
      const auto bits = hn::LoadU(d, reinterpret_cast<const Lane*>(now) + i);
      counter.add(bits);
      if constexpr (maps) {
        const auto key = keys_of<Sample>(bits);
        const auto most = hn::LoadU(d, best + i);
        const auto least = hn::LoadU(d, worst + i);
        const auto better = dark ? hn::Lt(key, most) : hn::Gt(key, most);
        hn::StoreU(dark ? hn::Min(key, most) : hn::Max(key, most), d, best + i);
        hn::StoreU(dark ? hn::Max(key, least) : hn::Min(key, least), d, worst + i);
        const auto kept = hn::LoadU(dc, codes + i);
        hn::StoreU(hn::IfThenElse(hn::RebindMask(dc, better), hn::Set(dc, code), kept), dc, codes + i);
      }
    }
    sum = counter.total();
  }
  for (; i < count; ++i) {
    sum += count_of(now[i], scale);
    if constexpr (maps) {
      const Lane key = lane_of(now[i]);
      if (dark ? key < best[i] : key > best[i]) {
        best[i] = key;
        codes[i] = code;
      }
      if (dark ? key > worst[i] : key < worst[i]) worst[i] = key;
    }
  }
  return sum;
}

#define TAMIS_FOR_SAMPLE(Sample, suffix)                                                                \
  std::int64_t take_##suffix(const Sample* now, std::int64_t count, const SweepScale& scale,            \
                             const SweepMaps<LaneOf<Sample>>& maps, CodeOf<LaneOf<Sample>> code) {      \
    return sweep<Sample, true, false>(now, count, scale, maps, code);                                   \
  }                                                                                                     \
  std::int64_t take_dark_##suffix(const Sample* now, std::int64_t count, const SweepScale& scale,       \
                                  const SweepMaps<LaneOf<Sample>>& maps, CodeOf<LaneOf<Sample>> code) { \
    return sweep<Sample, true, true>(now, count, scale, maps, code);                                    \
  }                                                                                                     \
  std::int64_t sum_##suffix(const Sample* now, std::int64_t count, const SweepScale& scale) {           \
    return sweep<Sample, false, false>(now, count, scale, {}, 0);                                       \
  }
TAMIS_FOR_SAMPLE(std::uint8_t, u8)
TAMIS_FOR_SAMPLE(std::uint16_t, u16)
TAMIS_FOR_SAMPLE(std::int16_t, i16)
TAMIS_FOR_SAMPLE(float, f32)
#undef TAMIS_FOR_SAMPLE

}  // namespace
}  // namespace tamis::line_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::line_detail {
namespace {

#define TAMIS_EXPORT(suffix)      \
  HWY_EXPORT(take_##suffix);      \
  HWY_EXPORT(take_dark_##suffix); \
  HWY_EXPORT(sum_##suffix);
TAMIS_EXPORT(u8)
TAMIS_EXPORT(u16)
TAMIS_EXPORT(i16)
TAMIS_EXPORT(f32)
#undef TAMIS_EXPORT

}  // namespace

#define TAMIS_KERNELS(Sample, suffix)                                                                               \
  template <>                                                                                                       \
  SweepKernels<Sample> sweep_kernels<Sample>(Simd simd) {                                                           \
    return {TAMIS_SIMD(simd, take_##suffix), TAMIS_SIMD(simd, take_dark_##suffix), TAMIS_SIMD(simd, sum_##suffix)}; \
  }
TAMIS_KERNELS(std::uint8_t, u8)
TAMIS_KERNELS(std::uint16_t, u16)
TAMIS_KERNELS(std::int16_t, i16)
TAMIS_KERNELS(float, f32)
#undef TAMIS_KERNELS

}  // namespace tamis::line_detail
#endif
