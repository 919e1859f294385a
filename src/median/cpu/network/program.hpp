// Programs for selection in a box: lists of samples that are sorted and merged, the same for every pixel. Written once
// for a window, run on vectors of pixels (kernels.hpp).
//
// A tile of tx x ty results shares the core of their windows, which is sorted once; then the tile is halved until one
// result is left. Each half merges the columns or rows that all of its results see into the core, and drops what can no
// longer have the wanted rank (Adams 2021; Sugy 2025). A lane of a vector is a tile, so neighbours in a vector are tx
// samples apart, and samples lie by phases: phase p of lane i is column i tx + p.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace tamis::median_detail::cpu {

/// A box with all that matters for the choice of a network.
struct NetworkWindow {
  std::int64_t width = 1, height = 1, depth = 1;
  std::int64_t rank = 0;
  [[nodiscard]] std::int64_t count() const { return width * height * depth; }
  bool operator==(const NetworkWindow&) const = default;
};

/// Where elements of a list lie; a space is a number of elements, each a row of lanes.

namespace space {

inline constexpr int scratch = 0;  ///< of one group of lanes
inline constexpr int made = 1;     ///< what a program makes for others
inline constexpr int results = 2;  ///< of the tile, element oy tx + ox
inline constexpr int rows = 3;     ///< and after: rows of the image; for programs of a row its slices

}  // namespace space

struct Operand {
  int space = space::scratch;
  int element = 0;
  int lane = 0;  ///< the operand of lane i lies in lane i + lane
};

enum class Act { Sort, Merge, Select };

struct Instruction {
  Act act = Act::Sort;
  std::vector<Operand> inputs;  ///< Sort: an element each, at most `most_sorted`
  Operand a, b;                 ///< Merge, Select: sorted lists
  int a_count = 0, b_count = 0;
  /// Sort: all. Merge: outputs first ... end-1 are wanted, others may be anything; memory for all of them rounded up to
  /// merge_block(). Select: the output with index `first`.
  Operand out;
  int first = 0, end = 0;
};

inline constexpr int most_sorted = 16;  ///< by one instruction
inline constexpr int most_merged = 8;   ///< of each list, in registers

/// Merging takes the lists apart until pieces are small: log2 of the number of pieces.
[[nodiscard]] constexpr int merge_levels(int a_count, int b_count) {
  int levels = 0;
  const int longer = a_count > b_count ? a_count : b_count;
  while (((longer - 1) >> levels) + 1 > most_merged) ++levels;
  return levels;
}
[[nodiscard]] constexpr int merge_block(int a_count, int b_count) { return 1 << merge_levels(a_count, b_count); }

struct Program {
  std::vector<Instruction> instructions;
  int scratch_elements = 0;
  int made_elements = 0;
  [[nodiscard]] double cost() const;  ///< about cycles for a vector
};

/// A row of results, and the keys that a vector has.
struct NetworkRow {
  std::int64_t results = 2048;
  std::int64_t vector_keys = 64;
};

/// What runs `columns` and `tile`, or all.
enum class ProgramKernel {
  Instructions,  ///< one after the other (kernels.hpp)
  Square,        ///< a function for this size (kernels.hpp); they have no instructions
  Three,         ///< 3 x 3 (run.hpp); nothing else is used
};

struct NetworkProgram {
  NetworkWindow window;
  int tile_x = 1, tile_y = 1;
  ProgramKernel kernel = ProgramKernel::Instructions;
  int last_lane = 0;  ///< the highest `lane` of any operand
  /// For each row of samples: from `depth` slices of tile_x phases (or, where depth is 1, from its own first elements)
  /// to what tiles read of a row.
  Program row;
  Program columns;  ///< for each row of tiles: what neighbours share
  Program tile;
  /// About cycles for as many results as a vector has keys. Tiles of a row that do not fill their last vector cost
  /// more.
  [[nodiscard]] double cost_per_result(const NetworkRow& row_of_results) const;
};

/// Lanes in front of the first tile of a strip: columns that are left of its core.
inline constexpr std::int64_t strip_lead = 1;
/// Tiles that are made at a time, so that their lists stay in the cache: whole vectors, all strips of a row alike.
[[nodiscard]] std::int64_t strip_tiles(const NetworkProgram& program, const NetworkRow& row);

/// The network for a window; of several tiles the one that costs least.
[[nodiscard]] NetworkProgram network_program(const NetworkWindow& window, const NetworkRow& row = {});
/// With a tile of that size; powers of two, not larger than the window.
[[nodiscard]] NetworkProgram network_program(const NetworkWindow& window, int tile_x, int tile_y);

// Writes the instructions of a program: lists, their memory, and which of their elements are still wanted.

/// A sorted list of `seen` samples, of which `below` at the low end and some at the high end are dropped.
struct SortedList {
  Operand at;
  int count = 0;
  int below = 0;
  int seen = 0;
  int owned = -1;  ///< its scratch memory; -1: not to be given back
};

class ProgramWriter {
 public:
  ProgramWriter(Program& program, const NetworkWindow& window)
      : program_(program), total_(static_cast<int>(window.count())), rank_(static_cast<int>(window.rank)) {}

  /// All of the lists as one, in `made` memory if `keep`, else in scratch. A single list stays where it is.
  [[nodiscard]] SortedList united(std::vector<SortedList> lists, bool keep = false);
  /// The sample of the wanted rank in the lists, which have all of a window, into a result.
  void select(std::vector<SortedList> lists, int result);
  /// Gives back scratch memory.
  void release(const SortedList& list);
  /// Elements of `made` that are filled from elsewhere.
  [[nodiscard]] int reserve_made(int elements);

 private:
  /// Sorts those of the lists that are single samples.
  void sort_singles(std::vector<SortedList>& lists, bool keep);
  [[nodiscard]] SortedList merged(const SortedList& a, const SortedList& b, bool keep);
  /// Merges the shortest until `left` lists are left.
  void merge_shortest(std::vector<SortedList>& lists, std::size_t left, bool keep);
  [[nodiscard]] Operand take(int elements, bool keep);

  Program& program_;
  int total_, rank_;
  std::map<int, int> taken_;  ///< scratch memory in use: start, elements
};

}  // namespace tamis::median_detail::cpu
