// Morard, Dokladal and Decenciere (2011): a stack of cords.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "papers/karas/cpu/job.hpp"

namespace tamis::karas::cpu {

/// A stretch of samples no lower than `value` that began at `start` and goes on; those below it in the stack are lower
/// and longer. `passed`: a cord within it was long enough, so it is.
template <class Lane>
struct Cord {
  Lane value{};
  std::int64_t start = 0;
  bool passed = false;
};

template <class Lane>
class Morard {
 public:
  void open(const LineJob<Lane>& job) {
    stack_.clear();
    std::int64_t written = 0;  // samples before this one are
    for (std::int64_t p = 0; p <= job.count; ++p) {
      const bool end = p == job.count;
      Cord<Lane> fresh{end ? job.lowest : job.in[p], p, false};
      while (!stack_.empty() && (end || stack_.back().value > fresh.value)) {
        const Cord<Lane> cord = stack_.back();
        stack_.pop_back();
        fresh.start = cord.start;
        if (!cord.passed && !job.is_long(cord.start, p)) continue;
        write(job, cord, written, p);
        written = p;
        fresh.passed = true;
        if (!stack_.empty()) stack_.back().passed = true;
      }
      if (!end && (stack_.empty() || stack_.back().value < fresh.value)) stack_.push_back(fresh);
    }
    std::fill(job.out + written, job.out + job.count, job.lowest);
  }

 private:
  /// Samples written ... p - 1: the cord's, and before it those of the cords below, which contain it. What was higher
  /// there was too short.
  void write(const LineJob<Lane>& job, const Cord<Lane>& cord, std::int64_t written, std::int64_t p) const {
    const Cord<Lane>* now = &cord;
    for (auto below = stack_.rbegin();; ++below) {
      const std::int64_t from = std::max(now->start, written);
      std::fill(job.out + from, job.out + p, now->value);
      p = from;
      if (p == written) return;
      now = &*below;
    }
  }

  std::vector<Cord<Lane>> stack_;
};

}  // namespace tamis::karas::cpu
