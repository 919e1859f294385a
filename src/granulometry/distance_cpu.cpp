#include "granulometry/distance_cpu.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/cpu/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "granulometry/distance_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::granulometry_detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V add_saturated(D d, V a, V b) {
  using Lane = hn::TFromD<D>;
  if constexpr (sizeof(Lane) < 4) {
    return hn::SaturatedAdd(a, b);
  } else {
    return hn::Min(hn::Add(a, b), hn::Set(d, unreached<Lane>));
  }
}

template <class Lane>
HWY_INLINE bool any_reaches(const Lane* row, std::int64_t count, Lane value) {
  const hn::ScalableTag<Lane> d;
  auto top = hn::Zero(d);
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    top = hn::Max(top, hn::Load(d, row + i));
  }
  return !hn::AllFalse(d, hn::Eq(top, hn::Set(d, value)));
}

/// Distance along a row: `from` holds 0 or an upper bound, with `reach` readable lanes before and behind it that say
/// what lies beyond the row. Distances up to 2s - 1 are right after the doubling step s. Returns where the result is.
template <class Lane>
Lane* scan_row(Lane* from, Lane* to, std::int64_t count, std::int64_t reach) {
  const hn::ScalableTag<Lane> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t s = 1; s <= reach; s *= 2) {
    if (!any_reaches(from, count, unreached<Lane>)) return from;
    const auto cost = hn::Set(d, static_cast<Lane>(s));
    for (std::int64_t i = 0; i < count; i += step) {
      const auto side = hn::Min(hn::LoadU(d, from + i - s), hn::LoadU(d, from + i + s));
      hn::Store(hn::Min(hn::Load(d, from + i), add_saturated(d, side, cost)), d, to + i);
    }
    std::swap(from, to);
  }
  return from;
}

/// row = min(row, from + 1). Returns whether a lane changed.
template <class Lane>
bool relax_row(Lane* row, const Lane* from, std::int64_t count) {
  const hn::ScalableTag<Lane> d;
  const auto one = hn::Set(d, Lane{1});
  auto change = hn::Zero(d);
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto old = hn::Load(d, row + i);
    const auto now = hn::Min(old, add_saturated(d, hn::LoadU(d, from + i), one));
    change = hn::Or(change, hn::Xor(old, now));
    hn::Store(now, d, row + i);
  }
  return !hn::AllTrue(d, hn::Eq(change, hn::Zero(d)));
}

/// to[i] = min(from[i-1], from[i], from[i+1])
template <class Lane>
void min_of_three(const Lane* from, Lane* to, std::int64_t count) {
  const hn::ScalableTag<Lane> d;
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto sides = hn::Min(hn::LoadU(d, from + i - 1), hn::LoadU(d, from + i + 1));
    hn::Store(hn::Min(sides, hn::Load(d, from + i)), d, to + i);
  }
}

/// Lanes whose bit is 0 become `value`.
template <class Lane>
void mask_row(Lane* row, const std::uint64_t* bits, std::int64_t count, Lane value) {
  const hn::ScalableTag<Lane> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  if (step < 8) {  // masks are loaded by whole bytes
    for (std::int64_t i = 0; i < count; ++i) row[i] = (bits[i / 64] >> (i % 64)) & 1U ? row[i] : value;
    return;
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(bits);
  const auto other = hn::Set(d, value);
  for (std::int64_t i = 0; i < count; i += step) {
    hn::Store(hn::IfThenElse(hn::LoadMaskBits(d, bytes + i / 8), hn::Load(d, row + i), other), d, row + i);
  }
}

/// The largest lane of a vector of 16 bytes or more.
template <class D>
HWY_INLINE hn::TFromD<D> largest_lane(D d, hn::Vec<D> v) {
  using Lane = hn::TFromD<D>;
  HWY_ALIGN Lane lanes[HWY_MAX_BYTES / sizeof(Lane)];
#if HWY_TARGET == HWY_SCALAR
  constexpr std::size_t block = 1;
#else
  constexpr std::size_t block = 16 / sizeof(Lane);  // shifts stay within 16 bytes
  v = hn::Max(v, hn::ShiftRightBytes<8>(d, v));
  v = hn::Max(v, hn::ShiftRightBytes<4>(d, v));
  if constexpr (sizeof(Lane) <= 2) v = hn::Max(v, hn::ShiftRightBytes<2>(d, v));
  if constexpr (sizeof(Lane) == 1) v = hn::Max(v, hn::ShiftRightBytes<1>(d, v));
#endif
  hn::Store(v, d, lanes);
  Lane top = lanes[0];
  for (std::size_t i = block; i < hn::Lanes(d); i += block) top = std::max(top, lanes[i]);
  return top;
}

/// Bounds the lanes of `rows` rows by `cap` and notes the maximum of each line over these rows.
template <class Lane>
void finish_block(Lane* first, std::int64_t stride, std::int64_t rows, Lane* peaks, std::int64_t lines, Lane cap) {
  const hn::ScalableTag<Lane> d;
  const auto bound = hn::Set(d, cap);
  constexpr std::int64_t line = Field<Lane>::line;
  for (std::int64_t l = 0; l < lines; ++l) {
    auto peak = hn::Zero(d);
    for (std::int64_t r = 0; r < rows; ++r) {
      Lane* const lanes = first + r * stride + l * line;
      for (std::int64_t i = 0; i < line; i += static_cast<std::int64_t>(hn::Lanes(d))) {
        const auto now = hn::Min(hn::Load(d, lanes + i), bound);
        if (cap != unreached<Lane>) hn::Store(now, d, lanes + i);
        peak = hn::Max(peak, now);
      }
    }
    peaks[l] = largest_lane(d, peak);
  }
}

#define TAMIS_FOR_LANE(Lane, suffix)                                                                     \
  Lane* scan_row_##suffix(Lane* a, Lane* b, std::int64_t n, std::int64_t r) { return scan_row(a, b, n, r); } \
  bool relax_row_##suffix(Lane* a, const Lane* b, std::int64_t n) { return relax_row(a, b, n); }         \
  void min_of_three_##suffix(const Lane* a, Lane* b, std::int64_t n) { min_of_three(a, b, n); }          \
  void mask_row_##suffix(Lane* a, const std::uint64_t* b, std::int64_t n, Lane v) { mask_row(a, b, n, v); } \
  void finish_block_##suffix(Lane* a, std::int64_t s, std::int64_t r, Lane* p, std::int64_t l, Lane c) {   \
    finish_block(a, s, r, p, l, c);                                                                      \
  }
TAMIS_FOR_LANE(std::uint8_t, u8)
TAMIS_FOR_LANE(std::uint16_t, u16)
TAMIS_FOR_LANE(std::uint32_t, u32)
#undef TAMIS_FOR_LANE

}  // namespace
}  // namespace tamis::granulometry_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::granulometry_detail {
namespace {

#define TAMIS_EXPORT(suffix)    \
  HWY_EXPORT(scan_row_##suffix);  \
  HWY_EXPORT(relax_row_##suffix); \
  HWY_EXPORT(min_of_three_##suffix); \
  HWY_EXPORT(mask_row_##suffix); \
  HWY_EXPORT(finish_block_##suffix);
TAMIS_EXPORT(u8)
TAMIS_EXPORT(u16)
TAMIS_EXPORT(u32)
#undef TAMIS_EXPORT

template <class Lane>
struct Kernels {
  Lane* (*scan_row)(Lane*, Lane*, std::int64_t, std::int64_t);
  bool (*relax_row)(Lane*, const Lane*, std::int64_t);
  void (*min_of_three)(const Lane*, Lane*, std::int64_t);
  void (*mask_row)(Lane*, const std::uint64_t*, std::int64_t, Lane);
  void (*finish_block)(Lane*, std::int64_t, std::int64_t, Lane*, std::int64_t, Lane);
};

template <class Lane>
Kernels<Lane> kernels(Simd simd) {
#define TAMIS_CHOOSE(suffix) \
  {TAMIS_SIMD(simd, scan_row_##suffix), TAMIS_SIMD(simd, relax_row_##suffix), TAMIS_SIMD(simd, min_of_three_##suffix), \
   TAMIS_SIMD(simd, mask_row_##suffix), TAMIS_SIMD(simd, finish_block_##suffix)}
  if constexpr (sizeof(Lane) == 1) return TAMIS_CHOOSE(u8);
  if constexpr (sizeof(Lane) == 2) return TAMIS_CHOOSE(u16);
  if constexpr (sizeof(Lane) == 4) return TAMIS_CHOOSE(u32);
#undef TAMIS_CHOOSE
}

/// One thread's work on rows: owns the scratch rows, knows the task.
template <class Lane>
class RowWorker {
 public:
  RowWorker(const DistanceTask& task, Field<Lane>& field, const Kernels<Lane>& kernels)
      : task_(task), field_(field), kernels_(kernels), count_(field.lines() * Field<Lane>::line),
        reach_(largest_step(field.x())), scratch_a_(count_ + 2 * padding()), scratch_b_(count_ + 2 * padding()) {}

  /// Distances along x for row (z, y), straight from the bits.
  void load_row(std::int64_t z, std::int64_t y) {
    const std::uint64_t* bits = words(*task_.object, z, y);
    Lane* const row = field_.row(z, y);
    if (!task_.domain) {
      scan(row, bits);
      return;
    }
    std::fill_n(row, count_, unreached<Lane>);
    const std::uint64_t* inside = words(*task_.domain, z, y);
    for (std::int64_t x = 0; x < field_.x(); ++x) {
      if (!bit(bits, x) && bit(inside, x)) row[x] = Lane{0};
    }
    scan_inside(z, y);
  }

  /// Under a domain: distances along x inside each run of the domain, from what the row holds.
  bool scan_inside(std::int64_t z, std::int64_t y) {
    const std::uint64_t* inside = words(*task_.domain, z, y);
    Lane* const row = field_.row(z, y);
    bool changed = false;
    for (std::int64_t x = 1; x < field_.x(); ++x) {
      if (bit(inside, x)) changed |= lower(row[x], row[x - 1]);
    }
    for (std::int64_t x = field_.x() - 2; x >= 0; --x) {
      if (bit(inside, x)) changed |= lower(row[x], row[x + 1]);
    }
    return changed;
  }

  /// Relaxes row (z, y) from the row at (z + dz, y + dy), in the chessboard metric from its neighbours in x too.
  /// That row may lie outside the grid: then it is background or nothing, as the border says.
  bool relax(std::int64_t z, std::int64_t y, std::int64_t dz, std::int64_t dy) {
    const Lane* from = neighbour(z + dz, y + dy);
    if (!from) return false;
    if (task_.chessboard) from = least_of_three(from);
    if (task_.domain) {  // nothing enters what is outside
      Lane* const entering = scratch_b_.data() + padding();
      if (from != entering) std::copy_n(from, count_, entering);
      kernels_.mask_row(entering, words(*task_.domain, z, y), count_, unreached<Lane>);
      from = entering;
    }
    return kernels_.relax_row(field_.row(z, y), from, count_);
  }

  /// All rows of slice z + dz that the element reaches from (z, y).
  bool relax_from_slice(std::int64_t z, std::int64_t y, std::int64_t dz) {
    bool changed = relax(z, y, dz, 0);
    if (task_.chessboard && task_.grid.y_is_axis) {
      changed |= relax(z, y, dz, -1);
      changed |= relax(z, y, dz, +1);
    }
    return changed;
  }

  /// Bounds the rows of block b, clears what is outside the domain, notes the peaks.
  void finish(std::int64_t z, std::int64_t b) {
    const std::int64_t begin = b * field_.block_rows();
    const std::int64_t end = std::min(begin + field_.block_rows(), field_.y());
    if (task_.domain) {
      for (std::int64_t y = begin; y < end; ++y) {
        kernels_.mask_row(field_.row(z, y), words(*task_.domain, z, y), count_, Lane{0});
      }
    }
    const bool capped = task_.cap > 0 && task_.cap < unreached<Lane>;
    kernels_.finish_block(field_.row(z, begin), field_.stride(), end - begin, field_.peaks(z, b), field_.lines(),
                          capped ? static_cast<Lane>(task_.cap) : unreached<Lane>);
  }

 private:
  /// Doubling steps go up to the first power of two that spans the row, or every distance the lane can hold.
  static std::int64_t largest_step(std::int64_t x) {
    std::int64_t step = 1;
    while (2 * step <= x && 2 * step < static_cast<std::int64_t>(unreached<Lane>)) step *= 2;
    return step;
  }
  [[nodiscard]] std::int64_t padding() const {
    return (reach_ + Field<Lane>::line - 1) / Field<Lane>::line * Field<Lane>::line;
  }
  static constexpr std::int64_t step_ = Field<Lane>::line;
  static bool bit(const std::uint64_t* words, std::int64_t x) { return (words[x / 64] >> (x % 64)) & 1U; }
  static bool lower(Lane& value, Lane from) {
    if (from >= unreached<Lane> || value <= from + 1) return false;
    value = static_cast<Lane>(from + 1);
    return true;
  }

  /// The bits of row (z, y) of the field. A domain of one slice serves every slice.
  [[nodiscard]] const std::uint64_t* words(const Image& image, std::int64_t z, std::int64_t y) const {
    std::int64_t row = task_.first_row + (task_.z0 + z) * task_.grid.y + y;
    row %= image.shape().z * image.shape().y;
    return image.row<std::uint64_t>(0, 0) + row * (image.row_bytes() / 8);
  }

  void scan(Lane* row, const std::uint64_t* bits) {
    if (std::all_of(bits, bits + (field_.x() + 63) / 64, [](std::uint64_t word) { return word == 0; })) {
      std::fill_n(row, count_, Lane{0});
      return;
    }
    Lane* const a = scratch_a_.data() + padding();
    Lane* const b = scratch_b_.data() + padding();
    const Lane beyond = task_.neutral ? unreached<Lane> : Lane{0};
    for (Lane* scratch : {a, b}) {
      std::fill(scratch - padding(), scratch, beyond);
      std::fill(scratch + field_.x(), scratch + count_ + padding(), beyond);
    }
    std::fill_n(a, field_.x(), unreached<Lane>);
    kernels_.mask_row(a, bits, field_.x() / step_ * step_, Lane{0});
    for (std::int64_t x = field_.x() / step_ * step_; x < field_.x(); ++x) a[x] = bit(bits, x) ? unreached<Lane> : Lane{0};
    std::copy_n(kernels_.scan_row(a, b, count_, reach_), field_.x(), row);
    std::fill(row + field_.x(), row + count_, Lane{0});
  }

  /// min(from[x-1], from[x], from[x+1]) in scratch_b_.
  const Lane* least_of_three(const Lane* from) {
    Lane* const copy = scratch_a_.data() + padding();
    Lane* const least = scratch_b_.data() + padding();
    std::copy_n(from, field_.x(), copy);
    const Lane beyond = task_.neutral ? unreached<Lane> : Lane{0};
    copy[-1] = beyond;
    std::fill(copy + field_.x(), copy + count_ + 1, beyond);
    kernels_.min_of_three(copy, least, count_);
    return least;
  }

  /// The lanes of row (z, y), zeros for background, nullptr where nothing comes from.
  const Lane* neighbour(std::int64_t z, std::int64_t y) {
    const bool in_grid = task_.z0 + z >= 0 && task_.z0 + z < task_.grid.z && y >= 0 && y < task_.grid.y;
    if (in_grid) return z >= 0 && z < field_.z() ? field_.row(z, y) : nullptr;
    if (task_.neutral) return nullptr;
    if (zeros_.empty()) zeros_.resize(static_cast<std::size_t>(count_));
    return zeros_.data();
  }

  const DistanceTask& task_;
  Field<Lane>& field_;
  const Kernels<Lane>& kernels_;
  std::int64_t count_;
  std::int64_t reach_;
  Buffer<Lane> scratch_a_;
  Buffer<Lane> scratch_b_;
  std::vector<Lane> zeros_;
};

/// Slices of the field that one thread sweeps forward and backward on its own.
struct Chunk {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

template <class Lane>
class DistanceTransform {
 public:
  DistanceTransform(const Context& context, const DistanceTask& task, Field<Lane>& field, Stage& stage)
      : context_(context), task_(task), field_(field), stage_(stage), kernels_(kernels<Lane>(context.simd)) {
    const std::int64_t count = std::min<std::int64_t>(field.z(), thread_count(context) > 1 ? 2 * thread_count(context) : 1);
    for (std::int64_t i = 0; i < count; ++i) chunks_.push_back({field.z() * i / count, field.z() * (i + 1) / count});
  }

  Lane run() {
    bool changed = sweep_chunks(true);
    join_chunks();
    // Paths around the outside of a domain can turn more often than one sweep follows.
    while (task_.domain && changed) changed = sweep_chunks(false) | join_chunks();
    if (task_.domain) {
      parallel_for(context_, field_.z(), [&](std::int64_t z) {
        RowWorker<Lane> worker(task_, field_, kernels_);
        for (std::int64_t b = 0; b < field_.blocks(); ++b) worker.finish(z, b);
      });
    }
    return largest();
  }

 private:
  bool sweep_chunks(bool first) {
    std::atomic<bool> changed = false;
    parallel_for(context_, static_cast<std::int64_t>(chunks_.size()), [&](std::int64_t i) {
      RowWorker<Lane> worker(task_, field_, kernels_);
      const bool forward = sweep_forward(worker, chunks_[i], first);
      const bool backward = sweep_backward(worker, chunks_[i]);
      if (forward || backward) changed = true;
    });
    return changed;
  }

  /// Along x and y within each slice, and along z from the slice before, while rows are in cache.
  bool sweep_forward(RowWorker<Lane>& worker, const Chunk& chunk, bool first) {
    bool changed = false;
    const bool along_y = task_.grid.y_is_axis;
    for (std::int64_t z = chunk.begin; z < chunk.end; ++z) {
      for (std::int64_t y = 0; y < field_.y(); ++y) {
        if (first) {
          worker.load_row(z, y);
        } else {
          changed |= worker.scan_inside(z, y);
        }
        if (along_y) changed |= worker.relax(z, y, 0, -1);
      }
      for (std::int64_t y = field_.y() - 1; y >= 0; --y) {
        if (along_y) changed |= worker.relax(z, y, 0, +1);
        if (z > chunk.begin || z == 0) changed |= worker.relax_from_slice(z, y, -1);
      }
      stage_.advance();
    }
    return changed;
  }

  bool sweep_backward(RowWorker<Lane>& worker, const Chunk& chunk) {
    bool changed = false;
    for (std::int64_t z = chunk.end - 1; z >= chunk.begin; --z) {
      for (std::int64_t b = 0; b < field_.blocks(); ++b) {
        if (z + 1 < chunk.end || z + 1 == field_.z()) changed |= relax_block(worker, z, b, +1);
        if (!task_.domain) worker.finish(z, b);
      }
      stage_.advance();
    }
    return changed;
  }

  /// Carries distances over the seams between chunks, each way as far as something changes.
  bool join_chunks() {
    bool changed = false;
    for (std::size_t i = 1; i < chunks_.size(); ++i) {
      for (std::int64_t z = chunks_[i].begin; z < field_.z() && relax_slice(z, -1); ++z) changed = true;
    }
    for (std::size_t i = chunks_.size(); i-- > 1;) {
      for (std::int64_t z = chunks_[i].begin - 1; z >= 0 && relax_slice(z, +1); --z) changed = true;
    }
    return changed;
  }

  bool relax_slice(std::int64_t z, std::int64_t dz) {
    constexpr std::int64_t share = 16;
    std::atomic<bool> changed = false;
    parallel_for(context_, (field_.blocks() + share - 1) / share, [&](std::int64_t i) {
      RowWorker<Lane> worker(task_, field_, kernels_);
      for (std::int64_t b = i * share; b < std::min(field_.blocks(), (i + 1) * share); ++b) {
        if (!relax_block(worker, z, b, dz)) continue;
        changed = true;
        if (!task_.domain) worker.finish(z, b);
      }
    });
    return changed;
  }

  bool relax_block(RowWorker<Lane>& worker, std::int64_t z, std::int64_t b, std::int64_t dz) {
    bool changed = false;
    const std::int64_t begin = b * field_.block_rows();
    for (std::int64_t y = begin; y < std::min(begin + field_.block_rows(), field_.y()); ++y) {
      changed |= worker.relax_from_slice(z, y, dz);
    }
    return changed;
  }

  Lane largest() {
    Lane top = 0;
    for (std::int64_t z = 0; z < field_.z(); ++z) {
      for (std::int64_t b = 0; b < field_.blocks(); ++b) {
        const Lane* const peaks = field_.peaks(z, b);
        top = std::max(top, *std::max_element(peaks, peaks + field_.lines()));
      }
    }
    return top;
  }

  const Context& context_;
  const DistanceTask& task_;
  Field<Lane>& field_;
  Stage& stage_;
  Kernels<Lane> kernels_;
  std::vector<Chunk> chunks_;
};

}  // namespace

template <class Lane>
Lane distance(const Context& context, const DistanceTask& task, Field<Lane>& field, Stage& stage) {
  return DistanceTransform<Lane>(context, task, field, stage).run();
}

template std::uint8_t distance(const Context&, const DistanceTask&, Field<std::uint8_t>&, Stage&);
template std::uint16_t distance(const Context&, const DistanceTask&, Field<std::uint16_t>&, Stage&);
template std::uint32_t distance(const Context&, const DistanceTask&, Field<std::uint32_t>&, Stage&);

}  // namespace tamis::granulometry_detail
#endif
