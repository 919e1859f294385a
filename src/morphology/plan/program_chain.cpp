#include "morphology/plan/program.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tamis::morphology_detail {
namespace {

/// What a node costs beside its terms, as in cost().
constexpr double node_cost = 1.5;

/// The offsets in order along the axis that steps by one.
std::vector<Offset> points_of(const OffsetSet& set) {
  std::vector<Offset> points = set.offsets();
  for (const Axis axis : {Axis::X, Axis::Y, Axis::Z}) {
    if (along(set.box().high, axis) - along(set.box().low, axis) + 1 != static_cast<std::int64_t>(points.size())) {
      continue;
    }
    std::sort(points.begin(), points.end(),
              [axis](const Offset& a, const Offset& b) { return along(a, axis) < along(b, axis); });
    const auto repeats = std::adjacent_find(points.begin(), points.end(), [axis](const Offset& a, const Offset& b) {
      return along(a, axis) == along(b, axis);
    });
    if (repeats == points.end()) return points;
  }
  return {};
}

/// A part of the chain that a node holds: the points from `start` on.
struct Piece {
  int start = 0;
  int length = 1;
};
struct Copy {
  int piece = 0;
  int at = 0;
};
struct Pieces {
  static constexpr int most = 8;
  std::array<Piece, most> list{};
  int count = 1;

  void add(const Piece& piece) { list[static_cast<std::size_t>(count++)] = piece; }
};

/// Which parts of a chain look the same.
class Chain {
 public:
  explicit Chain(std::vector<Offset> points) : points_(std::move(points)) {
    const int n = size();
    // alike(i, j): how many steps from points i and j on are the same.
    alike_.assign(static_cast<std::size_t>(n + 1) * static_cast<std::size_t>(n + 1), 0);
    seen_.assign(static_cast<std::size_t>(n), 0);
    for (int i = n - 2; i >= 0; --i) {
      const Offset step = point(i + 1) - point(i);
      for (int j = n - 2; j >= 0; --j) {
        if (point(j + 1) - point(j) == step) alike(i, j) = static_cast<std::uint16_t>(alike(i + 1, j + 1) + 1);
        if (i < j) seen_[static_cast<std::size_t>(j)] = std::max(seen_[static_cast<std::size_t>(j)], alike(i, j));
      }
    }
  }

  [[nodiscard]] int size() const { return static_cast<int>(points_.size()); }
  [[nodiscard]] const Offset& point(int i) const { return points_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool has_copy(const Piece& piece, int at) const { return alike(piece.start, at) + 1 >= piece.length; }

  /// Calls take(piece) with the pieces of a length that come most often.
  template <class Take>
  void for_frequent(int length, Take take) {
    constexpr std::size_t most = 2;
    std::vector<std::pair<int, int>>& found = found_;
    found.clear();
    for (int i = 0; i + length <= size(); ++i) {
      if (seen_[static_cast<std::size_t>(i)] + 1 >= length) continue;
      int copies = 0;
      for (int j = i; j + length <= size(); ++j) copies += has_copy({i, length}, j) ? 1 : 0;
      found.emplace_back(-copies, i);
    }
    const std::size_t kept = std::min(most, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
    for (std::size_t k = 0; k < kept; ++k) take(Piece{found[k].second, length});
  }

  /// The fewest copies of pieces that cover a part of the chain, in order; the first piece is a point.
  template <class Take>
  void cover(const Piece& part, const Pieces& pieces, Take take) const {
    const int end = part.start + part.length;
    for (int next = part.start; next < end;) {
      Copy farthest{0, next};
      int reached = next + 1;
      for (int k = 1; k < pieces.count; ++k) {
        const Piece& piece = pieces.list[static_cast<std::size_t>(k)];
        const int last = std::min(next, end - piece.length);
        for (int at = last; at >= part.start && at + piece.length > reached; --at) {
          if (!has_copy(piece, at)) continue;
          farthest = {k, at};
          reached = at + piece.length;
        }
      }
      take(farthest);
      next = reached;
    }
  }
  [[nodiscard]] double cover_cost(const Piece& part, const Pieces& pieces) const {
    int copies = 0;
    cover(part, pieces, [&](const Copy&) { ++copies; });
    return copies + node_cost;
  }

 private:
  [[nodiscard]] std::uint16_t& alike(int i, int j) {
    return alike_[static_cast<std::size_t>(i) * (points_.size() + 1) + static_cast<std::size_t>(j)];
  }
  [[nodiscard]] const std::uint16_t& alike(int i, int j) const {
    return alike_[static_cast<std::size_t>(i) * (points_.size() + 1) + static_cast<std::size_t>(j)];
  }

  std::vector<Offset> points_;
  std::vector<std::uint16_t> alike_;
  std::vector<std::uint16_t> seen_;         ///< by point: the most that an earlier one is alike
  std::vector<std::pair<int, int>> found_;  ///< minus how often a piece comes, and where
};

/// Pieces, each covered by those before it.
struct Tower {
  Pieces pieces;
  double cost = 0;   ///< of the pieces
  double total = 0;  ///< with the whole covered by them
};

/// Of all towers one piece higher a few good ones.
std::vector<Tower> higher(Chain& chain, const std::vector<Tower>& towers) {
  constexpr std::size_t most = 2;
  const Piece whole{0, chain.size()};
  std::vector<Tower> found;
  for (const Tower& tower : towers) {
    if (tower.pieces.count == Pieces::most) continue;
    const int last = tower.pieces.list[static_cast<std::size_t>(tower.pieces.count - 1)].length;
    const int step = std::max(1, last / 2);
    for (int length = last + step; length <= std::max(8, 5 * last) && length < chain.size(); length += step) {
      chain.for_frequent(length, [&](const Piece& piece) {
        Tower next = tower;
        next.cost += chain.cover_cost(piece, tower.pieces);
        next.pieces.add(piece);
        next.total = next.cost + chain.cover_cost(whole, next.pieces);
        found.push_back(next);
      });
    }
  }
  const std::size_t kept = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
                    [](const Tower& a, const Tower& b) { return a.total < b.total; });
  found.resize(kept);
  return found;
}

Program program_of(const Chain& chain, const Tower& tower) {
  Program program;
  const auto add = [&](const Piece& piece, const Pieces& pieces, const Offset& origin) {
    Node node;
    chain.cover(piece, pieces, [&](const Copy& copy) {
      // A piece's node has its first point at the origin.
      node.terms.push_back({copy.piece - 1, chain.point(copy.at) - origin});
    });
    program.nodes.push_back(std::move(node));
  };
  Pieces before;
  for (int k = 1; k < tower.pieces.count; ++k) {
    const Piece& piece = tower.pieces.list[static_cast<std::size_t>(k)];
    add(piece, before, chain.point(piece.start));
    before.add(piece);
  }
  add({0, chain.size()}, before, {});
  return program;
}

}  // namespace

std::optional<Program> try_chain(const OffsetSet& set) {
  constexpr std::int64_t fewest = 6;
  constexpr std::int64_t most = 1024;
  if (set.count() < fewest || set.count() > most) return std::nullopt;
  std::vector<Offset> points = points_of(set);
  if (points.empty()) return std::nullopt;
  Chain chain(std::move(points));
  Tower best;
  best.total = static_cast<double>(chain.size()) + node_cost;
  for (std::vector<Tower> towers = higher(chain, {Tower{}}); !towers.empty(); towers = higher(chain, towers)) {
    if (towers.front().total >= best.total) break;
    best = towers.front();
  }
  return program_of(chain, best);
}

}  // namespace tamis::morphology_detail
