#include "line/sweep/cpu/run.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/bits/ordered_bits.hpp"
#include "core/cpu/simd.hpp"
#include "line/sweep/sweep.hpp"

#define HWY_TARGET_INCLUDE "line/sweep/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "core/cpu/ordered_bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::line_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

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
    return detail::HWY_NAMESPACE::ordered(d, bits);
  } else {
    return bits;
  }
}

#if HWY_TARGET == HWY_SCALAR
inline constexpr bool has_vectors = false;
#else
inline constexpr bool has_vectors = true;
#endif

template <class Sample>
std::int64_t sum(const Sample* samples, std::int64_t count, const SweepScale& scale) {
  std::int64_t i = 0;
  std::int64_t total = 0;
  if constexpr (has_vectors) {
    const hn::ScalableTag<LaneOf<Sample>> d;
    const auto n = static_cast<std::int64_t>(hn::Lanes(d));
    Counter<Sample> counter(scale);
    for (; i + n <= count; i += n) counter.add(hn::LoadU(d, reinterpret_cast<const LaneOf<Sample>*>(samples) + i));
    total = counter.total();
  }
  for (; i < count; ++i) total += count_of(samples[i], scale);
  return total;
}

template <class Sample, bool dark>
void take_sample(const TakenOpening<Sample>& opening, std::int64_t i, const SweepMaps<LaneOf<Sample>>& maps) {
  const LaneOf<Sample> key = lane_of(opening.samples[i]);
  if (dark ? key < maps.best[i] : key > maps.best[i]) {
    maps.best[i] = key;
    maps.first[i] = opening.first;
  }
  if (key == maps.best[i]) maps.last[i] = opening.last;
  if (dark ? key > maps.worst[i] : key < maps.worst[i]) maps.worst[i] = key;
}

/// Of lanes in a full vector.
template <class Lane, class M>
HWY_INLINE auto mask_of_codes(M mask) {
  const hn::ScalableTag<Lane> d;
  const hn::Rebind<CodeOf<Lane>, decltype(d)> codes;
  if constexpr (sizeof(Lane) == sizeof(CodeOf<Lane>)) {
    return hn::RebindMask(codes, mask);
  } else {
    const auto bits = hn::DemoteTo(hn::RebindToSigned<decltype(codes)>(), hn::VecFromMask(d, mask));
    return hn::MaskFromVec(hn::BitCast(codes, bits));
  }
}

template <class Sample, bool dark, std::size_t openings>
SweptSums take_openings(const TakenOpening<Sample>* opening, std::int64_t count, const SweepScale& scale,
                        const SweepMaps<LaneOf<Sample>>& maps) {
  using Lane = LaneOf<Sample>;
  std::int64_t i = 0;
  SweptSums sums{};
  if constexpr (has_vectors) {
    const hn::ScalableTag<Lane> d;
    const hn::Rebind<CodeOf<Lane>, decltype(d)> dc;
    const auto n = static_cast<std::int64_t>(hn::Lanes(d));
    Counter<Sample> one(scale), other(scale);
    for (; i + n <= count; i += n) {
      auto best = hn::LoadU(d, maps.best + i);
      auto worst = hn::LoadU(d, maps.worst + i);
      auto first = hn::LoadU(dc, maps.first + i);
      auto last = hn::LoadU(dc, maps.last + i);
      const auto take = [&](const TakenOpening<Sample>& now, Counter<Sample>& counter) HWY_ATTR {
        const auto bits = hn::LoadU(d, reinterpret_cast<const Lane*>(now.samples) + i);
        counter.add(bits);
        const auto key = keys_of<Sample>(bits);
        const auto better = dark ? hn::Min(key, best) : hn::Max(key, best);
        const auto keeps = mask_of_codes<Lane>(hn::Eq(better, best));
        const auto reaches = mask_of_codes<Lane>(hn::Eq(better, key));
        best = better;
        worst = dark ? hn::Max(key, worst) : hn::Min(key, worst);
        first = hn::IfThenElse(keeps, first, hn::Set(dc, now.first));
        last = hn::IfThenElse(reaches, hn::Set(dc, now.last), last);
      };
      take(opening[0], one);
      if constexpr (openings > 1) take(opening[1], other);
      hn::StoreU(best, d, maps.best + i);
      hn::StoreU(worst, d, maps.worst + i);
      hn::StoreU(first, dc, maps.first + i);
      hn::StoreU(last, dc, maps.last + i);
    }
    sums = {one.total(), other.total()};
  }
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < openings; ++k) {
      sums[k] += count_of(opening[k].samples[i], scale);
      take_sample<Sample, dark>(opening[k], i, maps);
    }
  }
  return sums;
}

template <class Sample, bool dark>
SweptSums take(const TakenOpenings<Sample>& openings, std::int64_t count, const SweepScale& scale,
               const SweepMaps<LaneOf<Sample>>& maps) {
  if (openings.count == 1) return take_openings<Sample, dark, 1>(openings.opening, count, scale, maps);
  return take_openings<Sample, dark, 2>(openings.opening, count, scale, maps);
}

/// As many lanes as 16-bit numbers, in vectors of their own widths.
template <class Lane>
struct Widths {
  using Lanes = hn::Rebind<Lane, hn::ScalableTag<std::conditional_t<sizeof(Lane) == 4, std::int32_t, std::uint16_t>>>;
  using Codes = hn::Rebind<CodeOf<Lane>, Lanes>;
  using Numbers = hn::Rebind<std::uint16_t, Lanes>;

  template <class V>
  static HWY_INLINE hn::Vec<Numbers> numbers(V codes) {
    if constexpr (sizeof(Lane) == 1) {
      return hn::PromoteTo(Numbers(), codes);
    } else {
      return codes;
    }
  }

  /// Where two lanes are the same.
  template <class V>
  static HWY_INLINE hn::Mask<Numbers> same(V a, V b) {
    const hn::RebindToSigned<Lanes> lanes;
    const hn::RebindToSigned<Numbers> numbers;
    const auto bits = hn::BitCast(lanes, hn::VecFromMask(Lanes(), hn::Eq(a, b)));
    if constexpr (sizeof(Lane) == 1) {
      return hn::MaskFromVec(hn::BitCast(Numbers(), hn::PromoteTo(numbers, bits)));
    } else if constexpr (sizeof(Lane) == 2) {
      return hn::MaskFromVec(hn::BitCast(Numbers(), bits));
    } else {
      return hn::MaskFromVec(hn::BitCast(Numbers(), hn::DemoteTo(numbers, bits)));
    }
  }
};

template <class Lane, bool dark>
void join_lane(const SweepMaps<Lane>& maps, std::uint16_t begin, std::int64_t i, const SweepHalf<Lane>& half) {
  const Lane value = maps.best[i];
  const auto first = static_cast<std::uint16_t>(begin + maps.first[i]);
  const auto last = static_cast<std::uint16_t>(begin + maps.last[i]);
  if (dark ? value < half.best[i] : value > half.best[i]) {
    half.best[i] = value;
    half.first[i] = first;
    half.last[i] = last;
  } else if (value == half.best[i]) {
    half.first[i] = std::min(half.first[i], first);
    half.last[i] = std::max(half.last[i], last);
  }
}

template <class Lane, bool dark>
void join_maps(const SweepMaps<Lane>& maps, std::uint16_t begin, std::int64_t count, const SweepHalf<Lane>& half) {
  std::int64_t i = 0;
  if constexpr (has_vectors) {
    using W = Widths<Lane>;
    const typename W::Lanes d;
    const typename W::Codes codes;
    const typename W::Numbers numbers;
    const auto n = static_cast<std::int64_t>(hn::Lanes(d));
    const auto from = hn::Set(numbers, begin);
    for (; i + n <= count; i += n) {
      const auto value = hn::LoadU(d, maps.best + i);
      const auto known = hn::LoadU(d, half.best + i);
      const auto best = dark ? hn::Min(value, known) : hn::Max(value, known);
      const auto keeps = W::same(best, known);
      const auto reaches = W::same(best, value);
      const auto first = hn::Add(from, W::numbers(hn::LoadU(codes, maps.first + i)));
      const auto last = hn::Add(from, W::numbers(hn::LoadU(codes, maps.last + i)));
      const auto none = hn::Set(numbers, TiedAngles::none);
      hn::StoreU(best, d, half.best + i);
      hn::StoreU(hn::Min(hn::IfThenElse(keeps, hn::LoadU(numbers, half.first + i), none),
                         hn::IfThenElse(reaches, first, none)),
                 numbers, half.first + i);
      hn::StoreU(
          hn::Max(hn::IfThenElseZero(keeps, hn::LoadU(numbers, half.last + i)), hn::IfThenElseZero(reaches, last)),
          numbers, half.last + i);
    }
  }
  for (; i < count; ++i) join_lane<Lane, dark>(maps, begin, i, half);
}

template <class Lane, bool dark>
void join_lanes_of_halves(const SweepHalf<Lane>& one, const SweepHalf<Lane>& other, std::int64_t i,
                          std::uint16_t angles) {
  const Lane a = one.best[i];
  const Lane b = other.best[i];
  if (a == b) {
    one.first[i] = twice_the_middle(one.first[i], one.last[i], other.first[i], other.last[i], angles);
  } else {
    const SweepHalf<Lane>& better = (dark ? b < a : b > a) ? other : one;
    one.best[i] = better.best[i];
    one.first[i] = static_cast<std::uint16_t>(better.first[i] + better.last[i]);
  }
}

template <class Lane, bool dark>
void join_halves(const SweepHalf<Lane>& one, const SweepHalf<Lane>& other, std::int64_t count, std::uint16_t angles) {
  std::int64_t i = 0;
  if constexpr (has_vectors) {
    using W = Widths<Lane>;
    const typename W::Lanes d;
    const typename W::Numbers numbers;
    const auto n = static_cast<std::int64_t>(hn::Lanes(d));
    const auto all = hn::Set(numbers, angles);
    for (; i + n <= count; i += n) {
      const auto a = hn::LoadU(d, one.best + i);
      const auto b = hn::LoadU(d, other.best + i);
      const auto best = dark ? hn::Min(a, b) : hn::Max(a, b);
      const auto first0 = hn::LoadU(numbers, one.first + i);
      const auto last0 = hn::LoadU(numbers, one.last + i);
      const auto first1 = hn::LoadU(numbers, other.first + i);
      const auto last1 = hn::LoadU(numbers, other.last + i);
      // twice_the_middle()
      const auto over_the_middle = hn::Sub(last1, first0);
      const auto over_the_end = hn::Sub(hn::Add(last0, all), first1);
      const auto round = hn::Add(last0, first1);
      const auto within = hn::IfThenElse(hn::Lt(round, all), hn::Add(round, all), hn::Sub(round, all));
      const auto both = hn::IfThenElse(hn::Gt(over_the_middle, over_the_end), within, hn::Add(first0, last1));
      const auto of_one = hn::IfThenElse(W::same(best, b), both, hn::Add(first0, last0));
      const auto twice = hn::IfThenElse(W::same(best, a), of_one, hn::Add(first1, last1));
      hn::StoreU(best, d, one.best + i);
      hn::StoreU(twice, numbers, one.first + i);
    }
  }
  for (; i < count; ++i) join_lanes_of_halves<Lane, dark>(one, other, i, angles);
}

template <class Sample>
SweptSums take_any(const TakenOpenings<Sample>& openings, std::int64_t count, bool dark, const SweepScale& scale,
                   const SweepMaps<LaneOf<Sample>>& maps) {
  return dark ? take<Sample, true>(openings, count, scale, maps) : take<Sample, false>(openings, count, scale, maps);
}
template <class Lane>
void join_any_maps(const SweepMaps<Lane>& maps, std::uint16_t begin, std::int64_t count, bool dark,
                   const SweepHalf<Lane>& half) {
  dark ? join_maps<Lane, true>(maps, begin, count, half) : join_maps<Lane, false>(maps, begin, count, half);
}
template <class Lane>
void join_any_halves(const SweepHalf<Lane>& one, const SweepHalf<Lane>& other, std::int64_t count, bool dark,
                     std::uint16_t angles) {
  dark ? join_halves<Lane, true>(one, other, count, angles) : join_halves<Lane, false>(one, other, count, angles);
}

template <class Sample>
SweepKernels<Sample> sweep_kernels() {
  using Lane = LaneOf<Sample>;
  return {take_any<Sample>, join_any_maps<Lane>, join_any_halves<Lane>, sum<Sample>};
}

}  // namespace
}  // namespace tamis::line_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::line_detail::cpu {

template <class Sample>
SweepKernels<Sample> sweep_kernels(Simd simd) {
  return TAMIS_SIMD(simd, sweep_kernels<Sample>)();
}
#define TAMIS_INSTANTIATE(Sample) template SweepKernels<Sample> sweep_kernels(Simd);
TAMIS_EACH_SAMPLE(TAMIS_INSTANTIATE)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::line_detail::cpu
#endif
