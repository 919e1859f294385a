#include "median/cpu/bisect/run.hpp"

#include <algorithm>
#include <vector>

#include "core/memory.hpp"

namespace tamis::median_detail::cpu {
namespace {

/// The bytes of keys, highest first, of all that a part of a band sees: rows without gaps, so that a vector of results
/// may begin in one row and end in another. Between the rows lie places whose results mean nothing.
template <class K>
class BytePlanes {
 public:
  explicit BytePlanes(const BandTask<K>& work) {
    const OffsetBox& box = work.step->window.box();
    low_ = {work.band.z0 + box.low.z, work.band.y0 + box.low.y, work.x0 + box.low.x};
    ny_ = work.band.y1 - work.band.y0 + box.high.y - box.low.y;
    row_stride_ = work.x1 - work.x0 + box.high.x - box.low.x;
    const std::int64_t rows = ny_ * (work.band.z1 - work.band.z0 + box.high.z - box.low.z);
    // A vector may reach beyond the last.
    plane_stride_ = row_stride_ * rows + bisect_lanes;
    bytes_ = Buffer<std::uint8_t>(plane_stride_ * count);
    for (std::int64_t row = 0; row < rows; ++row) {
      work.step->stop_if_cancelled();
      const K* const keys = work.in->row(low_.z + row / ny_, low_.y + row % ny_) + low_.x;
      for (std::int64_t p = 0; p < count; ++p) {
        std::uint8_t* const bytes = bytes_.data() + p * plane_stride_ + row * row_stride_;
        const auto shift = static_cast<unsigned>(8 * (count - 1 - p));
        for (std::int64_t x = 0; x < row_stride_; ++x) bytes[x] = static_cast<std::uint8_t>(keys[x] >> shift);
      }
    }
  }

  static constexpr std::int64_t count = sizeof(K);
  [[nodiscard]] std::int64_t row_stride() const { return row_stride_; }
  [[nodiscard]] std::int64_t plane_stride() const { return plane_stride_; }
  /// The highest byte of a sample.
  [[nodiscard]] const std::uint8_t* at(const Offset& sample) const {
    const Offset o = sample - low_;
    return bytes_.data() + (o.z * ny_ + o.y) * row_stride_ + o.x;
  }

 private:
  Offset low_;
  std::int64_t ny_ = 0, row_stride_ = 0, plane_stride_ = 0;
  Buffer<std::uint8_t> bytes_;
};

template <class K>
void put_keys(const std::uint8_t* bytes, std::int64_t plane_stride, std::int64_t results, K* out) {
  for (std::int64_t x = 0; x < results; ++x) {
    std::uint32_t key = 0;
    for (std::size_t p = 0; p < sizeof(K); ++p)
      key = key << 8U | bytes[static_cast<std::int64_t>(p) * plane_stride + x];
    out[x] = static_cast<K>(key);
  }
}

}  // namespace

template <class K>
void bisect_band(const BandTask<K>& work) {
  const RankStep& step = *work.step;
  const BytePlanes<K> planes(work);
  const std::int64_t rows = work.band.y1 - work.band.y0, columns = work.x1 - work.x0, stride = planes.row_stride();
  Buffer<std::uint8_t> scratch(2 * step.count * bisect_lanes);
  std::vector<const std::uint8_t*> seen(static_cast<std::size_t>(step.count));
  BisectTask task;
  task.seen = seen.data();
  task.count = step.count;
  task.step = &step;
  task.planes = planes.count;
  task.plane_stride = planes.plane_stride();
  task.rank = static_cast<std::int32_t>(step.rank);
  task.results = (rows - 1) * stride + columns;
  task.out_stride = task.results;
  task.scratch = scratch.data();
  std::vector<std::uint8_t> found(static_cast<std::size_t>(task.results * planes.count));
  std::vector<std::int32_t> ranks(work.ranks ? static_cast<std::size_t>(rows * stride) : 0);
  task.out = found.data();
  if (work.ranks) task.ranks = ranks.data();
  for (std::int64_t z = work.band.z0; z < work.band.z1; ++z) {
    work.step->stop_if_cancelled();
    auto next = seen.begin();
    for (const OffsetSet::Run& run : step.window.runs()) {
      const std::uint8_t* const bytes = planes.at(Offset{z, work.band.y0, work.x0} + run.start);
      for (std::int64_t i = 0; i < run.length; ++i) *next++ = bytes + i;
    }
    for (std::int64_t row = 0; work.ranks && row < rows; ++row) {
      std::copy_n(work.rank_row(z, work.band.y0 + row) + work.x0, columns, ranks.begin() + row * stride);
    }
    bisect_row(work.simd, task);
    for (std::int64_t row = 0; row < rows; ++row) {
      put_keys(found.data() + row * stride, task.out_stride, columns, work.out_row(z, work.band.y0 + row) + work.x0);
    }
  }
}

template void bisect_band(const BandTask<std::uint8_t>&);
template void bisect_band(const BandTask<std::uint16_t>&);
template void bisect_band(const BandTask<std::uint32_t>&);

}  // namespace tamis::median_detail::cpu
