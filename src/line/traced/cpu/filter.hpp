// A step, or two, along the traced lines of an image, strip by strip (strip.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/memory.hpp"
#include "line/traced/cpu/strip.hpp"
#include "line/traced/lines.hpp"

namespace tamis::line_detail::cpu {

/// Memory of a thread's own for a strip; it is handed on from strip to strip.
template <class Lane>
struct StripMemory {
  Buffer<Lane> rows;
  std::vector<Lane*> columns;
  Buffer<Lane> panel;
  Buffer<Lane> scratch;
};

template <class Sample>
class TracedFilter {
 public:
  using Lane = LaneOf<Sample>;

  /// `threads` will share the strips.
  TracedFilter(Simd simd, int threads, Along what, const TracedSegment& segment, const Shape& shape)
      : what_(what),
        segment_(segment),
        shape_(shape),
        lines_(trace_lines(segment.angle, shape)),
        strips_(strip_kernels<Sample>(simd)),
        walk_(walk_kernel<Lane>(simd, what)) {
    const bool erodes = what == Along::Erode || what == Along::Open;
    first_neutral_ = erodes ? highest_lane<Sample>() : lowest_lane<Sample>();
    second_neutral_ = erodes ? lowest_lane<Sample>() : highest_lane<Sample>();
    across_ = lines_.steep ? shape.x : shape.y;
    turn_upwards();
    choose_lanes(threads);
    make_mask();
  }

  /// Of one slice.
  [[nodiscard]] std::int64_t strips() const { return (lines_.last - lines_.first + lanes_) / lanes_; }

  /// Returns the samples of the image in the strip. Different strips write different samples.
  std::int64_t run_strip(const Image& in, Image& out, std::int64_t z, std::int64_t strip_index,
                         StripMemory<Lane>& memory) const {
    const std::int64_t line = lines_.first + strip_index * lanes_;
    Strip<Lane> strip;
    find_rows(strip, line);
    if (strip.count == 0) return 0;
    const StripWalk<Lane> walk = walk_of(strip);
    if (walk.last_start > walk.first_start) grow(memory.scratch, walk_scratch<Lane>(walk.length));
    make_room(strip, memory);
    const StripLines lines{lines_.shift.data(), places(), across_, first_at_.data()};
    const Lane fill = segment_.fit ? second_neutral_ : first_neutral_;
    (lines_.steep ? strips_.load_steep : strips_.load_shallow)(strip, lines, slice<const Sample>(in, z), fill);
    walk_(strip, walk, memory.scratch.data());
    (lines_.steep ? strips_.store_steep : strips_.store_shallow)(strip, lines, slice<Sample>(out, z));
    std::int64_t samples = 0;
    for (std::int64_t r = 0; r < strip.count; ++r) {
      const std::int64_t start = line - walk.shift[r];
      samples += std::min(start + lanes_, across_) - std::max<std::int64_t>(start, 0);
    }
    return samples;
  }

 private:
  static void grow(Buffer<Lane>& buffer, std::int64_t count) {
    if (buffer.size() < count) buffer = Buffer<Lane>(std::max(count, buffer.size() * 3 / 2));
  }
  static constexpr std::int64_t unit = strip_alignment / static_cast<std::int64_t>(sizeof(Lane));

  [[nodiscard]] std::int64_t places() const { return static_cast<std::int64_t>(lines_.shift.size()); }

  /// Shallow lines whose shifts fall are lines whose shifts grow in the image upside down.
  void turn_upwards() {
    if (lines_.steep) return;
    upside_down_ = lines_.shift.back() < 0;
    if (upside_down_) {
      for (std::int32_t& shift : lines_.shift) shift = -shift;
      lines_.first = 0;
      lines_.last = across_ - 1 + lines_.shift.back();
    }
    std::int32_t x = 0;
    for (std::int32_t t = 0; t <= lines_.shift.back(); ++t) {
      while (lines_.shift[static_cast<std::size_t>(x)] < t) ++x;
      first_at_.push_back(x);
    }
    first_at_.push_back(static_cast<std::int32_t>(places()));
  }

  /// As many lines as leave a strip in the L2, and every thread with several strips.
  void choose_lanes(int threads) {
    constexpr std::int64_t strip_bytes = 720 << 10;
    constexpr std::int64_t most_units = 4;
    constexpr std::int64_t strips_a_thread = 4;
    const std::int64_t total = lines_.last - lines_.first + 1;
    const std::int64_t fit = strip_bytes / (places() * strip_alignment) - 1;
    const std::int64_t share = total * shape_.z / (unit * strips_a_thread * threads);
    lanes_ = unit * std::clamp<std::int64_t>(std::min(fit, share), 1, most_units);
  }

  void make_mask() {
    if (segment_.fit || what_ == Along::Erode || what_ == Along::Dilate) return;
    mask_.assign(static_cast<std::size_t>(across_ + 2 * lanes_), second_neutral_);
    std::fill_n(mask_.begin() + lanes_, across_, first_neutral_);
  }

  /// Rows of a strip: places where at least one of its lines is in the image.
  void find_rows(Strip<Lane>& strip, std::int64_t line) const {
    const auto reaches = [&](std::int64_t k) {
      const std::int64_t start = line - lines_.shift[static_cast<std::size_t>(k)];
      return start > -lanes_ && start < across_;
    };
    strip.first_line = line;
    strip.lanes = lanes_;
    strip.stride = lanes_ + unit;
    strip.first_place = 0;
    std::int64_t end = places();
    while (strip.first_place < end && !reaches(strip.first_place)) ++strip.first_place;
    while (end > strip.first_place && !reaches(end - 1)) --end;
    strip.count = end - strip.first_place;
  }

  [[nodiscard]] StripWalk<Lane> walk_of(const Strip<Lane>& strip) const {
    StripWalk<Lane> walk;
    const bool mirrored = what_ == Along::Dilate || what_ == Along::Close;
    const std::int64_t after = segment_.length - 1 - segment_.origin;
    walk.before = mirrored ? after : segment_.origin;
    walk.length = segment_.length;
    walk.last_start = strip.count - segment_.length + 1;
    walk.first_neutral = first_neutral_;
    walk.second_neutral = second_neutral_;
    walk.shift = lines_.shift.data() + strip.first_place;
    walk.whole_last = strip.count;
    if (segment_.fit) return walk;  // what lies outside decides by its value
    // Nothing is seen farther than the ends.
    walk.before = std::min(walk.before, strip.count - 1);
    walk.length = walk.before + 1 + std::min(mirrored ? segment_.origin : after, strip.count - 1);
    walk.first_start = -walk.before;
    walk.last_start = strip.count - walk.before;
    if (mask_.empty()) return walk;  // one step: what lies outside is not written
    walk.outside = mask_.data() + lanes_ + strip.first_line;
    const auto whole = [&](std::int64_t r) {
      const std::int64_t start = strip.first_line - walk.shift[r];
      return start >= 0 && start + lanes_ <= across_;
    };
    while (walk.whole_first < strip.count && !whole(walk.whole_first)) ++walk.whole_first;
    while (walk.whole_last > walk.whole_first && !whole(walk.whole_last - 1)) --walk.whole_last;
    return walk;
  }

  template <class Some, class Picture>
  [[nodiscard]] Slice<Some> slice(Picture& image, std::int64_t z) const {
    const std::int64_t first = upside_down_ ? shape_.y - 1 : 0;
    const std::int64_t stride = image.row_bytes() / static_cast<std::int64_t>(sizeof(Some));
    return {image.template row<Some>(z, first), upside_down_ ? -stride : stride, shape_.x, shape_.y};
  }

  void make_room(Strip<Lane>& strip, StripMemory<Lane>& memory) const {
    strip.first_column = strip.first_place / unit * unit;
    strip.last_column = std::min((strip.first_place + strip.count + unit - 1) / unit * unit, places());
    if (places() >= unit) strip.first_column = std::min(strip.first_column, places() - unit);
    const std::int64_t rows = strip.last_column - strip.first_column;
    grow(memory.rows, strip.stride * rows + 2 * unit);
    Lane* const start = memory.rows.data() + unit;
    strip.rows = start + (strip.first_place - strip.first_column) * strip.stride;
    if (lines_.steep) return;
    grow(memory.panel, panel_lanes<Lane>(lanes_));
    memory.columns.resize(static_cast<std::size_t>(rows));
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t shift = lines_.shift[static_cast<std::size_t>(strip.first_column + r)];
      memory.columns[static_cast<std::size_t>(r)] = start + r * strip.stride + shift - strip.first_line;
    }
    strip.columns = memory.columns.data();
    strip.panel = memory.panel.data();
  }

  Along what_;
  TracedSegment segment_;
  Shape shape_;
  TracedLines lines_;
  StripKernels<Sample> strips_;
  WalkKernel<Lane> walk_;
  Lane first_neutral_{};
  Lane second_neutral_{};
  std::int64_t across_ = 0;
  std::int64_t lanes_ = 0;
  bool upside_down_ = false;
  std::vector<std::int32_t> first_at_;
  std::vector<Lane> mask_;
};

}  // namespace tamis::line_detail::cpu
