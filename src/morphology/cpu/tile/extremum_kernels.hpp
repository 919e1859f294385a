// The arithmetic of erosions and dilations: extrema of rows.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::cpu {

/// Lanes are std::uint8_t, std::uint16_t, std::int16_t, std::int32_t (F32 as ordered whole numbers, see
/// sample_lanes.hpp), and std::uint64_t for 64 samples of a Bool image, whose minimum is AND and maximum OR.
/// Sources may be read up to `over_read` bytes past their last lane; nothing is written past the last lane.
inline constexpr std::int64_t over_read = 512;

/// A row of samples. Bits start at bit `shift` (0 to 63) of the first word; otherwise shift is 0.
template <class Lane>
struct RowSource {
  const Lane* row = nullptr;
  int shift = 0;
};

/// Bytes of scratch that run_rows and run_x need.
inline constexpr std::int64_t kernel_scratch_bytes = 48 << 10;

template <class Lane>
struct ExtremumKernels {
  /// out[i] = extremum of sources[k][i] over k, i = 0 ... lanes-1.
  void (*unite)(const RowSource<Lane>* sources, std::int64_t count, Lane* out, std::int64_t lanes);
  /// out[r][i] = extremum of in[r][i] ... in[r + length - 1][i], r = 0 ... count-1.
  void (*run_rows)(const Lane* const* in, Lane* const* out, std::int64_t count, std::int64_t length, std::int64_t lanes,
                   Lane* scratch);
  /// Sample i of out = extremum of samples i ... i + length - 1 of in.
  void (*run_x)(RowSource<Lane> in, std::int64_t length, Lane* out, std::int64_t lanes, Lane* scratch);
};

template <class Lane>
ExtremumKernels<Lane> extremum_kernels(Simd simd, Order order);

}  // namespace tamis::morphology_detail::cpu
