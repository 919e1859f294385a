#include "morphology/cpu/box/sweep.hpp"

#include <algorithm>
#include <type_traits>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "morphology/cpu/box/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "core/cpu/ordered_bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::morphology_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors that are worked on side by side.
constexpr int wide = 4;

template <Order order, class V>
HWY_INLINE V extremum(V a, V b) {
  return order == Order::Min ? hn::Min(a, b) : hn::Max(a, b);
}

/// Reads lanes.
template <class Lane>
struct LaneReader {
  using Row = const Lane*;
  hn::ScalableTag<Lane> d;
  HWY_INLINE auto operator()(Row row, std::int64_t i) { return hn::LoadU(d, row + i); }
  HWY_INLINE bool found_nan() const { return false; }
};

/// Reads F32 as keys (morphology/cpu/tile/sample_lanes.hpp) and remembers the largest size it has seen: that of NaN
/// is above infinity.
struct KeyReader {
  using Row = const float*;
  hn::ScalableTag<std::int32_t> d;
  hn::Vec<decltype(d)> largest;
  HWY_INLINE KeyReader() : largest(hn::Zero(d)) {}
  HWY_INLINE auto operator()(Row row, std::int64_t i) {
    const hn::Rebind<float, decltype(d)> of;
    const auto bits = hn::BitCast(d, hn::LoadU(of, row + i));
    largest = hn::Max(largest, hn::And(bits, hn::Set(d, 0x7fffffff)));
    return detail::HWY_NAMESPACE::ordered(d, bits);
  }
  HWY_INLINE bool found_nan() const { return hn::GetLane(hn::MaxOfLanes(d, largest)) > key_of_infinity; }
};

/// Columns of a row that are worked on together; the last ones of a row may be others again.
struct Columns {
  std::int64_t at[wide];
};

template <class Lane>
HWY_INLINE void ask_for(const Lane* row, const Columns& columns) {
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(Lane));
  const hn::ScalableTag<std::remove_const_t<Lane>> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  if (2 * n < line) return;  // the portable form
  const int step = n == line ? 1 : 2;
  for (int v = 0; v < wide; v += step) __builtin_prefetch(row + columns.at[v], 0, 2);
}

/// Windows of up to `length` results in a row share the rows in their middle (van Herk 1992, Gil and Werman 1993):
/// going up from there gives what each window has before it, going down what it has after it. Three operations a
/// result, whatever the length.
template <Order order, class Lane, class Reader>
HWY_INLINE void window_columns(Reader& read, typename Reader::Row const* in, Lane* const* out, std::int64_t count,
                               std::int64_t length, const Columns& columns, typename Reader::Row const* next,
                               Lane* scratch) {
  const hn::ScalableTag<Lane> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  using Vector = hn::Vec<decltype(d)>;
  const std::int64_t* const at = columns.at;
  for (std::int64_t from = 0; from < count;) {
    const std::int64_t results = std::min({count - from, length, most_window_results});
    typename Reader::Row const* const window = in + from;
    Vector best[wide];
    for (int v = 0; v < wide; ++v) best[v] = read(window[results - 1], at[v]);
    for (std::int64_t r = results; r < length; ++r) {
      for (int v = 0; v < wide; ++v) best[v] = extremum<order>(best[v], read(window[r], at[v]));
    }
    for (std::int64_t r = results - 2; r >= 0; --r) {
      for (int v = 0; v < wide; ++v) {
        hn::Store(best[v], d, scratch + (r * wide + v) * n);  // of row r + 1
        best[v] = extremum<order>(best[v], read(window[r], at[v]));
      }
    }
    for (int v = 0; v < wide; ++v) hn::StoreU(best[v], d, out[from] + at[v]);
    if (next) ask_for(next[from], columns);
    if (results > 1) {
      for (int v = 0; v < wide; ++v) best[v] = read(window[length], at[v]);
    }
    for (std::int64_t r = 1; r < results; ++r) {
      for (int v = 0; v < wide; ++v) {
        const auto before = hn::Load(d, scratch + ((r - 1) * wide + v) * n);
        hn::StoreU(extremum<order>(before, best[v]), d, out[from + r] + at[v]);
      }
      if (next) ask_for(next[from + r], columns);
      if (r + 1 == results) break;
      for (int v = 0; v < wide; ++v) best[v] = extremum<order>(best[v], read(window[length + r], at[v]));
    }
    from += results;
  }
}

/// The same for one, two or three rows, which stay in registers.
template <Order order, int length, class Lane, class Reader>
HWY_INLINE void slide_columns(Reader& read, typename Reader::Row const* in, Lane* const* out, std::int64_t count,
                              const Columns& columns, typename Reader::Row const* next) {
  const hn::ScalableTag<Lane> d;
  using Vector = hn::Vec<decltype(d)>;
  const std::int64_t* const at = columns.at;
  Vector last[wide];
  Vector pair[wide];
  for (int v = 0; v < wide; ++v) {
    last[v] = read(in[length < 2 ? 0 : length - 2], at[v]);
    pair[v] = length < 3 ? last[v] : extremum<order>(read(in[0], at[v]), last[v]);
  }
  for (std::int64_t r = 0; r < count; ++r) {
    if (next) ask_for(next[r], columns);
    for (int v = 0; v < wide; ++v) {
      const auto newest = read(in[r + length - 1], at[v]);
      hn::StoreU(length == 1 ? newest : extremum<order>(pair[v], newest), d, out[r] + at[v]);
      pair[v] = length == 2 ? newest : extremum<order>(last[v], newest);
      last[v] = newest;
    }
  }
}

template <Order order, class Lane, class Reader>
bool run_any_rows(typename Reader::Row const* in, Lane* const* out, std::int64_t count, std::int64_t length,
                  std::int64_t lanes, typename Reader::Row const* next, Lane* scratch) {
  const hn::ScalableTag<Lane> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  Reader read;
  for (std::int64_t i = 0; i < lanes; i += wide * n) {
    Columns columns;
    for (int v = 0; v < wide; ++v) columns.at[v] = std::min(i + v * n, lanes - n);
    if (length == 1) {
      slide_columns<order, 1>(read, in, out, count, columns, next);
    } else if (length == 2) {
      slide_columns<order, 2>(read, in, out, count, columns, next);
    } else if (length == 3) {
      slide_columns<order, 3>(read, in, out, count, columns, next);
    } else {
      window_columns<order>(read, in, out, count, length, columns, next, scratch);
    }
  }
  return read.found_nan();
}

template <class Sample>
using ReaderOf = std::conditional_t<std::is_same_v<Sample, float>, KeyReader, LaneReader<LaneOf<Sample>>>;

template <Order order, class Lane>
void run_rows(const Lane* const* in, Lane* const* out, std::int64_t count, std::int64_t length, std::int64_t lanes,
              const Lane* const* next, Lane* scratch) {
  run_any_rows<order, Lane, LaneReader<Lane>>(in, out, count, length, lanes, next, scratch);
}

template <class Sample, Order order>
RowKernels<Sample> kernels_of() {
  using Lane = LaneOf<Sample>;
  return {run_rows<order, Lane>, run_any_rows<order, Lane, ReaderOf<Sample>>};
}
template <class Sample>
RowKernels<Sample> row_kernels(Order order) {
  return order == Order::Min ? kernels_of<Sample, Order::Min>() : kernels_of<Sample, Order::Max>();
}

}  // namespace
}  // namespace tamis::morphology_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::morphology_detail::cpu {

template <class Sample>
RowKernels<Sample> row_kernels(Simd simd, Order order) {
  return TAMIS_SIMD(simd, row_kernels<Sample>)(order);
}
#define TAMIS_INSTANTIATE(Sample) template RowKernels<Sample> row_kernels(Simd, Order);
TAMIS_EACH_SAMPLE(TAMIS_INSTANTIATE)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::morphology_detail::cpu
#endif
