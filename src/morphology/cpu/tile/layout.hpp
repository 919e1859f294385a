// Which samples of which node a tile needs, and where they are kept.
#pragma once

#include <cstdint>
#include <vector>

#include "morphology/cpu/tile/pass_graph.hpp"
#include "morphology/plan/spans.hpp"

namespace tamis::morphology_detail::cpu {

/// A part of the result: rows (slices) `outer`, rows of a slice `inner`, columns `x`.
struct TileSpans {
  Span outer;
  Span inner;
  Span x;
};

/// A node's samples in a tile: for each of the last `capacity` outer rows, its inner rows, each `stride` lanes apart.
struct NodeLayout {
  Span inner;                ///< rows that are made
  Span x;                    ///< samples that are made
  Span x_read;               ///< samples that are read: of an interior node beyond the image too
  std::int64_t x_start = 0;  ///< sample of a row's first lane
  std::int64_t stride = 0;   ///< lanes
  std::int64_t capacity = 0;
  std::int64_t offset = 0;  ///< lanes from the start of the tile's memory

  [[nodiscard]] std::int64_t plane() const { return stride * inner.size(); }
};

struct TileLayout {
  std::vector<NodeLayout> nodes;
  /// Outer rows of each node that have to be there before batch b of the result: need[b * nodes + node].
  std::vector<Span> need;
  std::int64_t batch = 1;
  std::int64_t batches = 0;
  std::int64_t lanes = 0;         ///< of all nodes
  std::int64_t widest_row = 0;    ///< lanes
  std::int64_t most_rows_in = 0;  ///< rows that a run reads at once
};

/// samples_a_lane: 64 for bits, whose rows start and end at words.
[[nodiscard]] TileLayout make_layout(const PassGraph& graph, const TileSpans& tile, std::int64_t batch,
                                     std::int64_t lane_bytes, std::int64_t samples_a_lane);

}  // namespace tamis::morphology_detail::cpu
