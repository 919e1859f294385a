// The smallest and the largest sample and the sum, with the CPU's rounding.
#include <cstring>
#include <limits>

#include "core/gpu/launch.hpp"
#include "core/visit_type.hpp"
#include "threshold/gpu/rows.cuh"

namespace tamis::threshold_detail::gpu {
namespace {

using namespace rows_kernel;

/// A thread for each lane of a band, which takes every eighth sample of a row, so that sums round as on the CPU.
template <class T>
__global__ void range_kernel(const Rows rows, const BandCut bands, const T highest, const T lowest, LaneRange* ranges) {
  constexpr auto lanes = static_cast<int>(LaneRange::lanes);
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t index = thread / lanes;
  if (index >= bands.count) return;
  const auto lane = static_cast<int>(thread % lanes);
  const std::int64_t per_slice = (bands.slice_rows + bands.rows - 1) / bands.rows;
  const auto row_of = [&](std::int64_t band) {
    return band / per_slice * bands.slice_rows + band % per_slice * bands.rows;
  };
  const std::int64_t y = (bands.first + index) % per_slice * bands.rows;
  const std::int64_t first = row_of(bands.first + index) - row_of(bands.first);
  const std::int64_t end = first + min(bands.rows, bands.slice_rows - y);
  T low = highest;
  T high = lowest;
  double sum = 0;
  bool nan = false;
  for (std::int64_t row = first; row < end; ++row) {
    const T* const samples = reinterpret_cast<const T*>(rows.samples + row * rows.pitch);
    const std::uint64_t* const inside =
        rows.domain ? rows.domain + row % rows.domain_rows * std::int64_t{rows.words} : nullptr;
#pragma unroll 8
    for (int x = lane; x < rows.columns; x += lanes) {
      const T v = samples[x];
      if (inside && !(inside[x / 64] >> (x % 64) & 1U)) continue;
      low = v < low ? v : low;
      high = v > high ? v : high;
      sum = __dadd_rn(sum, static_cast<double>(v));
      nan = nan || v != v;
    }
  }
  LaneRange range;
  memcpy(&range.low, &low, sizeof low);
  memcpy(&range.high, &high, sizeof high);
  range.sum = sum;
  range.nan = nan;
  ranges[thread] = range;
}

}  // namespace

void find_range(const cuda::Stream& stream, const SampleRows& rows, const BandCut& bands, LaneRange* ranges) {
  visit_type(rows.type, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (sizeof(T) > 2) {
      using Limits = std::numeric_limits<T>;
      const T highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
      const T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
      const auto blocks = static_cast<unsigned>((bands.count * LaneRange::lanes + threads - 1) / threads);
      cuda::launch(stream, {dim3(blocks), dim3(threads)}, "find the range", range_kernel<T>, kernel_rows(rows), bands,
                   highest, lowest, ranges);
    }
  });
}

}  // namespace tamis::threshold_detail::gpu
