// A band of a reconstruction on the CPU: its scans, its queue, what it takes over from the bands beside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/stage.hpp"

namespace tamis::morphology_detail::cpu {

/// An array of cells with a frame of zeros, so that every cell has all its neighbours. Bands are cut along `outer`.
struct FrameShape {
  std::int64_t outer = 1, inner = 1, x = 1;  ///< without the frame
  std::int64_t inner_frame = 0;              ///< 1: a volume
  std::int64_t period = 0;                   ///< of images one after the other along `outer`: every such row is zeros

  [[nodiscard]] std::int64_t pitch() const { return x + 2; }
  [[nodiscard]] std::int64_t plane() const { return (inner + 2 * inner_frame) * pitch(); }
  [[nodiscard]] std::int64_t cells() const { return (outer + 2) * plane(); }
  /// Cells of the image in these planes.
  [[nodiscard]] std::int64_t samples(std::int64_t first, std::int64_t last) const {
    const std::int64_t zeros = period > 0 ? last / period - first / period : 0;
    return (last - first - zeros) * inner * x;
  }
  /// Address of a row's first cell; outer is -1 ... outer.
  [[nodiscard]] std::int64_t row(std::int64_t at_outer, std::int64_t at_inner) const {
    return (at_outer + 1) * plane() + (at_inner + inner_frame) * pitch() + 1;
  }
};

template <class Cell>
struct BandTask {
  FrameShape frame;
  bool full = true;
  Cell* j = nullptr;        ///< what rises
  const Cell* i = nullptr;  ///< how far

  /// Rows that come before a row in order of address and touch it, as distances.
  [[nodiscard]] std::vector<std::int64_t> earlier_rows() const {
    const std::int64_t plane = frame.plane();
    const std::int64_t pitch = frame.pitch();
    if (frame.inner_frame == 0) return {-plane};
    if (!full) return {-plane, -pitch};
    return {-plane - pitch, -plane, -plane + pitch, -pitch};
  }
};

template <class Cell>
class Band {
 public:
  bool awake = true;
  bool low_edge_rose = false, high_edge_rose = false;  ///< when it was last settled

  Band(const BandTask<Cell>& work, std::int64_t first, std::int64_t last)
      : work_(work),
        first_(first),
        last_(last),
        begin_(work.frame.row(first, 0)),
        end_(work.frame.row(last, 0)),
        earlier_(work.earlier_rows()) {
    for (const std::int64_t row : earlier_) {
      for (std::int64_t x = work_.full ? -1 : 0; x <= (work_.full ? 1 : 0); ++x) neighbours_.push_back(row + x);
    }
    neighbours_.push_back(-1);
    const std::size_t half = neighbours_.size();
    for (std::size_t n = 0; n < half; ++n) neighbours_.push_back(-neighbours_[n]);
  }

  /// Where nothing is marked there is nothing to do until something comes from beside.
  void look() {
    marked_ = std::any_of(work_.j + begin_, work_.j + end_, [](Cell cell) { return cell != 0; });
    awake = marked_;
  }

  /// Until nothing in it rises any more, with what lies beside it as it is. Throws Cancelled.
  void settle(Stage& stage) {
    low_edge_rose = high_edge_rose = false;
    if (scanned_ || !marked_) {
      take_over(first_, -work_.frame.plane());
      take_over(last_ - 1, work_.frame.plane());
    }
    if (!scanned_) {
      scan_while_it_pays(stage);
      low_edge_rose = high_edge_rose = true;
    }
    scanned_ = true;
    spread(stage);
    awake = false;
  }

  /// What nothing has come to counts as done.
  void finish(Stage& stage) const {
    if (!scanned_) stage.advance(work_.frame.samples(first_, last_));
  }

 private:
  using Cells = std::vector<Cell>;

  /// most[x] = the largest of the rows at `row` + direction * earlier, and of their cells beside if all count.
  void gather(std::int64_t row, std::int64_t direction) {
    const std::int64_t n = work_.frame.x;
    const Cell* const j = work_.j;
    Cell* const most = most_.data();
    const Cell* first = j + row + direction * earlier_[0] - 1;
    std::copy(first, first + n + 2, column_.data());
    for (std::size_t e = 1; e < earlier_.size(); ++e) {
      const Cell* const from = j + row + direction * earlier_[e] - 1;
      Cell* const column = column_.data();
      for (std::int64_t x = 0; x < n + 2; ++x) column[x] = std::max(column[x], from[x]);
    }
    const Cell* const column = column_.data();
    if (work_.full) {
      for (std::int64_t x = 0; x < n; ++x) most[x] = std::max({column[x], column[x + 1], column[x + 2]});
    } else {
      std::copy(column + 1, column + 1 + n, most);
    }
  }

  /// A scan costs some nanoseconds a cell, a front in the queue a hundred and more: in noise a cell rises many times.
  void scan_while_it_pays(Stage& stage) {
    constexpr int most_scans = 16;
    constexpr std::int64_t worth = 64;
    column_.resize(static_cast<std::size_t>(work_.frame.x + 2));
    most_.resize(static_cast<std::size_t>(work_.frame.x));
    const std::int64_t cells = work_.frame.samples(first_, last_);
    std::int64_t before = cells;
    for (int i = 0; i < most_scans; ++i) {
      queue_.clear();
      scan(stage);
      const auto fronts = static_cast<std::int64_t>(queue_.size());
      if (fronts < cells / worth || fronts > before / 4 * 3) break;
      before = fronts;
    }
    column_ = most_ = {};
    stage.advance(cells);
  }

  void scan(Stage& stage) {
    const FrameShape& frame = work_.frame;
    const std::int64_t n = frame.x;
    Cell* const j = work_.j;
    const Cell* const i = work_.i;
    const Cell* const most = most_.data();
    for (std::int64_t outer = first_; outer < last_; ++outer) {
      for (std::int64_t inner = 0; inner < frame.inner; ++inner) {
        const std::int64_t row = frame.row(outer, inner);
        gather(row, 1);
        Cell before = 0;
        for (std::int64_t x = 0; x < n; ++x) {
          const Cell here = std::max(j[row + x], most[x]);
          j[row + x] = before = std::min(std::max(here, before), i[row + x]);
        }
        stage.advance(0);
      }
    }
    for (std::int64_t outer = last_; outer-- > first_;) {
      for (std::int64_t inner = frame.inner; inner-- > 0;) {
        const std::int64_t row = frame.row(outer, inner);
        gather(row, -1);
        Cell after = 0;
        for (std::int64_t x = n; x-- > 0;) {
          const Cell here = std::max(j[row + x], most[x]);
          j[row + x] = after = std::min(std::max(here, after), i[row + x]);
        }
        find_fronts(row);
        stage.advance(0);
      }
    }
  }

  /// Cells from which a later cell would rise.
  void find_fronts(std::int64_t row) {
    const std::int64_t n = work_.frame.x;
    const Cell* const j = work_.j + row;
    const Cell* const i = work_.i + row;
    constexpr Cell never = std::numeric_limits<Cell>::max();
    // The lowest of the later cells that may still rise.
    Cell* const lowest = column_.data();
    std::fill_n(lowest, n + 2, never);
    for (const std::int64_t earlier : earlier_) {
      if (-earlier + row >= end_) continue;  // the next band's matter
      const Cell* const later_j = j - earlier - 1;
      const Cell* const later_i = i - earlier - 1;
      for (std::int64_t x = 0; x < n + 2; ++x) {
        const Cell open = later_j[x] < later_i[x] ? later_j[x] : never;
        lowest[x] = std::min(lowest[x], open);
      }
    }
    for (std::int64_t x = 0; x < n; ++x) {
      Cell least = lowest[x + 1];
      if (work_.full) least = std::min({lowest[x], least, lowest[x + 2]});
      const bool front = least < j[x] || (j[x + 1] < j[x] && j[x + 1] < i[x + 1]);
      if (front) queue_.push_back(row + x);
    }
  }

  /// What the plane beside plane `outer`, `beside` cells away, raises there.
  void take_over(std::int64_t outer, std::int64_t beside) {
    const FrameShape& frame = work_.frame;
    const std::int64_t side = work_.full ? frame.inner_frame : 0;
    const std::int64_t reach = work_.full ? 1 : 0;
    for (std::int64_t inner = 0; inner < frame.inner; ++inner) {
      const std::int64_t row = frame.row(outer, inner);
      for (std::int64_t p = row; p < row + frame.x; ++p) {
        if (work_.j[p] == work_.i[p]) continue;
        Cell most = 0;
        for (std::int64_t s = -side; s <= side; ++s) {
          const std::int64_t from = p + beside + s * frame.pitch();
          for (std::int64_t x = -reach; x <= reach; ++x) most = std::max(most, work_.j[from + x]);
        }
        raise(p, most);
      }
    }
  }

  void raise(std::int64_t p, Cell to) {
    Cell& here = work_.j[p];
    if (here >= to || here >= work_.i[p]) return;
    here = std::min(to, work_.i[p]);
    queue_.push_back(p);
    low_edge_rose = low_edge_rose || p < begin_ + work_.frame.plane();
    high_edge_rose = high_edge_rose || p >= end_ - work_.frame.plane();
  }

  void spread(Stage& stage) {
    constexpr std::size_t often = 1 << 16;
    std::vector<std::int64_t> wave;
    while (!queue_.empty()) {
      wave.swap(queue_);
      queue_.clear();
      for (std::size_t k = 0; k < wave.size(); ++k) {
        if (k % often == 0) stage.advance(0);
        const Cell here = work_.j[wave[k]];
        for (const std::int64_t by : neighbours_) {
          const std::int64_t q = wave[k] + by;
          if (q >= begin_ && q < end_) raise(q, here);
        }
      }
    }
  }

  BandTask<Cell> work_;
  std::int64_t first_, last_;  ///< planes
  std::int64_t begin_, end_;   ///< addresses; between them lie the band's cells and some of the frame
  std::vector<std::int64_t> earlier_;
  std::vector<std::int64_t> neighbours_;
  bool scanned_ = false;
  bool marked_ = true;  ///< otherwise all that it has comes from beside
  Cells column_, most_;
  std::vector<std::int64_t> queue_;  ///< cells that have risen, or fronts
};

}  // namespace tamis::morphology_detail::cpu
