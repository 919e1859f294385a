// One thread's work on a pass of boxes: down the rows of a slice, or of all slices at one place.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/memory.hpp"
#include "core/stage.hpp"
#include "morphology/cpu/box/run.hpp"
#include "morphology/cpu/tile/sample_lanes.hpp"
#include "morphology/plan/spans.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::cpu {

// The arithmetic of boxes on the CPU: extrema over runs of rows, and along blocks of rows.

/// Rows have at least this many bytes, so that a vector of any instruction set fits into them.
inline constexpr std::int64_t least_box_row_bytes = 64;

/// Windows of run_rows share at most so many rows; blocks of rows need not be longer.
inline constexpr std::int64_t most_window_results = 256;
/// Bytes of scratch that run_rows needs.
inline constexpr std::int64_t row_run_scratch_bytes = most_window_results * 256;

/// Rows of `stride` lanes, one after the other. Up to `over_read` (morphology/cpu/tile/extremum_kernels.hpp) and the
/// length of the run are read past the last.
template <class Lane>
struct RowBlock {
  const Lane* first = nullptr;
  std::int64_t stride = 0;
  std::int64_t rows = 0;
};

/// How a result gets to where it belongs. F32 only: Floats turns keys into numbers. Past the caches (Stream...): rows
/// are whole vectors of 64 bytes.
enum class BoxStore : std::uint8_t { Lanes, Floats, StreamLanes, StreamFloats };

/// Runs across rows.
template <class Sample>
struct RowKernels {
  using Lane = LaneOf<Sample>;
  /// out[r][i] = extremum of in[r][i] ... in[r + length - 1][i], r = 0 ... count-1. Nothing outside of the rows is read
  /// or written. next[r], where there is a `next`, are rows that will be read soon.
  void (*run_rows)(const Lane* const* in, Lane* const* out, std::int64_t count, std::int64_t length, std::int64_t lanes,
                   const Lane* const* next, Lane* scratch);
  /// The same from samples; returns whether there is NaN in what was read (the results are then of no use).
  bool (*run_sample_rows)(const Sample* const* in, Lane* const* out, std::int64_t count, std::int64_t length,
                          std::int64_t lanes, const Sample* const* next, Lane* scratch);
};
template <class Sample>
RowKernels<Sample> row_kernels(Simd simd, Order order);

/// out[r][i] = extremum of samples i ... i + length - 1 of row r of the block, r = 0 ... rows-1.
template <class Lane>
using AlongKernel = void (*)(const RowBlock<Lane>& block, std::int64_t length, void* const* out, std::int64_t lanes,
                             BoxStore store, Lane* scratch);
template <class Lane>
AlongKernel<Lane> along_kernel(Simd simd, Order order);
/// Lanes of scratch that it needs for runs of this length.
[[nodiscard]] std::int64_t run_along_scratch(std::int64_t length, std::int64_t lane_bytes);

/// Rows in memory, `pitch` bytes apart.
template <class Bytes>
struct RowsAt {
  Bytes* first = nullptr;
  std::int64_t pitch = 0;

  template <class T>
  [[nodiscard]] T* row(std::int64_t i) const {
    return reinterpret_cast<T*>(first + i * pitch);
  }
};

/// What all tasks of a pass share.
template <class Sample>
struct SharedBoxPass {
  using Lane = LaneOf<Sample>;

  BoxPass pass;
  Border::Kind border = Border::Kind::Neutral;
  std::array<RowKernels<Sample>, 2> across;  ///< by Order
  std::array<AlongKernel<Lane>, 2> along;
  std::array<Lane, 2> outside;        ///< what a step of each Order sees outside
  bool first = true;                  ///< reads samples, not lanes
  bool last = true;                   ///< writes samples, not lanes
  bool in_place = false;              ///< the input is where the output goes
  bool stream = false;                ///< results go past the caches
  Combine combine = Combine::Result;  ///< of the last pass
  std::int64_t block_bytes = 0;       ///< of the rows that are worked on at once
  Stage* stage = nullptr;
  std::atomic<bool> nan_found{false};
};

struct BoxRows {
  RowsAt<const std::byte> from;
  RowsAt<const std::byte> after;  ///< rows that will be read when those of `from` are done: of the next task, usually
  std::int64_t rows_after = 0;
  RowsAt<std::byte> to;
  RowsAt<const std::byte> image;  ///< for `combine`
  std::int64_t extent = 0;        ///< rows that there are
  std::int64_t width = 0;         ///< samples of a row
  Span rows;                      ///< that are made
};

/// Rows that are made at once, by a step across rows of this length: whole windows, as many as fit.
[[nodiscard]] std::int64_t box_block_rows(std::int64_t length, std::int64_t row_bytes, std::int64_t block_bytes);

template <class Sample>
class BoxSweep {
 public:
  explicit BoxSweep(SharedBoxPass<Sample>& shared) : shared_(shared) {}

  /// Throws Cancelled.
  void run(const BoxRows& task);

 private:
  using Lane = LaneOf<Sample>;

  /// A step: its runs across rows go to `block`, those along x from there to `kept`, or to the output.
  struct Level {
    const BoxStep* step = nullptr;
    bool direct = false;    ///< no runs along x: runs across rows make the result
    Span rows;              ///< that the task needs of it
    std::int64_t made = 0;  ///< rows before this one have been made
    std::int64_t block_rows = 1;
    std::int64_t stride = 0;     ///< of the block, lanes
    std::int64_t origin = 0;     ///< lane of a row of the block that is sample 0
    std::array<Lane*, 2> block;  ///< in place two take turns: results are written a block late
    std::int64_t kept_stride = 0;
    std::int64_t kept_rows = 0;  ///< a ring
    Lane* kept = nullptr;
    const Lane* outside = nullptr;  ///< a row of what lies outside of its input
  };

  void prepare(const BoxRows& task);
  void plan_rows();
  void take_memory();
  void make(std::size_t index, std::int64_t until);
  void run_rows(std::size_t index, Span rows);
  template <class Row>
  const Row* source(std::size_t index, std::int64_t row) const;
  template <class Row>
  const Row* const* sources(std::size_t index, Span rows, std::vector<const Row*>& list);
  void extend(const Level& level, Lane* block, std::int64_t rows) const;
  void run_along(std::size_t index, Span rows, const Lane* block);
  void write(Span rows, const Lane* block);
  void note_work(std::int64_t lanes);
  [[nodiscard]] bool is_last(std::size_t index) const { return index + 1 == levels_.size(); }

  SharedBoxPass<Sample>& shared_;
  BoxRows task_;
  std::vector<Level> levels_;
  Buffer<Lane> memory_;
  Buffer<Lane> scratch_;
  Buffer<Sample> samples_;  ///< results before they are combined
  Buffer<Sample> outside_samples_;
  std::vector<const Lane*> lane_rows_;
  std::vector<const Sample*> sample_rows_;
  std::vector<Lane*> rows_out_;
  std::vector<void*> results_;
  Span late_;  ///< rows of the last level whose runs along x are still to be done
  std::int64_t work_done_ = 0;
};

}  // namespace tamis::morphology_detail::cpu
