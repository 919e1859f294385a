// From distances to the size map: the descending recursion, in place, several steps a pass.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tamis/context.hpp>

#include "core/stage.hpp"
#include "granulometry/cpu/field.hpp"
#include "granulometry/plan.hpp"

namespace tamis::granulometry_detail {

// Numbers that change speed and nothing else, and where they were measured.

/// Measured on 2 cores of an AMD EPYC (Zen 4, 1 MiB L2 a core), 1024^3 foam; see NOTES.md of this folder.
struct RecursionTuning {
  std::int64_t stages = 16;       ///< steps of the recursion in one pass over the volume
  std::int64_t strip_rows = 160;  ///< rows of a strip, whole blocks; what is in flight stays near the core
};

/// Strips are what threads share: where the usual ones would be fewer than two a thread they get lower, and with them
/// the passes shorter. At 256^3 on 2 cores that is worth a third of the time.
inline RecursionTuning recursion_tuning(std::int64_t rows, std::int64_t threads) {
  const RecursionTuning usual;
  if (rows >= 2 * threads * usual.strip_rows) return usual;
  return {8, std::max<std::int64_t>(72, (rows / (2 * threads) + 7) / 8 * 8)};
}

}  // namespace tamis::granulometry_detail

namespace tamis::granulometry_detail::cpu {

// The arithmetic of the recursion on one strip; recursion.cpp says in what order strips are marched through.

/// One stage on one slice of a strip, whole blocks of rows. A march works through the blocks of all its stages
/// together, for what one stage writes the next one reads, a block later. Index 0, 1, 2 of `above` and `below` are
/// slices z-1, z, z+1.
template <class Lane>
struct SliceStep {
  std::int64_t stride = 0;         ///< of all rows
  Lane* centre = nullptr;          ///< first row, updated in place
  const Lane* next = nullptr;      ///< first row at z+1
  const Lane* previous = nullptr;  ///< first row at z-1, state before the stage
  Lane* saved = nullptr;           ///< receives the state before the stage; the cross lets it be `previous`
  const Lane* above[3] = {};       ///< the row before the first
  const Lane* below[3] = {};       ///< the row after the last
  std::int64_t prefetch = 0;       ///< lanes from `next` to rows that will soon be wanted; 0: none
  const Lane* peaks = nullptr;     ///< of the first block
  std::int64_t peak_stride = 0;
  std::uint64_t* stale = nullptr;  ///< per block: lines of `saved` that are not zero
  Lane* scratch = nullptr;         ///< cube: rows of zeros with a line of zeros between
  std::int64_t lead = 0;           ///< blocks of the strip that fall outside before the first
  std::int64_t blocks = 0;
  std::int64_t lines = 0;
  Lane threshold = 0;
};

/// All stages of a pass at one place of the march through a strip, in order.
template <class Lane>
struct March {
  const SliceStep<Lane>* steps = nullptr;
  std::int64_t stages = 0;
  std::int64_t blocks = 0;  ///< of the strip
  bool tall = false;        ///< blocks of tall_block_rows rows, otherwise of one
};

template <class Lane>
using MarchKernel = void (*)(const March<Lane>&);

/// The kernel of the cross, or of the cube.
template <class Lane>
MarchKernel<Lane> march_kernel(Simd simd, bool chessboard);

/// Passes over the volume and strips a pass: the units of the stage's progress.
template <class Lane>
std::int64_t recursion_tasks(const Field<Lane>& field, Lane largest, const RecursionTuning& tuning);

/// Bytes the recursion needs beside a field of `z` slices.
template <class Lane>
std::int64_t recursion_bytes(const Context& context, const Grid& grid, std::int64_t z, bool chessboard,
                             const RecursionTuning& tuning);

/// `field` holds distances D up to `largest` with their peaks; afterwards it holds the size map
/// T(x) = max { D(y) : |x - y| <= D(y) - 1 }.
template <class Lane>
void recursion(const Context& context, Field<Lane>& field, const SliceRange& slices, bool chessboard, Lane largest,
               Stage& stage, const RecursionTuning& tuning);

}  // namespace tamis::granulometry_detail::cpu
