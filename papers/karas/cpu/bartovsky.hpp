// Bartovsky, Dokladal, Dokladalova and Bilodeau (2012): a queue from which peaks narrower than the segment are erased.
// The output follows the input by the length of the segment.
#pragma once

#include <cstdint>
#include <vector>

#include "papers/karas/cpu/job.hpp"

namespace tamis::karas::cpu {

template <class Lane>
class Bartovsky {
 public:
  void open(const LineJob<Lane>& job) {
    queue_.clear();
    front_ = 0;
    written_ = 0;
    for (std::int64_t p = 0; p < job.count; ++p) {
      take(job, job.in[p], p);
      if (p >= job.length) write(job, p - job.length + 1);
    }
    finish(job);
    write(job, job.count);
  }

 private:
  /// Samples of one value from `start` to the next zone. After the last zone that is settled, which nothing can lower
  /// any more, values rise.
  struct Zone {
    Lane value{};
    std::int64_t start = 0;
    bool settled = false;
  };

  [[nodiscard]] bool is_alone() const { return queue_.size() == front_ + 1; }

  void take(const LineJob<Lane>& job, Lane value, std::int64_t p) {
    while (queue_.size() > front_ && queue_.back().value > value) {
      Zone& peak = queue_.back();
      peak.settled = peak.settled || job.is_long(peak.start, p);
      if (peak.settled) {
        // What follows holds it, so that is long enough too.
        queue_.push_back({value, p, true});
        return;
      }
      if (is_alone() || queue_[queue_.size() - 2].value < value) {
        peak.value = value;
        return;
      }
      queue_.pop_back();
    }
    if (queue_.size() == front_ || queue_.back().value < value) queue_.push_back({value, p, false});
  }

  /// The line ends as if what is below everything followed.
  void finish(const LineJob<Lane>& job) {
    while (!queue_.back().settled && !job.is_long(queue_.back().start, job.count)) {
      if (is_alone()) {
        queue_.back().value = job.lowest;
        return;
      }
      queue_.pop_back();
    }
  }

  /// Samples before `end`.
  void write(const LineJob<Lane>& job, std::int64_t end) {
    for (; written_ < end; ++written_) {
      while (!is_alone() && queue_[front_ + 1].start <= written_) ++front_;
      job.out[written_] = queue_[front_].value;
    }
  }

  std::vector<Zone> queue_;
  std::size_t front_ = 0;
  std::int64_t written_ = 0;
};

}  // namespace tamis::karas::cpu
