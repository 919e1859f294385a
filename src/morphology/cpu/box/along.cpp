#include "morphology/cpu/box/sweep.hpp"

#include <algorithm>
#include <type_traits>

#include <hwy/cache_control.h>

#include "core/cpu/simd.hpp"
#include "morphology/cpu/tile/extremum_kernels.hpp"

#define HWY_TARGET_INCLUDE "morphology/cpu/box/along.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "core/cpu/ordered_bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::morphology_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors that are worked on side by side.
constexpr int wide = 4;

/// Along rows vectors of at most 32 bytes: a vector of 64 that does not start at a line of the cache always lies in
/// two.
template <class Lane>
using AlongTag = hn::CappedTag<Lane, 32 / sizeof(Lane)>;

template <Order order, class V>
HWY_INLINE V extremum(V a, V b) {
  return order == Order::Min ? hn::Min(a, b) : hn::Max(a, b);
}

/// Lane i is the extremum of samples i + terms[k] from `from` on.
template <Order order, int count, class Lane>
HWY_INLINE hn::Vec<AlongTag<Lane>> united(const Lane* from, const std::int64_t* terms) {
  const AlongTag<Lane> d;
  auto best = hn::LoadU(d, from + terms[0]);
  for (int k = 1; k < count; ++k) best = extremum<order>(best, hn::LoadU(d, from + terms[k]));
  return best;
}

/// The same of the samples k = 0 ... count-1. Blocks of 16 bytes and those after them, shifted together, take fewer
/// loads.
template <Order order, int count, class Lane>
HWY_INLINE hn::Vec<AlongTag<Lane>> united_neighbours(const Lane* from) {
  const AlongTag<Lane> d;
  auto best = hn::LoadU(d, from);
#if HWY_TARGET == HWY_SCALAR
  for (int k = 1; k < count; ++k) best = extremum<order>(best, hn::LoadU(d, from + k));
#else
  constexpr int bytes = sizeof(Lane);
  const auto here = best;
  const auto after = hn::LoadU(d, from + 16 / bytes);
  if constexpr (count > 1) best = extremum<order>(best, hn::CombineShiftRightBytes<bytes>(d, after, here));
  if constexpr (count > 2) best = extremum<order>(best, hn::CombineShiftRightBytes<2 * bytes>(d, after, here));
  if constexpr (count > 3) best = extremum<order>(best, hn::CombineShiftRightBytes<3 * bytes>(d, after, here));
  if constexpr (count > 4 && bytes < 4) {
    best = extremum<order>(best, hn::CombineShiftRightBytes<4 * bytes % 16>(d, after, here));
  } else if constexpr (count > 4) {
    best = extremum<order>(best, after);
  }
#endif
  return best;
}

template <BoxStore store, class Lane>
HWY_INLINE void put(hn::Vec<AlongTag<Lane>> lanes, void* row, std::int64_t i) {
  const AlongTag<Lane> d;
  if constexpr (store == BoxStore::Lanes) {
    hn::StoreU(lanes, d, static_cast<Lane*>(row) + i);
  } else if constexpr (store == BoxStore::StreamLanes) {
    hn::Stream(lanes, d, static_cast<Lane*>(row) + i);
  } else {
    const hn::Rebind<float, decltype(d)> of;
    const auto numbers = hn::BitCast(of, detail::HWY_NAMESPACE::ordered(d, lanes));
    if constexpr (store == BoxStore::Floats) hn::StoreU(numbers, of, static_cast<float*>(row) + i);
    if constexpr (store == BoxStore::StreamFloats) hn::Stream(numbers, of, static_cast<float*>(row) + i);
  }
}

/// Lanes begin ... end - 1 of a row of results, from lane 0 of `from` on; the last vector may be some of them again.
template <Order order, BoxStore store, int count, bool neighbours, class Lane>
HWY_INLINE void unite_row(const Lane* from, const std::int64_t* terms, void* out, std::int64_t begin,
                          std::int64_t end) {
  const auto n = static_cast<std::int64_t>(hn::Lanes(AlongTag<Lane>()));
  std::int64_t offsets[count];
  for (int k = 0; k < count; ++k) offsets[k] = terms[k];
  const auto vector_at = [&](std::int64_t i) HWY_ATTR {
    const Lane* const at = from + (i - begin);
    if constexpr (neighbours) {
      put<store, Lane>(united_neighbours<order, count>(at), out, i);
    } else {
      put<store, Lane>(united<order, count>(at, offsets), out, i);
    }
  };
  std::int64_t i = begin;
  for (; i + wide * n <= end; i += wide * n) {
    for (int v = 0; v < wide; ++v) vector_at(i + v * n);
  }
  for (; i + n <= end; i += n) vector_at(i);
  if (i < end) vector_at(end - n);
}

template <Order order, BoxStore store, bool neighbours, class Lane>
HWY_INLINE void unite_row(int count, const Lane* from, const std::int64_t* terms, void* out, std::int64_t begin,
                          std::int64_t end) {
  if (count == 1) return unite_row<order, store, 1, neighbours>(from, terms, out, begin, end);
  if (count == 2) return unite_row<order, store, 2, neighbours>(from, terms, out, begin, end);
  if (count == 3) return unite_row<order, store, 3, neighbours>(from, terms, out, begin, end);
  if (count == 4) return unite_row<order, store, 4, neighbours>(from, terms, out, begin, end);
  unite_row<order, store, 5, neighbours>(from, terms, out, begin, end);
}

/// Runs of `have` are there; runs of `length` are united from as few of them as cover it, or, where those are many,
/// from runs four times as long. Rows are worked on as one long row, in pieces that stay in the L1: what a run reads of
/// the row after its own is not used.
template <Order order, BoxStore store, class Lane>
HWY_INLINE void run_along_as(const RowBlock<Lane>& block, std::int64_t length, void* const* out, std::int64_t lanes,
                             Lane* scratch) {
  constexpr std::int64_t most_terms = 5;
  const AlongTag<Lane> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t half = run_along_scratch(length, sizeof(Lane)) / 2;
  constexpr std::int64_t margin = over_read / static_cast<std::int64_t>(sizeof(Lane));
  const std::int64_t piece = (half - length - margin) / n * n;
  const std::int64_t at_once = std::max<std::int64_t>(1, piece / block.stride);
  std::int64_t terms[most_terms];
  for (std::int64_t row = 0; row < block.rows; row += at_once) {
    const std::int64_t rows = std::min(at_once, block.rows - row);
    for (std::int64_t begin = 0; begin < lanes; begin += piece) {
      // What is left is at least a vector, so that the last one stays in the piece.
      const std::int64_t rest = lanes - begin;
      const std::int64_t results = rest - piece < n ? rest : piece;
      const Lane* from = block.first + row * block.stride + begin;
      Lane* to = scratch;
      Lane* other = scratch + half;
      std::int64_t have = 1;
      while ((length + have - 1) / have > most_terms) {
        const std::int64_t needed = (rows - 1) * block.stride + results + length - 4 * have;
        if (have == 1) {
          for (std::int64_t i = 0; i < needed; i += 2 * n) {
            const auto first = united_neighbours<order, 4>(from + i);
            const auto second = united_neighbours<order, 4>(from + i + n);
            hn::Store(first, d, to + i);
            hn::Store(second, d, to + i + n);
          }
        } else {
          const std::int64_t offsets[4] = {0, have, 2 * have, 3 * have};
          for (std::int64_t i = 0; i < needed; i += 2 * n) {
            const auto first = united<order, 4>(from + i, offsets);
            const auto second = united<order, 4>(from + i + n, offsets);
            hn::Store(first, d, to + i);
            hn::Store(second, d, to + i + n);
          }
        }
        from = to;
        have *= 4;
        std::swap(to, other);
      }
      const auto count = static_cast<int>((length + have - 1) / have);
      for (int k = 0; k < count; ++k) terms[k] = std::min(k * have, length - have);
      for (std::int64_t r = 0; r < rows; ++r) {
        const Lane* const at = from + r * block.stride;
        if (have == 1) {
          unite_row<order, store, true>(count, at, terms, out[row + r], begin, begin + results);
        } else {
          unite_row<order, store, false>(count, at, terms, out[row + r], begin, begin + results);
        }
      }
      if (results == rest) break;
    }
  }
}

template <Order order, class Lane>
void run_along(const RowBlock<Lane>& block, std::int64_t length, void* const* out, std::int64_t lanes, BoxStore store,
               Lane* scratch) {
  if (store == BoxStore::Lanes) return run_along_as<order, BoxStore::Lanes>(block, length, out, lanes, scratch);
  if (store == BoxStore::StreamLanes) {
    run_along_as<order, BoxStore::StreamLanes>(block, length, out, lanes, scratch);
  } else if constexpr (std::is_same_v<Lane, std::int32_t>) {
    if (store == BoxStore::Floats) return run_along_as<order, BoxStore::Floats>(block, length, out, lanes, scratch);
    run_along_as<order, BoxStore::StreamFloats>(block, length, out, lanes, scratch);
  }
  hwy::FlushStream();  // before another thread may read the results
}

template <class Lane>
AlongKernel<Lane> along_kernel(Order order) {
  return order == Order::Min ? run_along<Order::Min, Lane> : run_along<Order::Max, Lane>;
}

}  // namespace
}  // namespace tamis::morphology_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::morphology_detail::cpu {

std::int64_t run_along_scratch(std::int64_t length, std::int64_t lane_bytes) {
  constexpr std::int64_t usual_piece_bytes = 4096;
  // A long run needs a long piece, or most of the work is its margin.
  const std::int64_t piece = std::max(2 * length, usual_piece_bytes / lane_bytes);
  const std::int64_t vector = 64 / lane_bytes;
  return 2 * ((piece + length + over_read / lane_bytes + vector - 1) / vector * vector);
}

template <class Lane>
AlongKernel<Lane> along_kernel(Simd simd, Order order) {
  return TAMIS_SIMD(simd, along_kernel<Lane>)(order);
}
#define TAMIS_INSTANTIATE(Lane) template AlongKernel<Lane> along_kernel(Simd, Order);
TAMIS_EACH_LANE(TAMIS_INSTANTIATE)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::morphology_detail::cpu
#endif
