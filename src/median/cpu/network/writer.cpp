#include "median/cpu/network/program.hpp"

#include <algorithm>
#include <utility>

namespace tamis::median_detail::cpu {

Operand ProgramWriter::take(int elements, bool keep) {
  if (keep) return {space::made, reserve_made(elements), 0};
  int start = 0;
  for (const auto& [other, length] : taken_) {
    if (other - start >= elements) break;
    start = other + length;
  }
  taken_[start] = elements;
  program_.scratch_elements = std::max(program_.scratch_elements, start + elements);
  return {space::scratch, start, 0};
}

int ProgramWriter::reserve_made(int elements) {
  return std::exchange(program_.made_elements, program_.made_elements + elements);
}

void ProgramWriter::release(const SortedList& list) {
  if (list.owned >= 0) taken_.erase(list.owned);
}

void ProgramWriter::sort_singles(std::vector<SortedList>& lists, bool keep) {
  const auto single = [](const SortedList& list) { return list.count == 1 && list.seen == 1; };
  const auto middle = std::stable_partition(lists.begin(), lists.end(), single);
  const auto singles = static_cast<int>(middle - lists.begin());
  if (singles < 2) return;
  const int pieces = (singles + most_sorted - 1) / most_sorted;
  std::vector<SortedList> sorted;
  int done = 0;
  for (int piece = 0; piece < pieces; ++piece) {
    const int end = singles * (piece + 1) / pieces;
    Instruction instruction;
    for (int i = done; i < end; ++i) instruction.inputs.push_back(lists[static_cast<std::size_t>(i)].at);
    const int count = end - done;
    instruction.end = count;
    const bool last = keep && count == static_cast<int>(lists.size());
    instruction.out = take(count, last);
    sorted.push_back({instruction.out, count, 0, count, last ? -1 : instruction.out.element});
    program_.instructions.push_back(std::move(instruction));
    done = end;
  }
  lists.erase(lists.begin(), middle);
  lists.insert(lists.end(), sorted.begin(), sorted.end());
}

SortedList ProgramWriter::merged(const SortedList& a, const SortedList& b, bool keep) {
  Instruction instruction;
  instruction.act = Act::Merge;
  const bool swap = a.count < b.count;
  const SortedList& longer = swap ? b : a;
  const SortedList& shorter = swap ? a : b;
  instruction.a = longer.at;
  instruction.a_count = longer.count;
  instruction.b = shorter.at;
  instruction.b_count = shorter.count;
  const int count = a.count + b.count;
  const int below = a.below + b.below;
  const int seen = a.seen + b.seen;
  // A sample with index i among those seen has in the end an index from i to i + (total - seen).
  const int lowest = std::max(0, rank_ - (total_ - seen));
  const int highest = std::min(seen - 1, rank_);
  instruction.first = std::clamp(lowest - below, 0, count - 1);
  instruction.end = std::clamp(highest - below + 1, instruction.first + 1, count);
  const int block = merge_block(longer.count, shorter.count);
  instruction.out = take((count + block - 1) / block * block, keep);
  SortedList out{instruction.out, instruction.end - instruction.first, below + instruction.first, seen,
                 keep ? -1 : instruction.out.element};
  out.at.element += instruction.first;
  program_.instructions.push_back(std::move(instruction));
  release(a);
  release(b);
  return out;
}

void ProgramWriter::merge_shortest(std::vector<SortedList>& lists, std::size_t left, bool keep) {
  const auto longer = [](const SortedList& a, const SortedList& b) { return a.count > b.count; };
  while (lists.size() > left) {
    std::stable_sort(lists.begin(), lists.end(), longer);
    const SortedList a = lists.back();
    lists.pop_back();
    const SortedList b = lists.back();
    lists.pop_back();
    lists.push_back(merged(b, a, keep && lists.empty()));
  }
}

SortedList ProgramWriter::united(std::vector<SortedList> lists, bool keep) {
  sort_singles(lists, keep);
  merge_shortest(lists, 1, keep);
  return lists.front();
}

void ProgramWriter::select(std::vector<SortedList> lists, int result) {
  sort_singles(lists, false);
  merge_shortest(lists, 2, false);
  Instruction instruction;
  instruction.act = Act::Select;
  instruction.out = {space::results, result, 0};
  int below = 0;
  if (lists.size() == 2 && lists[0].count < lists[1].count) std::swap(lists[0], lists[1]);
  instruction.a = lists[0].at;
  instruction.a_count = lists[0].count;
  below += lists[0].below;
  if (lists.size() == 2) {
    instruction.b = lists[1].at;
    instruction.b_count = lists[1].count;
    below += lists[1].below;
  }
  instruction.first = rank_ - below;
  instruction.end = instruction.first + 1;
  program_.instructions.push_back(std::move(instruction));
  for (const SortedList& list : lists) release(list);
}

}  // namespace tamis::median_detail::cpu
