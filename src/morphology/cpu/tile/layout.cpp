#include "morphology/cpu/tile/layout.hpp"

#include <algorithm>

#include "morphology/cpu/tile/extremum_kernels.hpp"

namespace tamis::morphology_detail::cpu {
namespace {

std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  const std::int64_t rest = value % unit;
  return value - (rest < 0 ? rest + unit : rest);
}
std::int64_t ceil_to(std::int64_t value, std::int64_t unit) { return floor_to(value + unit - 1, unit); }

/// Backwards from the result: what each node has to hold along inner and x.
void spread_inner_and_x(const PassGraph& graph, const TileSpans& tile, std::int64_t unit, TileLayout& layout) {
  layout.nodes.back().inner = tile.inner;
  layout.nodes.back().x_read = tile.x;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const GraphNode& node = graph.nodes[i];
    NodeLayout& own = layout.nodes[i];
    own.x = own.x_read;
    if (node.interior) {
      own.inner = mapped(own.inner, graph.extent.inner, graph.border);
      own.x = mapped(own.x_read, graph.extent.x, graph.border);
    }
    if (own.inner.empty() || own.x.empty()) continue;
    own.x = {floor_to(own.x.low, unit), ceil_to(own.x.high, unit)};
    for (const GraphEdge& edge : node.edges) {
      NodeLayout& source = layout.nodes[static_cast<std::size_t>(edge.source)];
      source.inner = source.inner.joined({own.inner.low + edge.low.inner, own.inner.high + edge.high.inner});
      source.x_read = source.x_read.joined({own.x.low + edge.low.x, own.x.high + edge.high.x});
    }
  }
}

/// What a later batch reads again stays needed; what an earlier one has made is there. Then rows leave in the order in
/// which they came, and a ring can hold them. `need` is one node's, by batch; returns the rows of the ring.
std::int64_t settle(std::vector<Span>& need) {
  Span after;
  for (std::size_t b = need.size(); b-- > 0;) {
    if (need[b].empty()) continue;
    if (!after.empty()) need[b].low = std::min(need[b].low, after.low);
    after = need[b];
  }
  std::int64_t capacity = 0;
  Span before;
  for (Span& span : need) {
    if (span.empty()) continue;
    if (!before.empty()) span.high = std::max(span.high, before.high);
    before = span;
    capacity = std::max(capacity, span.size());
  }
  return capacity;
}

/// Backwards from the result: which outer rows each node makes and keeps in each batch.
void spread_outer(const PassGraph& graph, Span result, TileLayout& layout) {
  const std::size_t count = graph.nodes.size();
  const auto batches = static_cast<std::size_t>(layout.batches);
  std::vector<std::vector<Span>> need(count, std::vector<Span>(batches));
  for (std::size_t b = 0; b < batches; ++b) {
    const std::int64_t from = result.low + static_cast<std::int64_t>(b) * layout.batch;
    need.back()[b] = {from, std::min(from + layout.batch, result.high)};
  }
  layout.need.resize(batches * count);
  for (std::size_t i = count; i-- > 0;) {
    const GraphNode& node = graph.nodes[i];
    if (node.outer_interior) {
      for (Span& span : need[i]) span = mapped(span, graph.extent.outer, graph.border);
    }
    if (layout.nodes[i].plane() == 0) std::fill(need[i].begin(), need[i].end(), Span{});
    const std::int64_t kept = settle(need[i]);
    layout.nodes[i].capacity = node.fleeting ? std::min<std::int64_t>(kept, 1) : kept;
    Span before;
    for (std::size_t b = 0; b < batches; ++b) {
      const Span& now = need[i][b];
      layout.need[b * count + i] = now;
      if (now.empty()) continue;
      const Span fresh{before.empty() ? now.low : std::max(now.low, before.high), now.high};
      before = now;
      if (fresh.empty()) continue;
      for (const GraphEdge& edge : node.edges) {
        Span& source = need[static_cast<std::size_t>(edge.source)][b];
        source = source.joined({fresh.low + edge.low.outer, fresh.high + edge.high.outer});
      }
    }
  }
}

}  // namespace

TileLayout make_layout(const PassGraph& graph, const TileSpans& tile, std::int64_t batch, std::int64_t lane_bytes,
                       std::int64_t samples_a_lane) {
  TileLayout layout;
  const std::size_t count = graph.nodes.size();
  layout.nodes.resize(count);
  layout.batch = batch;
  layout.batches = (tile.outer.size() + batch - 1) / batch;
  spread_inner_and_x(graph, tile, samples_a_lane, layout);
  const std::int64_t vector_lanes = 64 / lane_bytes;
  for (NodeLayout& node : layout.nodes) {
    if (node.inner.empty() || node.x.empty()) {
      node.inner = {};
      continue;
    }
    const Span all = node.x.joined(node.x_read);
    // What is made starts at a vector.
    const std::int64_t before = ceil_to(node.x.low - all.low, vector_lanes * samples_a_lane);
    node.x_start = node.x.low - before;
    const std::int64_t lanes = (all.high - node.x_start + samples_a_lane - 1) / samples_a_lane;
    // One vector more than a multiple of many keeps rows from meeting in the same sets of a cache.
    node.stride = ceil_to(lanes + 1, 4 * vector_lanes) + vector_lanes;
  }
  spread_outer(graph, tile.outer, layout);
  for (std::size_t i = 0; i < count; ++i) {
    NodeLayout& node = layout.nodes[i];
    node.offset = layout.lanes;
    layout.lanes += node.capacity * node.plane();
    layout.widest_row = std::max(layout.widest_row, node.stride);
    const GraphNode& graph_node = graph.nodes[i];
    if (graph_node.kind == NodeKind::RunInner) {
      layout.most_rows_in = std::max(layout.most_rows_in, node.inner.size() + graph_node.length);
    }
    if (graph_node.kind == NodeKind::RunOuter) {
      // A ring that is filled from scratch is filled at once.
      layout.most_rows_in = std::max(layout.most_rows_in, node.capacity + graph_node.length);
    }
  }
  layout.lanes += over_read / lane_bytes;
  return layout;
}

}  // namespace tamis::morphology_detail::cpu
