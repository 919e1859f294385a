// How an extremum over a set of offsets is computed: a short program of extrema over few samples each, exact for any
// input. What the border is and whether minima or maxima are taken does not matter here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tamis/element.hpp>

namespace tamis::morphology_detail {

enum class Axis : std::uint8_t { Z, Y, X };

/// The component of an offset along an axis.
inline std::int64_t& along(Offset& offset, Axis axis) {
  return axis == Axis::Z ? offset.z : axis == Axis::Y ? offset.y : offset.x;
}
inline std::int64_t along(const Offset& offset, Axis axis) {
  return axis == Axis::Z ? offset.z : axis == Axis::Y ? offset.y : offset.x;
}

inline constexpr int program_input = -1;

/// Sample p of a source, read at p + shift.
struct Term {
  int source = program_input;  ///< an earlier node, or the input
  Offset shift;
  bool operator==(const Term&) const = default;
};

/// length 1: extremum of its terms. length > 1: its only term's extremum over `length` samples from p on along `axis`;
/// along y and z such a term has no shift in x, so that rows of bits need not be moved.
struct Node {
  std::vector<Term> terms;
  Axis axis = Axis::X;
  std::int64_t length = 1;
  bool operator==(const Node&) const = default;
};

/// The last node is the result. Without nodes the result is the input.
struct Program {
  std::vector<Node> nodes;
  bool operator==(const Program&) const = default;
};

/// The offsets s such that the result at p is the extremum of the input at p + s.
[[nodiscard]] OffsetSet covered(const Program& program);

/// Row operations a result needs, about.
[[nodiscard]] double cost(const Program& program);

/// The cheapest program known for a set. x_last puts runs along x behind those along y and z, where there is a choice.
[[nodiscard]] Program make_program(const OffsetSet& set, bool x_last = false);

/// "run x 5, run y 5", "12 nodes, 61 terms".
[[nodiscard]] std::string describe(const Program& program);

// Programs for segments.

/// For a set with one offset at each of n coordinates in a row along an axis, as digital segments have. A straight
/// digital line holds few different pieces of a length (at most one more than the length, and some come often), so the
/// whole is covered by a few displaced copies of one piece, and that piece by copies of a shorter one. Nothing for
/// other sets and for segments of few or very many offsets. Time O(n^2).
[[nodiscard]] std::optional<Program> try_chain(const OffsetSet& set);

}  // namespace tamis::morphology_detail
