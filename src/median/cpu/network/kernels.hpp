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

}  // namespace tamis::median_detail::cpu
