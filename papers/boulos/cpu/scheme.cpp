#include "papers/boulos/cpu/scheme.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <tamis/error.hpp>

#include "core/cpu/parallel.hpp"
#include "core/cpu/simd.hpp"
#include "core/memory.hpp"
#include "core/stage.hpp"

namespace tamis::boulos::cpu {
#ifndef TAMIS_PAPER_ROWS
#define TAMIS_PAPER_ROWS
namespace {

/// A row and its neighbours: [dz + 1][dy + 1], words with one readable word on either side.
struct BitRows {
  const std::uint64_t* near[3][3];
  const std::uint64_t* mask;  ///< bits of the domain
  std::uint64_t* out;         ///< nullptr: only count
  std::int64_t words;
};

/// What a call found: ones in the result, and whether it differs from the centre row.
struct BitResult {
  std::int64_t ones = 0;
  bool changed = false;
};

}  // namespace
#endif
}  // namespace tamis::boulos::cpu

#define HWY_TARGET_INCLUDE "papers/boulos/cpu/scheme.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::boulos::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Erosion: all neighbours; outside the domain bits are 0, or 1 if it is neutral.
struct Erode {
  bool neutral;
  template <class V>
  HWY_INLINE V combine(V a, V b) const {
    return hn::And(a, b);
  }
  template <class V>
  HWY_INLINE V bound(V value, V mask) const {
    return neutral ? hn::Or(value, hn::Not(mask)) : hn::And(value, mask);
  }
};

/// Dilation: any neighbour; outside the domain bits are 0.
struct Dilate {
  template <class V>
  HWY_INLINE V combine(V a, V b) const {
    return hn::Or(a, b);
  }
  template <class V>
  HWY_INLINE V bound(V value, V mask) const {
    return hn::And(value, mask);
  }
};

template <class D, class Operation>
HWY_INLINE hn::Vec<D> with_sides(D d, const Operation& op, const std::uint64_t* words, hn::Vec<D> centre) {
  const auto left = hn::Or(hn::ShiftLeft<1>(centre), hn::ShiftRight<63>(hn::LoadU(d, words - 1)));
  const auto right = hn::Or(hn::ShiftRight<1>(centre), hn::ShiftLeft<63>(hn::LoadU(d, words + 1)));
  return op.combine(op.combine(left, right), centre);
}

template <bool cube, class D, class Operation>
HWY_INLINE hn::Vec<D> combine(D d, const Operation& op, const BitRows& rows, std::int64_t i) {
  const auto at = [&](int dz, int dy) HWY_ATTR { return rows.near[dz][dy] + i; };
  auto result = with_sides(d, op, at(1, 1), hn::LoadU(d, at(1, 1)));
  for (int dz = 0; dz < 3; ++dz) {
    for (int dy = 0; dy < 3; ++dy) {
      if ((dz == 1 && dy == 1) || (!cube && dz != 1 && dy != 1)) continue;
      const auto row = hn::LoadU(d, at(dz, dy));
      result = op.combine(result, cube ? with_sides(d, op, at(dz, dy), row) : row);
    }
  }
  return op.bound(result, hn::LoadU(d, rows.mask + i));
}

template <bool cube, class D, class Operation>
HWY_INLINE BitResult run(D d, const Operation& op, const BitRows& rows, std::int64_t begin, std::int64_t end) {
  auto ones = hn::Zero(d);
  auto change = hn::Zero(d);
  for (std::int64_t i = begin; i < end; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto result = combine<cube>(d, op, rows, i);
    change = hn::Or(change, hn::Xor(result, hn::LoadU(d, rows.near[1][1] + i)));
    if (rows.out) {
      hn::StoreU(result, d, rows.out + i);
    } else {
      ones = hn::Add(ones, hn::PopulationCount(result));
    }
  }
  return {static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, ones))),
          !hn::AllTrue(d, hn::Eq(change, hn::Zero(d)))};
}

template <bool cube, class Operation>
BitResult whole_row(const Operation& op, const BitRows& rows) {
  const hn::ScalableTag<std::uint64_t> d;
  const hn::CappedTag<std::uint64_t, 1> single;
  const std::int64_t whole = rows.words - rows.words % static_cast<std::int64_t>(hn::Lanes(d));
  const BitResult most = run<cube>(d, op, rows, 0, whole);
  const BitResult rest = run<cube>(single, op, rows, whole, rows.words);
  return {most.ones + rest.ones, most.changed || rest.changed};
}

BitResult erode_row(const BitRows& rows, bool cube, bool neutral) {
  return cube ? whole_row<true>(Erode{neutral}, rows) : whole_row<false>(Erode{neutral}, rows);
}
BitResult dilate_row(const BitRows& rows, bool cube) {
  return cube ? whole_row<true>(Dilate{}, rows) : whole_row<false>(Dilate{}, rows);
}

}  // namespace
}  // namespace tamis::boulos::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::boulos::cpu {
namespace {

/// Bits of a grid with a word of padding on either side of a row and a row of padding for what lies outside.
class BitGrid {
 public:
  BitGrid(const granulometry_detail::Grid& grid, bool ones_outside)
      : grid_(grid), stride_((grid.x + 63) / 64 + 2), words_(grid.rows() * stride_), outside_(stride_) {
    if (!ones_outside) return;
    std::fill_n(words_.data(), words_.size(), ~std::uint64_t{0});
    std::fill_n(outside_.data(), outside_.size(), ~std::uint64_t{0});
  }

  std::uint64_t* row(std::int64_t z, std::int64_t y) {
    if (z < 0 || z >= grid_.z || y < 0 || y >= grid_.y) return outside_.data() + 1;
    return words_.data() + (z * grid_.y + y) * stride_ + 1;
  }

 private:
  granulometry_detail::Grid grid_;
  std::int64_t stride_;
  Buffer<std::uint64_t> words_;
  Buffer<std::uint64_t> outside_;
};

class Paper {
 public:
  Paper(const Context& context, const SchemeTask& task, std::uint16_t* map)
      : context_(context),
        task_(task),
        map_(map),
        words_((task.grid.x + 63) / 64),
        eroded_(task.grid, task.neutral),
        eroded_next_(task.grid, task.neutral),
        opened_(task.grid, false),
        opened_next_(task.grid, false),
        whole_row_(words_),
        erode_(TAMIS_SIMD(context.simd, erode_row)),
        dilate_(TAMIS_SIMD(context.simd, dilate_row)) {
    std::fill_n(whole_row_.data(), words_, ~std::uint64_t{0});
    if (task.grid.x % 64) whole_row_[words_ - 1] = (std::uint64_t{1} << (task.grid.x % 64)) - 1;
  }

  std::vector<std::int64_t> run() {
    Stage stage(context_, "openings");
    load();
    std::vector<std::int64_t> volume;
    for (std::int64_t n = 0;; ++n) {
      volume.push_back(open(n, stage));
      if (volume.back() == 0 || n == task_.max_size) break;
      if (n == UINT16_MAX - 1) throw InputError("algorithm paper: more than 65534 sizes; wanted fewer, or recursion");
      if (!erode(stage) && task_.max_size < 0) break;  // what is left never erodes
    }
    return volume;
  }

 private:
  const std::uint64_t* mask(std::int64_t row) const {
    if (!task_.domain) return whole_row_.data();
    const Image& domain = *task_.domain;
    return domain.row<std::uint64_t>(0, 0) + (task_.first_row + row) % (domain.shape().z * domain.shape().y) * words_;
  }

  /// The eroded grid keeps what it needs outside the domain: ones if that is neutral.
  void load() {
    for_rows([&](std::int64_t z, std::int64_t y) {
      const std::int64_t row = z * task_.grid.y + y;
      const std::uint64_t* const in = task_.object->row<std::uint64_t>(0, 0) + (task_.first_row + row) * words_;
      std::uint64_t* const out = eroded_.row(z, y);
      for (std::int64_t i = 0; i < words_; ++i) out[i] = task_.neutral ? in[i] | ~mask(row)[i] : in[i] & mask(row)[i];
      return BitResult{};
    });
  }

  bool erode(Stage& stage) {
    const bool changed =
        for_rows([&](std::int64_t z, std::int64_t y) {
          return erode_(neighbours(eroded_, z, y, eroded_next_.row(z, y)), task_.chessboard, task_.neutral);
        }).changed;
    std::swap(eroded_, eroded_next_);
    stage.advance();
    return changed;
  }

  /// n dilations of the eroded object; the last one only counts, unless the map wants to see it.
  std::int64_t open(std::int64_t n, Stage& stage) {
    std::int64_t ones = for_rows([&](std::int64_t z, std::int64_t y) {
                          BitResult result;
                          const std::uint64_t* const in = eroded_.row(z, y);
                          const std::uint64_t* const inside = mask(z * task_.grid.y + y);
                          std::uint64_t* const out = opened_.row(z, y);
                          for (std::int64_t i = 0; i < words_; ++i) {
                            out[i] = in[i] & inside[i];
                            if (n == 0) result.ones += __builtin_popcountll(out[i]);
                          }
                          return result;
                        }).ones;
    for (std::int64_t k = 1; k <= n; ++k) {
      const bool store = k < n || map_;
      ones = for_rows([&](std::int64_t z, std::int64_t y) {
               return dilate_(neighbours(opened_, z, y, store ? opened_next_.row(z, y) : nullptr), task_.chessboard);
             }).ones;
      if (store) std::swap(opened_, opened_next_);
      stage.advance();
    }
    return map_ ? add_to_map() : ones;
  }

  std::int64_t add_to_map() {
    return for_rows([&](std::int64_t z, std::int64_t y) {
             BitResult result;
             std::uint16_t* const out = map_ + (z * task_.grid.y + y) * task_.grid.x;
             const std::uint64_t* const bits = opened_.row(z, y);
             for (std::int64_t x = 0; x < task_.grid.x; ++x) {
               const auto bit = static_cast<std::uint16_t>((bits[x / 64] >> (x % 64)) & 1U);
               out[x] = static_cast<std::uint16_t>(out[x] + bit);
               result.ones += bit;
             }
             return result;
           })
        .ones;
  }

  BitRows neighbours(BitGrid& grid, std::int64_t z, std::int64_t y, std::uint64_t* out) {
    BitRows rows{};
    for (int dz = -1; dz <= 1; ++dz) {
      for (int dy = -1; dy <= 1; ++dy) {
        // Where y is no axis the row stands in for its own neighbours, which changes neither `and` nor `or`.
        rows.near[dz + 1][dy + 1] = grid.row(z + dz, task_.grid.y_is_axis ? y + dy : y);
      }
    }
    rows.mask = mask(z * task_.grid.y + y);
    rows.out = out;
    rows.words = words_;
    return rows;
  }

  template <class Body>
  BitResult for_rows(const Body& body) {
    constexpr std::int64_t block = 64;
    std::atomic<std::int64_t> ones{0};
    std::atomic<bool> changed{false};
    const std::int64_t rows = task_.grid.rows();
    parallel_for(context_, (rows + block - 1) / block, [&](std::int64_t b) {
      BitResult sum;
      for (std::int64_t row = b * block; row < std::min(rows, (b + 1) * block); ++row) {
        const BitResult result = body(row / task_.grid.y, row % task_.grid.y);
        sum.ones += result.ones;
        sum.changed |= result.changed;
      }
      ones += sum.ones;
      if (sum.changed) changed = true;
    });
    return {ones, changed};
  }

  const Context& context_;
  const SchemeTask& task_;
  std::uint16_t* map_;
  std::int64_t words_;
  BitGrid eroded_, eroded_next_, opened_, opened_next_;
  Buffer<std::uint64_t> whole_row_;
  BitResult (*erode_)(const BitRows&, bool, bool);
  BitResult (*dilate_)(const BitRows&, bool);
};

}  // namespace

std::int64_t scheme_bytes(const granulometry_detail::Grid& grid) {
  return 4 * grid.rows() * ((grid.x + 63) / 64 + 2) * 8;
}

std::vector<std::int64_t> scheme_volumes(const Context& context, const SchemeTask& task, std::uint16_t* map) {
  return Paper(context, task, map).run();
}

}  // namespace tamis::boulos::cpu
#endif
