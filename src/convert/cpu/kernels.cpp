#include "convert/cpu/kernels.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "convert/sample_conversion.hpp"
#include "core/cpu/simd.hpp"
#include "core/visit_type.hpp"

#define HWY_TARGET_INCLUDE "convert/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "convert/cpu/byte_window-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::convert_detail::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Types that vectors of 32 bits hold exactly.
template <class T>
constexpr bool is_narrow = std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t> ||
                           std::is_same_v<T, std::int16_t> || std::is_same_v<T, float>;

/// As sample_conversion.hpp has it, sample by sample: what is left of a row, and the types that few images have.
template <class From, class To>
std::int64_t convert_samples(const RowTask& task, std::int64_t begin, std::int64_t end) {
  const auto* const in = reinterpret_cast<const From*>(task.in);
  auto* const out = reinterpret_cast<To*>(task.out);
  for (std::int64_t i = begin; i < end; ++i) {
    const From sample = in[i];
    if (std::is_integral_v<To> && sample != sample) {
      if (!task.window) return i;
      out[i] = 0;
    } else if (task.window) {
      out[i] = through_window<To>(static_cast<double>(sample), task.window->low, task.window->high);
    } else {
      out[i] = keep_value<To>(sample);
    }
  }
  return -1;
}

using Floats = hn::ScalableTag<float>;
using Ints = hn::Rebind<std::int32_t, Floats>;

template <class From>
HWY_INLINE hn::Vec<Ints> load_ints(const From* in) {
  const Ints d;
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<From, Ints>(), in));
}
template <class From>
HWY_INLINE hn::Vec<Floats> load_floats(const From* in) {
  if constexpr (std::is_same_v<From, float>) {
    return hn::LoadU(Floats(), in);
  } else {
    return hn::ConvertTo(Floats(), load_ints(in));
  }
}

/// Whole numbers in the range of the type.
template <class To>
HWY_INLINE void store(hn::Vec<Ints> whole, To* out) {
  const hn::Rebind<To, Ints> d;
  hn::StoreU(hn::DemoteTo(d, whole), d, out);
}

/// Any whole numbers. DemoteTo alone would take those for bytes through signed 16 bits, where it is AVX2's.
template <class To>
HWY_INLINE void store_clamped(hn::Vec<Ints> whole, To* out) {
  const auto least = hn::Set(Ints(), std::numeric_limits<To>::min());
  const auto most = hn::Set(Ints(), std::numeric_limits<To>::max());
  store(hn::Min(hn::Max(whole, least), most), out);
}

/// What added to a number makes its truncation the nearest whole number, halves away from zero: the number below a half.
/// With a half itself the sum would be rounded up where the number is just below one.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V rounded_up(D d, V value) {
  using T = hn::TFromD<D>;
  return hn::Add(value, hn::CopySignToAbs(hn::Set(d, T{0.5} - std::numeric_limits<T>::epsilon() / 4), value));
}

/// Values are kept: without a window.
template <class From, class To>
std::int64_t keep_values(const RowTask& task) {
  const auto* const in = reinterpret_cast<const From*>(task.in);
  auto* const out = reinterpret_cast<To*>(task.out);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  std::int64_t i = 0;
  for (; i + lanes <= task.count; i += lanes) {
    if constexpr (std::is_same_v<To, float>) {
      hn::StoreU(load_floats(in + i), Floats(), out + i);
    } else if constexpr (std::is_same_v<From, float>) {
      const auto samples = load_floats(in + i);
      if (!hn::AllFalse(Floats(), hn::IsNaN(samples))) return convert_samples<From, To>(task, i, i + lanes);
      const auto least = hn::Set(Floats(), std::numeric_limits<To>::min());
      const auto most = hn::Set(Floats(), std::numeric_limits<To>::max());
      const auto clamped = hn::Min(hn::Max(samples, least), most);
      store(hn::ConvertTo(Ints(), rounded_up(Floats(), clamped)), out + i);
    } else {
      store_clamped(load_ints(in + i), out + i);
    }
  }
  return convert_samples<From, To>(task, i, task.count);
}

#if HWY_TARGET == HWY_SCALAR || !HWY_HAVE_FLOAT64

template <class From, class To>
std::int64_t through_the_window(const RowTask& task) {
  return convert_samples<From, To>(task, 0, task.count);
}

#else

using Doubles = hn::ScalableTag<double>;
using HalfFloats = hn::Rebind<float, Doubles>;
using HalfInts = hn::Rebind<std::int32_t, Doubles>;

/// The window, ready for vectors. What a sample becomes is estimated with 32 bits and one multiplication, and known
/// where the estimate is farther than its error from where rounding changes; elsewhere it is computed as the definition
/// has it, with 64 bits and a division.
struct Mapping {
  Mapping(const Window& window, double least_, double range_)
      : low(window.low), width(window.high - window.low), least(least_), range(range_) {
    scale = static_cast<float>(range / width);
    offset = static_cast<float>(-low * range / width);
    // Half a unit in the last place of the factor, the scaled sample, the offset, their sum and that with a half.
    const double magnitude = 2 * std::abs(-low * range / width) + 3 * range + 4;
    error = static_cast<float>(1.25 * std::numeric_limits<float>::epsilon() * magnitude);
  }
  /// Narrow windows far from 0 leave no digit for the estimate; then all is computed exactly.
  [[nodiscard]] bool estimates() const {
    return std::isfinite(scale) && scale >= std::numeric_limits<float>::min() && error < 0.125F;
  }

  double low, width, least, range;
  float scale, offset, error;
};

/// As the definition has it. NaN gives NaN.
HWY_INLINE hn::Vec<Doubles> exact(const Mapping& map, hn::Vec<HalfFloats> samples) {
  const Doubles d;
  const auto away = hn::Sub(hn::PromoteTo(d, samples), hn::Set(d, map.low));
  const auto share = hn::Div(away, hn::Set(d, map.width));
  return hn::Min(hn::Max(share, hn::Zero(d)), hn::Set(d, 1.0));
}

template <class From, class To>
HWY_INLINE void put_exactly(const Mapping& map, const From* in, To* out) {
  const Doubles d;
  const auto half = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t k = 0; k < 2 * half; k += half) {
    hn::Vec<HalfFloats> samples;
    if constexpr (std::is_same_v<From, float>) {
      samples = hn::LoadU(HalfFloats(), in + k);
    } else {
      samples = hn::ConvertTo(HalfFloats(), hn::PromoteTo(HalfInts(), hn::LoadU(hn::Rebind<From, HalfInts>(), in + k)));
    }
    const auto is_nan = hn::IsNaN(hn::PromoteTo(d, samples));
    const auto share = exact(map, samples);
    if constexpr (std::is_same_v<To, float>) {
      const auto nan = hn::PromoteTo(d, samples);
      hn::StoreU(hn::DemoteTo(HalfFloats(), hn::IfThenElse(is_nan, nan, share)), HalfFloats(), out + k);
    } else {
      const auto value = hn::Add(hn::Set(d, map.least), hn::Mul(share, hn::Set(d, map.range)));
      const auto whole = hn::IfThenZeroElse(is_nan, rounded_up(d, value));
      const hn::Rebind<To, HalfInts> narrow;
      hn::StoreU(hn::DemoteTo(narrow, hn::DemoteTo(HalfInts(), whole)), narrow, out + k);
    }
  }
}

/// To bytes, four vectors at a time; how many samples that were. `sure`: no sample comes near to where rounding changes.
template <class From, bool clamped, bool sure>
std::int64_t put_bytes(const RowTask& task, const ByteWindow& window) {
  const auto* const in = reinterpret_cast<const From*>(task.in);
  auto* const out = reinterpret_cast<std::uint8_t*>(task.out);
  const Mapping map(*task.window, 0, 255);
  const ThirdBytes bytes;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= task.count; i += 4 * lanes) {
    const auto at = [&](std::int64_t k)
                        HWY_ATTR { return in_bytes<clamped>(window, load_floats(in + i + k * lanes)); };
    const auto a = at(0), b = at(1), c = at(2), d = at(3);
    bytes.put(a, b, c, d, out + i);
    if (sure || HWY_LIKELY(is_known(window, a, b, c, d))) continue;
    for (std::int64_t k = i; k < i + 4 * lanes; k += lanes) put_exactly(map, in + k, out + k);
  }
  return i;
}

template <class From>
std::int64_t put_bytes(const RowTask& task) {
  const ByteWindow window(*task.window);
  if (!window.usable) return 0;
  if constexpr (std::is_integral_v<From>) {
    const bool sure = window.is_sure<From>();
    if (window.holds_all<From>()) {
      return sure ? put_bytes<From, false, true>(task, window) : put_bytes<From, false, false>(task, window);
    }
    if (sure) return put_bytes<From, true, true>(task, window);
  }
  return put_bytes<From, true, false>(task, window);
}

template <class From, class To>
std::int64_t through_the_window(const RowTask& task) {
  const auto* const in = reinterpret_cast<const From*>(task.in);
  auto* const out = reinterpret_cast<To*>(task.out);
  constexpr bool to_floats = std::is_same_v<To, float>;
  constexpr double least = to_floats ? 0 : static_cast<double>(std::numeric_limits<To>::min());
  constexpr double range = to_floats ? 1 : static_cast<double>(std::numeric_limits<To>::max()) - least;
  const Mapping map(*task.window, least, range);
  const Floats d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  if constexpr (std::is_same_v<To, std::uint8_t>) i = put_bytes<From>(task);
  if (to_floats || !map.estimates()) {
    for (; i + lanes <= task.count; i += lanes) put_exactly(map, in + i, out + i);
    return convert_samples<From, To>(task, i, task.count);
  }
  if constexpr (!to_floats) {
    const auto scale = hn::Set(d, map.scale), offset = hn::Set(d, map.offset);
    const auto most = hn::Set(d, static_cast<float>(range));
    const auto error = hn::Set(d, map.error);
    // From 2^23 on a float has no digits behind the point: such a sum is rounded, and its last bits are a whole number.
    const auto up = hn::Set(d, 8388608.0F);
    const auto first = hn::Set(Ints(), static_cast<std::int32_t>(least) - std::int32_t{0x4b000000});
    const auto estimated = [&](std::int64_t at) HWY_ATTR {
      return hn::Min(hn::Max(hn::MulAdd(load_floats(in + at), scale, offset), hn::Zero(d)), most);
    };
    const auto below = [&](hn::Vec<Floats> estimate) HWY_ATTR { return hn::Add(hn::Sub(estimate, error), up); };
    const auto known = [&](std::int64_t at, hn::Vec<Floats> estimate, hn::Vec<Floats> lower) HWY_ATTR {
      const auto same = hn::Eq(lower, hn::Add(hn::Add(estimate, error), up));
      if constexpr (!std::is_same_v<From, float>) return same;
      const auto samples = load_floats(in + at);
      return hn::And(same, hn::Eq(samples, samples));  // a bound has taken the place of NaN
    };
    const auto put = [&](std::int64_t at, hn::Vec<Floats> lower) HWY_ATTR {
      store(hn::Add(hn::BitCast(Ints(), lower), first), out + at);
    };
    // One question for four vectors, and one for each where the answer is no.
    for (; i + 4 * lanes <= task.count; i += 4 * lanes) {
      const auto e0 = estimated(i), e1 = estimated(i + lanes), e2 = estimated(i + 2 * lanes), e3 = estimated(i + 3 * lanes);
      const auto r0 = below(e0), r1 = below(e1), r2 = below(e2), r3 = below(e3);
      const auto k0 = known(i, e0, r0), k1 = known(i + lanes, e1, r1);
      const auto k2 = known(i + 2 * lanes, e2, r2), k3 = known(i + 3 * lanes, e3, r3);
      put(i, r0);
      put(i + lanes, r1);
      put(i + 2 * lanes, r2);
      put(i + 3 * lanes, r3);
      if (HWY_LIKELY(hn::AllTrue(d, hn::And(hn::And(k0, k1), hn::And(k2, k3))))) continue;
      for (std::int64_t k = i; k < i + 4 * lanes; k += lanes) put_exactly(map, in + k, out + k);
    }
    for (; i + lanes <= task.count; i += lanes) put_exactly(map, in + i, out + i);
  }
  return convert_samples<From, To>(task, i, task.count);
}

#endif

/// To F32 or from it: one of the two types is float.
template <class From, class To>
std::int64_t convert_chosen(const RowTask& task) {
  const auto* const in = reinterpret_cast<const From*>(task.in);
  auto* const out = reinterpret_cast<To*>(task.out);
  for (std::int64_t i = 0; i < task.count; ++i) {
    if (!std::is_same_v<From, float> && !becomes_f32(in[i])) return i;
    out[i] = chosen_from_f32<To>(static_cast<float>(in[i]));
  }
  return -1;
}

template <class From, class To>
std::int64_t convert(const RowTask& task) {
  if constexpr (!is_narrow<From>) {
    return convert_samples<From, To>(task, 0, task.count);
  } else if (task.window) {
    return through_the_window<From, To>(task);
  } else {
    return keep_values<From, To>(task);
  }
}

std::int64_t convert_row(const RowTask& task) {
  if (task.chosen && task.to == Type::F32) {
    return visit_type(task.from, [&](auto from) { return convert_chosen<decltype(from), float>(task); });
  }
  if (task.chosen) return visit_type(task.to, [&](auto to) { return convert_chosen<float, decltype(to)>(task); });
  return visit_type(task.from, [&](auto from) {
    return visit_filter_type(task.to, [&](auto to) { return convert<decltype(from), decltype(to)>(task); });
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tamis::convert_detail::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::convert_detail::cpu {

std::int64_t convert_row(Simd simd, const RowTask& task) { return TAMIS_SIMD(simd, convert_row)(task); }

}  // namespace tamis::convert_detail::cpu
#endif
