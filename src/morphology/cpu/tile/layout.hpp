// Which samples of which node a tile needs, and where they are kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "morphology/plan/spans.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::cpu {

// A pass as rows see it: all nodes of all its steps in one list, along the axes that a tile has.

/// Tiles advance along `outer`: rows of an image one by one, slices of a volume one by one. `inner` are the rows of a
/// slice; an image has one.
struct TileAxes {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  std::int64_t x = 1;
};

struct GraphTerm {
  int source = 0;
  TileAxes shift;
};

/// Reading a source: the rows that a consumer needs of it reach from `low` to `high` beside its own.
struct GraphEdge {
  int source = 0;
  TileAxes low;
  TileAxes high;
};

enum class NodeKind : std::uint8_t { Load, Unite, RunX, RunInner, RunOuter };

struct GraphNode {
  NodeKind kind = NodeKind::Load;
  Order order = Order::Min;
  /// Holds samples of the image only, the input or the result of a step: the border says what lies outside.
  bool interior = false;
  /// Its outer rows correspond one to one to rows of the image. Beyond the image the border says which of them stands
  /// for a row that is not there, so that none is made twice.
  bool outer_interior = false;
  /// Read once, by the next node, right after it is made: one outer row is kept.
  bool fleeting = false;
  Order reader = Order::Min;  ///< the step that reads it, whose neutral value lies outside
  std::int64_t length = 1;
  std::vector<GraphTerm> terms;
  std::vector<GraphEdge> edges;  ///< one for each source
};

/// Node 0 loads the image; the last one is the result of the pass.
struct PassGraph {
  Border::Kind border = Border::Kind::Neutral;
  TileAxes extent;  ///< of the image: rows or slices, rows of a slice, columns
  std::vector<GraphNode> nodes;
  /// Nodes first ... last whose rows can be made one after the other, each node's row right after the row it needs.
  struct Group {
    int first = 0;
    int last = 0;
  };
  std::vector<Group> groups;
  bool has_outer_runs = false;
};

/// rank 2: the pass works on slices of their own.
[[nodiscard]] PassGraph make_graph(std::span<const Step> pass, int rank, Border::Kind border, const Shape& shape);

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
