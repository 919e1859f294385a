#include "line/deskew/turn_kernels.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "line/deskew/turn_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::line_detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <class Sample>
std::int64_t turn(const TurnedRow<Sample>&) {
  return 0;
}

#else

using Floats = hn::ScalableTag<float>;
using Ints = hn::Rebind<std::int32_t, Floats>;
using Words = hn::Rebind<std::uint32_t, Floats>;
using Longs = hn::Repartition<std::uint64_t, Floats>;

/// Whole parts and fractions of places that are not negative.
struct Places {
  hn::Vec<Ints> whole;
  hn::Vec<Floats> fraction;
};

HWY_INLINE Places places_of(std::int64_t first, const std::uint64_t* steps) {
  const Words words;
  const auto low =
      hn::BitCast(words, hn::Add(hn::Set(Longs(), static_cast<std::uint64_t>(first)), hn::Load(Longs(), steps)));
  const auto high = hn::BitCast(words, hn::Add(hn::Set(Longs(), static_cast<std::uint64_t>(first)),
                                               hn::Load(Longs(), steps + hn::Lanes(Longs()))));
  const auto below = hn::ConcatEven(words, high, low);
  // Halves of 16 bits are floats exactly, and their sum is rounded once, as a 64-bit integer is.
  const auto upper = hn::ConvertTo(Floats(), hn::BitCast(Ints(), hn::ShiftRight<16>(below)));
  const auto lower = hn::ConvertTo(Floats(), hn::BitCast(Ints(), hn::And(below, hn::Set(words, 0xffff))));
  const auto sum = hn::Add(hn::Mul(upper, hn::Set(Floats(), 65536.0F)), lower);
  return {hn::BitCast(Ints(), hn::ConcatOdd(words, high, low)), hn::Mul(sum, hn::Set(Floats(), 0x1p-32F))};
}

/// As cubic_weights() of rotate.cpp.
struct Weights {
  hn::Vec<Floats> of[4];
};

HWY_INLINE Weights weights_of(hn::Vec<Floats> t) {
  const Floats d;
  const auto one = hn::Set(d, 1.0F), less_half = hn::Set(d, -0.5F);
  const auto s = hn::Sub(one, t);
  const auto inner = [&](hn::Vec<Floats> v) HWY_ATTR {
    const auto slope = hn::Sub(hn::Mul(hn::Set(d, 1.5F), v), hn::Set(d, 2.5F));
    return hn::Add(one, hn::Mul(hn::Mul(v, v), slope));
  };
  return {{hn::Mul(hn::Mul(hn::Mul(less_half, t), s), s), inner(t), inner(s),
           hn::Mul(hn::Mul(hn::Mul(less_half, s), t), t)}};
}

/// Four samples side by side from each of these offsets on, as numbers.
struct Four {
  hn::Vec<Floats> of[4];
};

template <class Sample>
HWY_INLINE Four four_at(const Sample* samples, hn::Vec<Ints> offsets) {
  const Ints d;
  constexpr int bytes = sizeof(Sample);
  const auto* const base = reinterpret_cast<const std::int32_t*>(samples);
  const auto number = [](hn::Vec<Ints> whole) HWY_ATTR { return hn::ConvertTo(Floats(), whole); };
  if constexpr (bytes == 1) {
    const auto all = hn::GatherOffset(d, base, offsets);
    const auto byte = hn::Set(d, 0xff);
    const auto last = hn::BitCast(d, hn::ShiftRight<24>(hn::BitCast(Words(), all)));
    return {{number(hn::And(all, byte)), number(hn::And(hn::ShiftRight<8>(all), byte)),
             number(hn::And(hn::ShiftRight<16>(all), byte)), number(last)}};
  } else if constexpr (bytes == 2) {
    const auto first = hn::GatherOffset(d, base, hn::Add(offsets, offsets));
    const auto second = hn::GatherOffset(d, base + 1, hn::Add(offsets, offsets));
    const auto even = [&](hn::Vec<Ints> pair) HWY_ATTR {
      if constexpr (std::is_signed_v<Sample>) return number(hn::ShiftRight<16>(hn::ShiftLeft<16>(pair)));
      return number(hn::And(pair, hn::Set(d, 0xffff)));
    };
    const auto odd = [&](hn::Vec<Ints> pair) HWY_ATTR {
      if constexpr (std::is_signed_v<Sample>) return number(hn::ShiftRight<16>(pair));
      return number(hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(Words(), pair))));
    };
    return {{even(first), odd(first), even(second), odd(second)}};
  } else {
    const auto at = [&](int k) HWY_ATTR { return hn::GatherIndex(Floats(), samples + k, offsets); };
    return {{at(0), at(1), at(2), at(3)}};
  }
}

template <class Sample>
HWY_INLINE void put(hn::Vec<Floats> values, Sample* out) {
  if constexpr (std::is_same_v<Sample, float>) {
    hn::StoreU(values, Floats(), out);
  } else {
    constexpr auto lowest = std::numeric_limits<Sample>::lowest();
    const auto low = hn::Set(Floats(), static_cast<float>(lowest));
    const auto high = hn::Set(Floats(), static_cast<float>(std::numeric_limits<Sample>::max()));
    const auto clamped = hn::Min(hn::Max(values, low), high);
    const auto up = hn::Add(hn::Sub(clamped, low), hn::Set(Floats(), 0.5F));
    const auto whole = hn::Add(hn::ConvertTo(Ints(), up), hn::Set(Ints(), lowest));
    const hn::Rebind<Sample, Ints> d;
    hn::StoreU(hn::DemoteTo(d, whole), d, out);
  }
}

template <class Sample>
std::int64_t turn(const TurnedRow<Sample>& row) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  HWY_ALIGN std::uint64_t steps_x[hn::MaxLanes(Floats())];
  HWY_ALIGN std::uint64_t steps_y[hn::MaxLanes(Floats())];
  for (std::int64_t k = 0; k < lanes; ++k) {
    steps_x[k] = static_cast<std::uint64_t>(k * row.step_x);
    steps_y[k] = static_cast<std::uint64_t>(k * row.step_y);
  }
  const auto stride = hn::Set(Ints(), static_cast<std::int32_t>(row.stride));
  std::int64_t i = 0;
  for (; i + lanes <= row.count; i += lanes) {
    const std::int64_t x = row.x + i * row.step_x;
    const std::int64_t y = row.y + i * row.step_y;
    // Offsets are small from the least whole place of all lanes, one row and one sample before which the 16 begin.
    const std::int64_t left = std::min(x, x + (lanes - 1) * row.step_x) >> place_bits;
    const std::int64_t top = std::min(y, y + (lanes - 1) * row.step_y) >> place_bits;
    const Places across = places_of(x - (left << place_bits), steps_x);
    const Places down = places_of(y - (top << place_bits), steps_y);
    const Sample* from = row.samples + (top - 1) * row.stride + left - 1;
    const auto offsets = hn::Add(hn::Mul(down.whole, stride), across.whole);
    const Weights weights_x = weights_of(across.fraction);
    const Weights weights_y = weights_of(down.fraction);
    auto sum = hn::Zero(Floats());
    for (int k = 0; k < 4; ++k, from += row.stride) {
      const Four four = four_at(from, offsets);
      auto line = hn::Mul(weights_x.of[0], four.of[0]);
      for (int j = 1; j < 4; ++j) line = hn::Add(line, hn::Mul(weights_x.of[j], four.of[j]));
      sum = hn::Add(sum, hn::Mul(weights_y.of[k], line));
    }
    put(sum, row.out + i);
  }
  return i;
}

#endif

}  // namespace
}  // namespace tamis::line_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::line_detail {

template <class Sample>
TurnKernel<Sample> turn_kernel(Simd simd) {
  return TAMIS_SIMD(simd, turn<Sample>);
}
#define TAMIS_INSTANTIATE(Sample) template TurnKernel<Sample> turn_kernel(Simd);
TAMIS_EACH_SAMPLE(TAMIS_INSTANTIATE)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::line_detail
#endif
