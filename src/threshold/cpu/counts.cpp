#include "threshold/cpu/kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/visit_type.hpp"

#define HWY_TARGET_INCLUDE "threshold/cpu/counts.cpp"
#include "core/cpu/simd.hpp"
// The order matters: foreach_target includes this file once for every instruction set. Most loops are plain
// ones, which compilers turn into the instructions of each.
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::threshold_detail::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls all(samples) for 64 of them that count, one(sample) for single ones.
template <class T, class All, class One>
HWY_INLINE void for_each_sample(const PackJob& job, const All& all, const One& one) {
  const std::int64_t words = (job.columns + 63) / 64;
  for (std::int64_t row = 0; row < job.rows; ++row) {
    const auto* const samples = reinterpret_cast<const T*>(job.samples + row * job.row_stride);
    for (std::int64_t w = 0; w < words; ++w) {
      const std::int64_t left = std::min<std::int64_t>(64, job.columns - 64 * w);
      std::uint64_t word = ~std::uint64_t{0} >> (64 - left);
      if (job.domain) word &= job.domain[row * words + w];
      if (word == ~std::uint64_t{0}) {
        all(samples + 64 * w);
      } else {
        for (; word != 0; word &= word - 1) one(samples[64 * w + std::countr_zero(word)]);
      }
    }
  }
}

/// Whether 64 samples are whole numbers; they may be NaN or infinite, of which it says nothing.
template <class T>
HWY_INLINE bool are_whole(const T* samples) {
#if HWY_TARGET != HWY_SCALAR && HWY_HAVE_FLOAT64
  if constexpr (!std::is_integral_v<T>) {
    const hn::ScalableTag<T> d;
    auto parts = hn::Zero(d);
    for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
      const auto sample = hn::LoadU(d, samples + i);
      parts = hn::Or(parts, hn::Sub(sample, hn::Trunc(sample)));
    }
    return hn::AllTrue(d, hn::Eq(parts, hn::Zero(d)));
  }
#endif
  return std::all_of(samples, samples + 64, is_whole<T>);
}

template <class T>
void find_range(const PackJob& job, std::int64_t* numbers) {
  constexpr std::size_t lanes = 64 / sizeof(T);
  using Limits = std::numeric_limits<T>;
  std::array<T, lanes> low, high, odd{};  // odd: NaN, once there was one
  low.fill(Limits::has_infinity ? Limits::infinity() : Limits::max());
  high.fill(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
  bool whole = numbers[2] == 0;
  const auto add = [&](T v, std::size_t k) HWY_ATTR {
    low[k] = v < low[k] ? v : low[k];
    high[k] = v > high[k] ? v : high[k];
    if constexpr (!std::is_integral_v<T>) odd[k] = v != v ? v : odd[k];
  };
  for_each_sample<T>(
      job,
      [&](const T* samples) HWY_ATTR {
        for (std::size_t i = 0; i < 64; i += lanes) {
          for (std::size_t k = 0; k < lanes; ++k) add(samples[i + k], k);
        }
        whole = whole && are_whole(samples);
      },
      [&](T v) HWY_ATTR {
        add(v, 0);
        whole = whole && is_whole(v);
      });
  const auto extend = [](std::int64_t& number, KeyOf<T> key) {
    number = static_cast<std::int64_t>(std::max<std::uint64_t>(static_cast<std::uint64_t>(number), key));
  };
  for (std::size_t k = 0; k < lanes; ++k) {
    extend(numbers[0], key_of(odd[k] != odd[k] ? Limits::quiet_NaN() : high[k]));
    extend(numbers[1], static_cast<KeyOf<T>>(~key_of(low[k])));
  }
  numbers[2] = whole ? 0 : 1;
}

template <class T>
void count_cells(const PackJob& job, const CellRule& rule, std::int64_t* numbers) {
  using Key = KeyOf<T>;
  const auto first = static_cast<Key>(rule.first), length = static_cast<Key>(rule.last - rule.first);
  const auto rest = static_cast<Key>((std::uint64_t{1} << rule.shift) - 1);
  const int shift = rule.shift;
  const auto add = [=](Key key) HWY_ATTR {
    std::int64_t* const cell = numbers + 3 * (key >> shift);
    const std::uint64_t behind = key & rest;
    ++cell[0];
    cell[1] += static_cast<std::int64_t>(behind & ((1U << CellCount::low_bits) - 1));
    if constexpr (sizeof(Key) == 8) cell[2] += static_cast<std::int64_t>(behind >> CellCount::low_bits);
  };
  for_each_sample<T>(
      job,
      [&](const T* samples) HWY_ATTR {
        std::array<Key, 64> keys;
        Key outside = 0;
        for (std::size_t i = 0; i < 64; ++i) {
          keys[i] = static_cast<Key>(key_of(samples[i]) - first);
          outside += keys[i] > length ? Key{1} : Key{0};
        }
        if (outside == 64) return;
        for (const Key key : keys) {
          if (key <= length) add(key);
        }
      },
      [&](T v) HWY_ATTR {
        const auto key = static_cast<Key>(key_of(v) - first);
        if (key <= length) add(key);
      });
}

/// The bins of 64 samples by the rule, which compilers make no vectors of.
template <class T>
HWY_INLINE void find_bins(const BinRule& rule, const T* samples, std::array<unsigned, 64>& bins) {
#if HWY_TARGET != HWY_SCALAR && HWY_HAVE_FLOAT64
  if constexpr (sizeof(T) == 4) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<std::int32_t, decltype(d)> whole;
    const hn::Rebind<std::conditional_t<std::is_integral_v<T>, std::int32_t, float>, decltype(d)> narrow;
    const auto unit = hn::Set(d, rule.unit), start = hn::Set(d, rule.start), last = hn::Set(d, rule.size - 1);
    const auto zero = hn::Zero(d), one = hn::Set(d, 1.0);
    for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
      const auto sample = hn::LoadU(narrow, reinterpret_cast<const hn::TFromD<decltype(narrow)>*>(samples + i));
      auto number = hn::PromoteTo(d, sample);
      if constexpr (std::is_unsigned_v<T>) {  // from half the range on they look negative
        number = hn::Add(number, hn::IfThenElseZero(hn::Lt(number, zero), hn::Set(d, 4294967296.0)));
      }
      const auto exact = hn::Mul(number, unit);
      const auto place = hn::Min(hn::Max(hn::Sub(exact, start), zero), last);
      const auto bin = hn::PromoteTo(d, hn::DemoteTo(whole, place));
      const auto rounded_up = hn::And(hn::Gt(bin, zero), hn::Gt(hn::Add(bin, start), exact));
      const auto found = hn::DemoteTo(whole, hn::Sub(bin, hn::IfThenElseZero(rounded_up, one)));
      hn::StoreU(found, whole, reinterpret_cast<std::int32_t*>(bins.data() + i));
    }
    return;
  }
#endif
  for (std::size_t i = 0; i < 64; ++i) bins[i] = rule(samples[i]);
}

/// Neighbouring samples often are in one bin, and counting it twice in a row waits for the store. So 64 samples whose bins
/// lie close together, as all do beside an outlier, go to tables of their own in turn.
template <class T>
void count_bins(const PackJob& job, const BinRule rule, std::int64_t* numbers) {
  constexpr unsigned few = 1024, tables = 4;
  std::array<std::int64_t, few * tables> near{};
  const unsigned middle = rule.size > static_cast<int>(few) ? rule(*reinterpret_cast<const T*>(job.samples)) : 0;
  const unsigned first = middle > few / 2 ? middle - few / 2 : 0;
  for_each_sample<T>(
      job,
      [&](const T* samples) HWY_ATTR {
        std::array<unsigned, 64> bins;
        find_bins(rule, samples, bins);
        unsigned far = 0;
        for (const unsigned bin : bins) far = std::max(far, bin - first);
        if (far < few) {
          for (std::size_t i = 0; i < 64; ++i) ++near[(bins[i] - first) * tables + i % tables];
        } else {
          for (const unsigned bin : bins) ++numbers[bin];
        }
      },
      [&](T v) HWY_ATTR { ++numbers[rule(v)]; });
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (near[i] > 0) numbers[first + i / tables] += near[i];
  }
}

void count_any(const PackJob& job, const Question& question, std::int64_t* numbers) {
  visit_type(job.type, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    if constexpr (sizeof(T) > 2) {
      if (const auto* const cells = std::get_if<CellRule>(&question)) {
        count_cells<T>(job, *cells, numbers);
      } else if (const auto* const bins = std::get_if<BinRule>(&question)) {
        count_bins<T>(job, *bins, numbers);
      } else {
        find_range<T>(job, numbers);
      }
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tamis::threshold_detail::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::threshold_detail::cpu {

void count(Simd simd, const PackJob& job, const Question& question, std::int64_t* numbers) {
  TAMIS_SIMD(simd, count_any)(job, question, numbers);
}

}  // namespace tamis::threshold_detail::cpu
#endif
