// One thread's work on one tile after the other: rows are made in the order in which the result needs them, and kept
// as long as something reads them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <tamis/image.hpp>

#include "core/memory.hpp"
#include "core/stage.hpp"
#include "morphology/cpu/tile/extremum_kernels.hpp"
#include "morphology/cpu/tile/layout.hpp"
#include "morphology/cpu/tile/sample_lanes.hpp"

namespace tamis::morphology_detail::cpu {

/// What all tiles of a pass share.
template <class Sample>
struct SharedPass {
  using Lane = LaneOf<Sample>;

  PassGraph graph;
  std::array<ExtremumKernels<Lane>, 2> kernels;  ///< by Order
  SampleKernels samples;
  std::array<Lane, 2> outside;  ///< what a step of each Order sees outside: neutral values, or the constant
  Combine combine = Combine::Result;
  const Image* in = nullptr;
  const Image* image = nullptr;  ///< what `combine` subtracts from or with
  Image* out = nullptr;
  int rank = 2;
  std::int64_t batch = 1;
  bool stream = false;     ///< results go past the caches
  Stage* stage = nullptr;  ///< that hears of work, and is where a tile is cancelled
  std::atomic<bool> nan_found{false};
};

template <class Sample>
class Tile {
 public:
  using Lane = LaneOf<Sample>;
  explicit Tile(SharedPass<Sample>& shared) : shared_(shared) {}

  /// Makes the results of `spans`; of slice z if slices are images of their own. Throws Cancelled.
  void run(const TileSpans& spans, std::int64_t z);

 private:
  static constexpr std::int64_t unit = samples_a_lane<Lane>;

  void prepare(const TileSpans& spans);
  void run_group(const PassGraph::Group& group, const Span* need);
  void make_row(int index, std::int64_t outer);
  void load(std::int64_t outer);
  void unite(int index, std::int64_t outer);
  void run_x(int index, std::int64_t outer);
  void run_inner(int index, std::int64_t outer);
  void run_outer(int index, Span rows);
  /// After a row is made: what lies beside the image, or the way into the output.
  void finish(int index, std::int64_t outer, std::int64_t inner);
  void extend(int index, Lane* row) const;
  void write(std::int64_t outer, std::int64_t inner);
  /// A row of a node is made: now and then the stage hears of it. A tile alone may take minutes.
  void note_work(int index);

  [[nodiscard]] const GraphNode& node(int index) const { return shared_.graph.nodes[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const NodeLayout& layout(int index) const { return layout_.nodes[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const ExtremumKernels<Lane>& kernels(int index) const {
    return shared_.kernels[static_cast<std::size_t>(node(index).order)];
  }
  [[nodiscard]] bool is_result(int index) const { return index + 1 == static_cast<int>(shared_.graph.nodes.size()); }
  [[nodiscard]] std::int64_t lanes_of(int index) const { return layout(index).x.size() / unit; }
  /// First lane of a stored row.
  [[nodiscard]] Lane* stored(int index, std::int64_t outer, std::int64_t inner);
  /// Where a row is made: its sample x.low.
  [[nodiscard]] Lane* target(int index, std::int64_t outer, std::int64_t inner);
  /// A row to read, from sample x on; the border is applied.
  [[nodiscard]] RowSource<Lane> source(int index, std::int64_t outer, std::int64_t inner, std::int64_t x);
  [[nodiscard]] RowSource<Lane> source(const GraphTerm& term, int reader, std::int64_t outer, std::int64_t inner) {
    return source(term.source, outer + term.shift.outer, inner + term.shift.inner, layout(reader).x.low + term.shift.x);
  }
  template <class Pixel, class Some>
  [[nodiscard]] Pixel* image_row(Some& image, std::int64_t outer, std::int64_t inner) const {
    return shared_.rank == 3 ? image.template row<Pixel>(outer, inner) : image.template row<Pixel>(z_, outer);
  }

  SharedPass<Sample>& shared_;
  std::int64_t z_ = 0;
  TileSpans spans_;
  TileLayout layout_;
  std::int64_t rows_ahead_ = 1;  ///< rows that are asked for before they are needed
  bool direct_ = false;          ///< results are made where they belong
  Buffer<Lane> memory_;
  Buffer<Lane> scratch_{kernel_scratch_bytes / static_cast<std::int64_t>(sizeof(Lane))};
  std::array<Buffer<Lane>, 2> outside_;
  Buffer<Sample> samples_;
  std::vector<RowSource<Lane>> sources_;
  std::vector<const Lane*> rows_in_;
  std::vector<Lane*> rows_out_;
  std::int64_t work_done_ = 0;      ///< since the stage last heard of it: lanes read
  std::vector<std::int64_t> made_;  ///< by node: rows before this one have been made
};

}  // namespace tamis::morphology_detail::cpu
