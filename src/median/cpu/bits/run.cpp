#include "median/cpu/bits/run.hpp"

#include <algorithm>
#include <bit>

#include "median/cpu/engines.hpp"
#include "median/cpu/rank_map.hpp"

namespace tamis::median_detail::cpu {
namespace {

int digits_of(std::int64_t n) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))); }
std::int64_t edge(std::int64_t low, std::int64_t high) { return high - low + 1; }

void copy_bits(const BitRow& from, std::uint64_t* to, std::int64_t words) {
  const auto shift = static_cast<unsigned>(from.shift);
  for (std::int64_t i = 0; i < words; ++i) {
    to[i] = shift == 0 ? from.words[i] : from.words[i] >> shift | from.words[i + 1] << (64 - shift);
  }
}

/// From so many samples on, sums of rows and columns are faster than counting each sample.
constexpr std::int64_t least_for_sums = 12;

}  // namespace

bool sums_bits(const RankStep& step) { return step.window.is_box() && step.count >= least_for_sums; }

double bits_nanoseconds(const RankStep& step) {
  return sums_bits(step) ? cpu_tuning.bit_sums : cpu_tuning.bit_sample * static_cast<double>(step.count);
}

BitBands::BitBands(const Context& context, const RankStep& step, const Image& image, Image& out)
    : simd_(context.simd),
      step_(step),
      image_(image),
      out_(out),
      by_sums_(sums_bits(step)),
      words_(image.row_bytes() / 8),
      planes_(digits_of(step.count)) {
  const OffsetBox& box = step.window.box();
  stride_ = words_ + edge(box.low.x, box.high.x) / 64 + 2 + 2 * block_words;
  row_planes_ = digits_of(edge(box.low.x, box.high.x) * edge(box.low.z, box.high.z));
}

void BitBands::run(const Band& band) {
  slab_.fill(image_, step_, band);
  if (!step_.shrinks()) return run_rows(band, true);
  for (const BandRows& rows : split_rows(step_.window.box(), band, image_.shape())) {
    const Band& part = rows.band;
    const Band counted = rows.alike ? Band{part.z0, part.z0 + 1, part.y0, part.y0 + 1} : part;
    counts_ = counts_inside(step_, counted, image_.shape());
    run_rows(part, rows.alike);
  }
}

/// `alike`: every row has the same thresholds.
void BitBands::run_rows(const Band& band, bool alike) {
  make_thresholds();
  threshold_rows_ = alike ? 0 : planes_ * stride_;
  for (std::int64_t z = band.z0; z < band.z1; ++z) {
    if (by_sums_) {
      run_box(band, z);
    } else {
      run_mask(band, z);
    }
    // What is behind the last sample of a row stays zero.
    if (const auto used = static_cast<unsigned>(image_.shape().x % 64); used != 0) {
      for (std::int64_t y = band.y0; y < band.y1; ++y) {
        out_.row<std::uint64_t>(z, y)[words_ - 1] &= (std::uint64_t{1} << used) - 1;
      }
    }
  }
  if (std::find(counts_.begin(), counts_.end(), 0) != counts_.end()) put_unseen(band, alike);
}

void BitBands::put_threshold(std::uint64_t* planes, std::int64_t x, std::int64_t threshold) const {
  for (int p = 0; p < planes_; ++p, planes += stride_) {
    planes[x / 64] |= static_cast<std::uint64_t>(threshold >> static_cast<unsigned>(p) & 1)
                      << static_cast<unsigned>(x % 64);
  }
}

/// Planes for a row if all have the same, otherwise for every row.
void BitBands::make_thresholds() {
  const std::int64_t nx = image_.shape().x, row_words = planes_ * stride_;
  if (counts_.empty()) {
    if (!thresholds_.empty()) return;
    thresholds_.assign(static_cast<std::size_t>(row_words), 0);
    for (int p = 0; p < planes_; ++p) {
      const bool one = ((step_.count - step_.rank) >> static_cast<unsigned>(p) & 1) != 0;
      std::fill_n(thresholds_.data() + p * stride_, words_, one ? ~std::uint64_t{0} : 0);
    }
    return;
  }
  const std::int64_t rows = static_cast<std::int64_t>(counts_.size()) / nx;
  thresholds_.assign(static_cast<std::size_t>(rows * row_words), 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    step_.stop_if_cancelled();
    const std::int32_t* const counts = counts_.data() + row * nx;
    std::uint64_t* const planes = thresholds_.data() + row * row_words;
    if (row > 0 && std::equal(counts, counts + nx, counts - nx)) {
      std::copy_n(planes - row_words, row_words, planes);
      continue;
    }
    for (std::int64_t x = 0; x < nx; ++x) {
      const std::int64_t n = counts[x];
      put_threshold(planes, x, n == 0 ? 1 : n - rank_of(step_.percentile, n));
    }
  }
}

ThresholdTask BitBands::task_for(const Band& band, std::int64_t z, std::int64_t y) {
  ThresholdTask task;
  task.step = &step_;
  task.planes = planes_;
  task.plane_stride = stride_;
  task.threshold_rows = threshold_rows_;
  task.thresholds = thresholds_.data() + ((z - band.z0) * (band.y1 - band.y0) + y - band.y0) * task.threshold_rows;
  task.words = words_;
  task.rows = band.y1 - y;
  task.out = out_.row<std::uint64_t>(z, y);
  task.out_stride = words_;
  return task;
}

/// Sums along x, then over the slices of the window, of every row that the slice's results see.
void BitBands::sum_rows(const Band& band, std::int64_t z) {
  const OffsetBox& box = step_.window.box();
  const std::int64_t width = edge(box.low.x, box.high.x), rows = band.y1 - band.y0 + box.high.y - box.low.y;
  const int width_planes = digits_of(width);
  // One plane more behind the last row, which sum_along works with.
  sums_.assign(static_cast<std::size_t>((rows * row_planes_ + 1) * stride_), 0);
  slice_sums_.resize(static_cast<std::size_t>((width_planes + 1) * stride_));
  for (std::int64_t row = 0; row < rows; ++row) {
    const Planes sums{sums_.data() + row * row_planes_ * stride_, stride_};
    for (std::int64_t dz = box.low.z; dz <= box.high.z; ++dz) {
      step_.stop_if_cancelled();
      const BitRow bits = slab_.row(z + dz, band.y0 + box.low.y + row, box.low.x);
      const Planes planes = dz == box.low.z ? sums : Planes{slice_sums_.data(), stride_};
      copy_bits(bits, planes.words, words_ + width / 64 + 1);
      sum_along(simd_, planes, words_, width);
      if (dz > box.low.z) {
        add_planes(simd_, sums, row_planes_, planes, width_planes, words_);
      } else {
        std::fill(sums.words + width_planes * stride_, sums.words + row_planes_ * stride_, std::uint64_t{0});
      }
    }
  }
}

void BitBands::run_box(const Band& band, std::int64_t z) {
  sum_rows(band, z);
  const OffsetBox& box = step_.window.box();
  slide_down(simd_, task_for(band, z, band.y0), sums_.data(), row_planes_, edge(box.low.y, box.high.y));
}

void BitBands::run_mask(const Band& band, std::int64_t z) {
  for (std::int64_t y = band.y0; y < band.y1; ++y) {
    sources_.clear();
    for (const OffsetSet::Run& run : step_.window.runs()) {
      for (std::int64_t i = 0; i < run.length; ++i) {
        step_.stop_if_cancelled(i);  // a window may have millions of samples
        sources_.push_back(slab_.row(z + run.start.z, y + run.start.y, run.start.x + i));
      }
    }
    ThresholdTask task = task_for(band, z, y);
    task.rows = 1;
    count_sources(simd_, task, sources_.data(), static_cast<std::int64_t>(sources_.size()));
  }
}

/// Where windows see nothing of the image the sample stays.
void BitBands::put_unseen(const Band& band, bool alike) {
  const std::int64_t nx = image_.shape().x;
  const std::int32_t* counts = counts_.data();
  for (std::int64_t z = band.z0; z < band.z1; ++z) {
    for (std::int64_t y = band.y0; y < band.y1; ++y, counts += alike ? 0 : nx) {
      for (std::int64_t x = 0; x < nx; ++x) {
        if (counts[x] == 0 && image_.bit(z, y, x)) {
          out_.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << static_cast<unsigned>(x % 64);
        }
      }
    }
  }
}

}  // namespace tamis::median_detail::cpu
