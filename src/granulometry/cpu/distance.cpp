#include "granulometry/cpu/distance.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/cpu/parallel.hpp"

namespace tamis::granulometry_detail::cpu {
namespace {

/// One thread's work on rows: owns the scratch rows, knows the task.
template <class Lane>
class RowWorker {
 public:
  RowWorker(const DistanceTask& task, Field<Lane>& field, const RowKernels<Lane>& kernels)
      : task_(task),
        field_(field),
        kernels_(kernels),
        count_(field.lines() * Field<Lane>::line),
        reach_(largest_step(field.x())),
        scratch_a_(count_ + 2 * padding()),
        scratch_b_(count_ + 2 * padding()) {}

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
    for (std::int64_t x = field_.x() / step_ * step_; x < field_.x(); ++x)
      a[x] = bit(bits, x) ? unreached<Lane> : Lane{0};
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
  const RowKernels<Lane>& kernels_;
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
      : context_(context), task_(task), field_(field), stage_(stage), kernels_(row_kernels<Lane>(context.simd)) {
    const std::int64_t count =
        std::min<std::int64_t>(field.z(), thread_count(context) > 1 ? 2 * thread_count(context) : 1);
    for (std::int64_t i = 0; i < count; ++i) chunks_.push_back({field.z() * i / count, field.z() * (i + 1) / count});
  }

  Lane run() {
    bool changed = sweep_chunks(true) | join_chunks();
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
  RowKernels<Lane> kernels_;
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

}  // namespace tamis::granulometry_detail::cpu
