// Vincent's hybrid of two scans and a queue (IEEE Trans. Image Processing 2, 1993), band by band: a band is settled
// while those beside it stay as they are, and wakes them where its edge has risen. Cells only rise, and never above the
// final result, so that the result does not depend on the order or the number of bands.
#include "morphology/cpu/reconstruct/run.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/memory.hpp"
#include "core/visit_type.hpp"
#include "morphology/cpu/reconstruct/band.hpp"

namespace tamis::morphology_detail::cpu {
namespace {

/// Where rows of an image are in the frames: along the longer of z and y they are cut into bands. Images of a stack
/// follow each other with a row of zeros between them, from which nothing rises and which never does.
struct Axes {
  bool swapped = false;  ///< bands along y of a volume
  FrameShape frame;

  explicit Axes(const Shape& shape) {
    frame.inner_frame = shape.rank == 3 ? 1 : 0;
    swapped = shape.rank == 3 && shape.y > shape.z;
    frame.x = shape.x;
    if (shape.rank == 2) {
      frame.period = shape.y + 1;
      frame.outer = shape.z * frame.period - 1;
    } else {
      frame.outer = swapped ? shape.y : shape.z;
      frame.inner = swapped ? shape.z : shape.y;
    }
  }
  [[nodiscard]] std::int64_t row(std::int64_t z, std::int64_t y) const {
    if (frame.inner_frame == 0) return frame.row(z * frame.period + y, 0);
    return swapped ? frame.row(y, z) : frame.row(z, y);
  }
};

/// visit(z, y) for all rows, many of them a task. Throws Cancelled.
template <class Visit>
void for_rows(const Context& context, Stage& stage, const Shape& shape, Visit visit) {
  constexpr std::int64_t task_samples = 1 << 16;
  const std::int64_t rows = shape.z * shape.y;
  const std::int64_t each = std::max<std::int64_t>(1, task_samples / shape.x);
  parallel_for(context, (rows + each - 1) / each, [&](std::int64_t task) {
    for (std::int64_t i = task * each; i < std::min(rows, (task + 1) * each); ++i) visit(i / shape.y, i % shape.y);
    stage.advance(0);
  });
}

/// What lies in the image: bits in words of 64.
template <class Sample>
using WordOf = std::conditional_t<std::is_same_v<Sample, bool>, std::uint64_t, Sample>;

template <class Sample>
Sample sample_at(const WordOf<Sample>* row, std::int64_t x) {
  if constexpr (std::is_same_v<Sample, bool>) {
    return (row[x / 64] >> (x % 64) & 1U) != 0;
  } else {
    return row[x];
  }
}

void lower(std::atomic<std::int64_t>& least, std::int64_t value) {
  std::int64_t now = least.load(std::memory_order_relaxed);
  while (value < now && !least.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
  }
}

template <class Sample>
class Run {
 public:
  using Word = WordOf<Sample>;
  using Cell = CellOf<Sample>;

  Run(const Context& context, Stage& stage, const Shape& shape, const ReconstructForm& form)
      : context_(context),
        stage_(stage),
        shape_(shape),
        axes_(shape),
        form_(form),
        j_(axes_.frame.cells()),
        i_(axes_.frame.cells()) {}

  ReconstructFaults fill(const Image& marker, const Image& mask) {
    std::atomic<std::int64_t> nan{ReconstructFaults::none};
    std::atomic<std::int64_t> above{ReconstructFaults::none};
    for_rows(context_, stage_, shape_, [&](std::int64_t z, std::int64_t y) {
      const Word* const marker_row = marker.row<Word>(z, y);
      const Word* const mask_row = mask.row<Word>(z, y);
      Cell* const j = j_.data() + axes_.row(z, y);
      Cell* const i = i_.data() + axes_.row(z, y);
      unsigned odd = 0;
      for (std::int64_t x = 0; x < shape_.x; ++x) {
        const Sample of_marker = sample_at<Sample>(marker_row, x);
        const Sample of_mask = sample_at<Sample>(mask_row, x);
        const Cell most = cell_of<Sample>(of_mask, form_.turned);
        const Cell cell = cell_of<Sample>(of_marker, form_.turned);
        odd |= static_cast<unsigned>(is_nan(of_marker)) | static_cast<unsigned>(is_nan(of_mask)) |
               static_cast<unsigned>(cell > most);
        i[x] = most;
        j[x] = std::min(cell, most);
      }
      if (odd != 0) look_closer(marker_row, mask_row, (z * shape_.y + y) * shape_.x, nan, above);
    });
    return {nan, above};
  }

  void rebuild(std::int64_t band_rows) {
    BandTask<Cell> work{axes_.frame, form_.full, j_.data(), i_.data()};
    std::vector<Band<Cell>> bands;
    for (std::int64_t first = 0; first < axes_.frame.outer; first += band_rows) {
      bands.emplace_back(work, first, std::min(first + band_rows, axes_.frame.outer));
    }
    parallel_for(context_, static_cast<std::int64_t>(bands.size()),
                 [&](std::int64_t b) { bands[static_cast<std::size_t>(b)].look(); });
    // Bands that stand beside each other are never at work together.
    for (std::size_t parity = 0, idle = 0; idle < 2; parity ^= 1) {
      std::vector<std::size_t> awake;
      for (std::size_t b = parity; b < bands.size(); b += 2) {
        if (bands[b].awake) awake.push_back(b);
      }
      idle = awake.empty() ? idle + 1 : 0;
      parallel_for(context_, static_cast<std::int64_t>(awake.size()),
                   [&](std::int64_t i) { bands[awake[static_cast<std::size_t>(i)]].settle(stage_); });
      for (const std::size_t b : awake) {
        if (bands[b].low_edge_rose && b > 0) bands[b - 1].awake = true;
        if (bands[b].high_edge_rose && b + 1 < bands.size()) bands[b + 1].awake = true;
      }
    }
    for (const Band<Cell>& band : bands) band.finish(stage_);
  }

  /// Whether anything is marked in a quarter of the planes or less.
  [[nodiscard]] bool comes_from_a_few() const {
    const FrameShape& frame = axes_.frame;
    std::atomic<std::int64_t> marked{0};
    parallel_for(context_, frame.outer, [&](std::int64_t plane) {
      const Cell* const first = j_.data() + frame.row(plane, 0);
      if (std::any_of(first, first + frame.plane(), [](Cell cell) { return cell != 0; })) ++marked;
    });
    return marked <= frame.outer / 4;
  }

  void write(Image& out) const {
    for_rows(context_, stage_, shape_, [&](std::int64_t z, std::int64_t y) {
      const Cell* const from = j_.data() + axes_.row(z, y);
      Word* const to = out.row<Word>(z, y);
      if constexpr (std::is_same_v<Sample, bool>) {
        std::fill_n(to, (shape_.x + 63) / 64, Word{0});
        for (std::int64_t x = 0; x < shape_.x; ++x) {
          to[x / 64] |= Word{sample_of<Sample>(from[x], form_.turned)} << (x % 64);
        }
      } else {
        for (std::int64_t x = 0; x < shape_.x; ++x) to[x] = sample_of<Sample>(from[x], form_.turned);
      }
    });
  }

 private:
  void look_closer(const Word* marker, const Word* mask, std::int64_t at, std::atomic<std::int64_t>& nan,
                   std::atomic<std::int64_t>& above) const {
    for (std::int64_t x = 0; x < shape_.x; ++x) {
      const Sample of_marker = sample_at<Sample>(marker, x);
      const Sample of_mask = sample_at<Sample>(mask, x);
      if (is_nan(of_marker) || is_nan(of_mask)) {
        lower(nan, at + x);
      } else if (!form_.clip_marker &&
                 cell_of<Sample>(of_marker, form_.turned) > cell_of<Sample>(of_mask, form_.turned)) {
        lower(above, at + x);
      }
    }
  }

  const Context& context_;
  Stage& stage_;
  Shape shape_;
  Axes axes_;
  ReconstructForm form_;
  Buffer<Cell> j_;  ///< the marker, on its way to the result
  Buffer<Cell> i_;  ///< the mask
};

/// Rows of a band of a volume where what rises comes from a few planes, such as a face: so thin that its queue stays in
/// the cache, and enough for a scan to carry it on.
std::int64_t rows_of_thin_band(const Shape& shape) {
  constexpr std::int64_t cells = 1 << 20;
  constexpr std::int64_t least = 16;
  const FrameShape frame = Axes(shape).frame;
  return std::max(least, cells / (frame.inner * frame.x));
}

/// A few bands for each thread; one thread takes the whole, which wakes nobody.
std::int64_t rows_of_band(const Context& context, const Shape& shape) {
  constexpr std::int64_t bands_per_thread = 4;
  const FrameShape frame = Axes(shape).frame;
  const std::int64_t bands = thread_count(context) == 1 ? 1 : bands_per_thread * thread_count(context);
  constexpr std::int64_t least_samples = 1 << 14;
  const std::int64_t least = least_samples / (frame.inner * frame.x) + 2;
  return std::max(least, (frame.outer + bands - 1) / bands);
}

/// Calls work(Sample{}).
template <class Work>
ReconstructFaults with_sample(Type type, Work work) {
  if (type == Type::Bool) return work(bool{});
  if (type == Type::U32) return work(std::uint32_t{});
  if (type == Type::U64) return work(std::uint64_t{});
  return visit_filter_type(type, work);
}

/// rows(run): how many a band has, when the marker is known.
template <class Rows>
ReconstructFaults reconstruct_with(const Context& context, const Image& marker, const Image& mask,
                                   const ReconstructForm& form, Image& out, Stage& stage, Rows rows) {
  return with_sample(marker.type(), [&](auto sample) {
    Run<decltype(sample)> run(context, stage, marker.shape(), form);
    const ReconstructFaults faults = run.fill(marker, mask);
    if (faults.any()) return faults;
    run.rebuild(rows(run.comes_from_a_few()));
    run.write(out);
    return faults;
  });
}

}  // namespace

ReconstructFaults reconstruct_in_bands(const Context& context, const Image& marker, const Image& mask,
                                           const ReconstructForm& form, std::int64_t band_rows, Image& out,
                                           Stage& stage) {
  return reconstruct_with(context, marker, mask, form, out, stage, [&](bool /*few*/) { return band_rows; });
}

ReconstructFaults reconstruct(const Context& context, const Image& marker, const Image& mask,
                                  const ReconstructForm& form, Image& out, Stage& stage) {
  const Shape& shape = marker.shape();
  return reconstruct_with(context, marker, mask, form, out, stage, [&](bool few) {
    const std::int64_t rows = rows_of_band(context, shape);
    return few && shape.rank == 3 ? std::min(rows, rows_of_thin_band(shape)) : rows;
  });
}

}  // namespace tamis::morphology_detail::cpu
