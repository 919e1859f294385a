#include "morphology/cpu/tile/layout.hpp"

#include <algorithm>

namespace tamis::morphology_detail::cpu {
namespace {

TileAxes on_tile(const Offset& offset, int rank) {
  if (rank == 3) return {offset.z, offset.y, offset.x};
  return {offset.y, 0, offset.x};
}

NodeKind kind_of(const Node& node, int rank) {
  if (node.length == 1) return NodeKind::Unite;
  if (node.axis == Axis::X) return NodeKind::RunX;
  const bool outer = rank == 3 ? node.axis == Axis::Z : node.axis == Axis::Y;
  return outer ? NodeKind::RunOuter : NodeKind::RunInner;
}

void add_edge(GraphNode& node, const GraphTerm& term) {
  TileAxes high = term.shift;
  if (node.kind == NodeKind::RunOuter) high.outer += node.length - 1;
  if (node.kind == NodeKind::RunInner) high.inner += node.length - 1;
  if (node.kind == NodeKind::RunX) high.x += node.length - 1;
  for (GraphEdge& edge : node.edges) {
    if (edge.source != term.source) continue;
    const TileAxes& low = term.shift;
    edge.low = {std::min(edge.low.outer, low.outer), std::min(edge.low.inner, low.inner), std::min(edge.low.x, low.x)};
    edge.high = {std::max(edge.high.outer, high.outer), std::max(edge.high.inner, high.inner),
                 std::max(edge.high.x, high.x)};
    return;
  }
  node.edges.push_back({term.source, term.shift, high});
}

/// Only the outer row itself is read.
bool same_rows(const GraphEdge& edge) { return edge.low.outer == 0 && edge.high.outer == 0; }

/// A row can follow the rows of its sources at once if those are the same rows.
bool follows_at_once(const GraphNode& node, int first_of_group) {
  if (node.kind == NodeKind::RunOuter) return false;
  return std::all_of(node.edges.begin(), node.edges.end(),
                     [&](const GraphEdge& edge) { return edge.source < first_of_group || same_rows(edge); });
}

void add_step(PassGraph& graph, const Step& step, int rank) {
  const int input = static_cast<int>(graph.nodes.size()) - 1;
  graph.nodes.back().interior = true;
  graph.nodes.back().outer_interior = true;
  graph.nodes.back().reader = step.order;
  for (const Node& node : step.program.nodes) {
    GraphNode added;
    added.kind = kind_of(node, rank);
    added.order = step.order;
    added.reader = step.order;
    added.length = node.length;
    for (const Term& term : node.terms) {
      const int source = term.source == program_input ? input : input + 1 + term.source;
      added.terms.push_back({source, on_tile(term.shift, rank)});
      add_edge(added, added.terms.back());
    }
    added.outer_interior =
        added.kind != NodeKind::RunOuter &&
        std::all_of(added.edges.begin(), added.edges.end(), [&](const GraphEdge& edge) {
          return same_rows(edge) && graph.nodes[static_cast<std::size_t>(edge.source)].outer_interior;
        });
    graph.nodes.push_back(std::move(added));
  }
}

/// Nodes that only one node of their own group reads, and results, which are written as they are made.
void find_fleeting(PassGraph& graph) {
  graph.nodes.back().fleeting = graph.nodes.back().kind != NodeKind::RunOuter;
  std::vector<int> readers(graph.nodes.size(), 0);
  for (const GraphNode& node : graph.nodes) {
    for (const GraphEdge& edge : node.edges) ++readers[static_cast<std::size_t>(edge.source)];
  }
  for (const PassGraph::Group& group : graph.groups) {
    for (int i = group.first; i <= group.last; ++i) {
      for (const GraphEdge& edge : graph.nodes[static_cast<std::size_t>(i)].edges) {
        const auto source = static_cast<std::size_t>(edge.source);
        const bool once = readers[source] == 1 && edge.source >= group.first && same_rows(edge);
        // A node beyond the image may read a row again.
        const bool same = graph.nodes[source].outer_interior == graph.nodes[static_cast<std::size_t>(i)].outer_interior;
        graph.nodes[source].fleeting = once && same;
      }
    }
  }
}

}  // namespace

PassGraph make_graph(std::span<const Step> pass, int rank, Border::Kind border, const Shape& shape) {
  PassGraph graph;
  graph.border = border;
  graph.extent = rank == 3 ? TileAxes{shape.z, shape.y, shape.x} : TileAxes{shape.y, 1, shape.x};
  graph.nodes.emplace_back();
  for (const Step& step : pass) add_step(graph, step, rank);
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const GraphNode& node = graph.nodes[static_cast<std::size_t>(i)];
    graph.has_outer_runs = graph.has_outer_runs || node.kind == NodeKind::RunOuter;
    const bool open = !graph.groups.empty() &&
                      graph.nodes[static_cast<std::size_t>(graph.groups.back().first)].kind != NodeKind::RunOuter;
    if (open && follows_at_once(node, graph.groups.back().first)) {
      graph.groups.back().last = i;
    } else {
      graph.groups.push_back({i, i});
    }
  }
  find_fleeting(graph);
  return graph;
}

}  // namespace tamis::morphology_detail::cpu
