// Runs programs of networks on vectors of pixels.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "median/cpu/network/program.hpp"

namespace tamis::median_detail::cpu {

/// Memory of a program: element e of space s is a row of lanes from at[s] + e pitch(s).
template <class K>
struct NetworkSpaces {
  static constexpr int kinds = space::rows + 1;
  K* const* at = nullptr;
  std::int64_t pitches[kinds] = {};  ///< in lanes; all rows have the same

  [[nodiscard]] std::int64_t pitch(int s) const { return pitches[s < space::rows ? s : space::rows]; }
  [[nodiscard]] K* element(const Operand& operand) const {
    return at[operand.space] + operand.element * pitch(operand.space) + operand.lane;
  }
};

template <class K>
struct NetworkKernels {
  /// Runs `program` on lanes 0 ... lanes-1, and on those up to the next whole vector.
  void (*run)(const Program& program, const NetworkSpaces<K>& spaces, std::int64_t lanes) = nullptr;
  /// Samples as phases: out[p pitch + i] = in[i phases + p] for all i from 0 to lanes-1; reads lanes * phases samples.
  void (*take_apart)(const K* in, std::int64_t lanes, int phases, K* out, std::int64_t pitch) = nullptr;
  /// Phases as samples: the other way.
  void (*put_together)(const K* in, std::int64_t pitch, std::int64_t lanes, int phases, K* out) = nullptr;
};

template <class K>
[[nodiscard]] NetworkKernels<K> network_kernels(Simd simd);

// Medians of small squares and cubes by networks that stay in registers and on the stack: tiles two results high. What
// programs (program.hpp) do step by step is here one function for each size, so that no step costs a call and
// nothing that is not wanted is computed.

inline constexpr int square_tile_y = 2;
constexpr int square_tile_x(int size) { return size < 11 ? 2 : 4; }

/// What such kernels need; without a window if there are none for it.
[[nodiscard]] NetworkProgram square_program(const NetworkWindow& window);

/// Rows are phases, each sample all slices sorted, and nothing else; `made` is sorted columns, rows 1 ... size-1 of the
/// tile: each phase, then phases 0 and 1, 2 and 3, then all four.
template <class K>
struct SquareKernels {
  void (*columns)(const NetworkSpaces<K>& spaces, std::int64_t lanes) = nullptr;
  void (*tiles)(const NetworkSpaces<K>& spaces, std::int64_t lanes) = nullptr;
};

/// For windows that square_program() knows.
template <class K>
[[nodiscard]] SquareKernels<K> square_kernels(Simd simd, const NetworkWindow& window);

/// The kind of one of them as a single type, as macros cut their arguments at commas.
template <class K, int size_, int depth_>
struct SquareChoice {
  using Key = K;
  static constexpr int size = size_, depth = depth_;
};

/// One of them; each size, or a few, is a file of its own, as they take long to compile.
template <class K, int size, int depth>
[[nodiscard]] SquareKernels<K> square_kernels_of(Simd simd);

}  // namespace tamis::median_detail::cpu
