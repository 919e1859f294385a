// From squares of distances to those of the largest balls, in place, in device memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/balls/boxes.hpp"

namespace tamis::granulometry_detail::gpu::balls {

struct PaintTask {
  SquareRows<std::uint16_t> squares;
  const std::uint64_t* object = nullptr;  ///< bits of what is not 0
  WholeSides sides;
  bool flat = false;
  std::uint64_t largest = 0;  ///< of the squares
};

/// Keeps the memory of its lists from run to run.
class Painter {
 public:
  /// `on_step` is told when each step has been queued.
  explicit Painter(const cuda::Stream& stream, std::function<void(std::string_view step)> on_step = {})
      : stream_(stream), on_step_(std::move(on_step)), cursors_(stream, 1), host_(stream, 1) {}

  /// Waits for a sample and for the end, and again where lists turn out longer than the sample said. Throws OutOfMemory.
  void paint(const PaintTask& task);

  /// Boxes of the last run, or rather places for them.
  [[nodiscard]] std::int64_t boxes() const { return host_[0].boxes; }

  /// Bytes that lists of so many slices mostly take.
  [[nodiscard]] static std::int64_t bytes(const Shape& shape, std::int64_t slices);

 private:
  struct Sample {
    std::int64_t boxes = 0;
    bool dense = false;
  };
  [[nodiscard]] Sample take_sample(Selection selection);
  void set_tables(const PaintTask& task);
  void make_lists(Selection& selection);
  void paint_lists(Painting painting);
  [[nodiscard]] bool have_fitted();
  void make_room(std::int64_t boxes, std::int64_t segments_of_tile);
  [[nodiscard]] Lists lists() const;
  void read_cursors();

  void tell(std::string_view step) const {
    if (on_step_) on_step_(step);
  }

  const cuda::Stream& stream_;
  std::function<void(std::string_view)> on_step_;
  cuda::DeviceBuffer<Cursors> cursors_;
  cuda::PinnedBuffer<Cursors> host_;
  cuda::DeviceBuffer<std::uint32_t> inclusion_;
  DeviceInclusion tables_;
  std::optional<WholeSides> table_sides_;
  bool table_flat_ = false;
  std::uint64_t table_largest_ = 0;
  cuda::DeviceBuffer<Box> boxes_;
  cuda::DeviceBuffer<std::uint16_t> squares_;
  cuda::DeviceBuffer<std::uint32_t> order_;
  cuda::DeviceBuffer<std::uint8_t> patches_;
  cuda::DeviceBuffer<Segment> segments_;
  cuda::DeviceBuffer<std::uint32_t> counts_;
  std::int64_t segment_room_ = 64;
  std::int64_t tiles_ = 0;
};

}  // namespace tamis::granulometry_detail::gpu::balls
