// The arithmetic of the recursion on one strip; recursion.cpp says in what order strips are marched through.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "granulometry/cpu/field.hpp"

namespace tamis::granulometry_detail::cpu {

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

}  // namespace tamis::granulometry_detail::cpu
