// Writes the instructions of a program: lists, their memory, and which of their elements are still wanted.
#pragma once

#include <map>
#include <vector>

#include "median/cpu/network/program.hpp"

namespace tamis::median_detail::cpu {

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
