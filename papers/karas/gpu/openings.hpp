// The openings of Karas et al. (2015) along one stretch of one line, sample by sample: algorithm 1 (Morard) and
// algorithm 2 (Bartovsky). The listings leave "process S" and "process Q" out; this is what makes them the opening by
// segments of `length` samples: a chord, the samples around one where the signal is at least v, keeps the value v
// if it is that long. Where a chord ends at a border, the segments that reach out there make it longer by `before` or
// `after` samples.
#pragma once

#include "papers/karas/gpu/store.hpp"

namespace tamis::karas::gpu {

/// A line, or a zone's part of it: positions begin ... end-1.
struct Stretch {
  int begin = 0, end = 0;
  int before = 0, after = 0;
};

/// The queue holds what is left of the signal in a window of `length` samples: plateaus, each with its last position.
/// A peak that ends too soon is cut down to the higher one of its sides; one that has passed stays, so that a plateau
/// behind a higher one has passed too. `length` samples later a sample is what it will be.
template <class Queue>
class Bartovsky {
 public:
  KARAS_DEVICE Bartovsky(const Queue& queue, const Stretch& line, int length)
      : queue_(queue), length_(length), start_(line.begin - line.before) {}

  /// The next sample. Chords that end before it end at `reach`.
  KARAS_DEVICE void take(int value, int position, int reach) {
    while (queue_.count() > 0) {
      const Node back = queue_.back();
      if (value > back.value) break;
      if (value == back.value) return queue_.set_back({value, position});
      const bool alone = queue_.count() == 1;
      const Node before = alone ? Node{-1, start_ - 1} : queue_.before();
      if (before.value > back.value || reach - before.position - 1 >= length_) break;
      if (before.value < value) return queue_.set_back({value, position});
      queue_.pop_back();
      queue_.set_back({before.value, position - 1});
    }
    queue_.push({value, position});
  }
  /// What follows the last sample is below all of them.
  KARAS_DEVICE void end(const Stretch& line) { take(0, line.end, line.end + line.after); }

  /// The opening at a position; in order, from the first one on, each `length` samples later.
  KARAS_DEVICE int emit(int position) {
    const Node front = queue_.front();
    if (front.position == position) {
      start_ = position + 1;
      queue_.pop_front();
    }
    return front.value;
  }

 private:
  Queue queue_;
  int length_;
  int start_;  ///< of the first plateau
};

/// The stack holds the chords that have not ended, each inside the one below it: value and first position. One that is
/// long enough makes all below it long enough, and everything up to here is written. The paper's flag says that a chord
/// has passed; it has if it began before what was written last.
template <class Stack>
class Morard {
 public:
  KARAS_DEVICE Morard(const Stack& stack, const Stretch& line, int length)
      : stack_(stack), line_(line), length_(length), written_(line.begin) {}

  template <class Write>
  KARAS_DEVICE void take(int value, int position, const Write& write) {
    int start = position;
    while (stack_.count() > 0) {
      const Node top = stack_.top();
      if (value == top.value) return;
      if (value > top.value) break;
      stack_.pop();
      start = top.position;
      if (passes(top, position)) flush(top, position, write);
    }
    stack_.push({value, start});
  }

  template <class Write>
  KARAS_DEVICE void end(const Write& write) {
    while (stack_.count() > 0 && written_ < line_.end) {
      const Node top = stack_.top();
      stack_.pop();
      if (passes(top, line_.end + line_.after)) flush(top, line_.end, write);
    }
    for (; written_ < line_.end; ++written_) write(written_, 0);  // no segment fits
  }

 private:
  [[nodiscard]] KARAS_DEVICE bool passes(const Node& node, int reach) const {
    const int start = node.position == line_.begin ? line_.begin - line_.before : node.position;
    return node.position < written_ || reach - start >= length_;
  }

  template <class Write>
  KARAS_DEVICE void flush(Node node, int end, const Write& write) {
    int high = end;
    for (int below = stack_.count() - 1;; --below) {
      const int low = node.position > written_ ? node.position : written_;
      for (int position = low; position < high; ++position) write(position, node.value);
      high = low;
      if (low == written_) break;
      node = stack_.at(below);
    }
    written_ = end;
  }

  Stack stack_;
  Stretch line_;
  int length_;
  int written_;  ///< everything before
};

}  // namespace tamis::karas::gpu
