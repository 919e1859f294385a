#include "morphology/plan/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "morphology/element/catalogue.hpp"

namespace tamis::morphology_detail {
namespace {

using Runs = std::vector<OffsetSet::Run>;

int last_of(const Program& program) { return static_cast<int>(program.nodes.size()) - 1; }

/// Longer runs along x are put together: backends keep a piece of a row with the reach of a run in fast memory.
constexpr std::int64_t longest_run_x = 2048;

Offset shift_by(Axis axis, std::int64_t distance) {
  Offset shift;
  along(shift, axis) = distance;
  return shift;
}

/// Appends a run of `length` samples from `shift` on; returns the node that holds it, which may be `source`.
int add_run(Program& program, int source, Axis axis, std::int64_t length, const Offset& shift) {
  if (length == 1 && shift == Offset{}) return source;
  std::int64_t have = axis == Axis::X ? std::min(length, longest_run_x) : length;
  program.nodes.push_back({{{source, shift}}, axis, have});
  for (; have < length; have = std::min(length, 4 * have)) {
    Node node;
    const std::int64_t next = std::min(length, 4 * have);
    for (std::int64_t from = 0; from < next; from += have) {
      node.terms.push_back({last_of(program), shift_by(axis, std::min(from, next - have))});
    }
    program.nodes.push_back(std::move(node));
  }
  return last_of(program);
}

int add_box(Program& program, int source, const OffsetBox& box, bool x_last) {
  std::vector<Axis> order{Axis::X, Axis::Y, Axis::Z};
  if (x_last) std::reverse(order.begin(), order.end());
  for (const Axis axis : order) {
    Offset shift;
    along(shift, axis) = along(box.low, axis);
    source = add_run(program, source, axis, along(box.high, axis) - along(box.low, axis) + 1, shift);
  }
  return source;
}

/// Diamond or octahedron of a radius. A ball of radius n + m in the city-block metric is one of radius n, joined with
/// itself displaced by m along every axis, as long as m <= n in the plane and m <= (n + 1) / 2 in space.
int add_city_block_ball(Program& program, int source, std::int64_t radius, bool solid) {
  std::int64_t have = 0;
  while (have < radius) {
    const std::int64_t most = have == 0 ? 1 : solid ? (have + 1) / 2 : have;
    const std::int64_t m = std::min(most, radius - have);
    Node node;
    // Small balls leave the middle open.
    if (have < m || (solid && have == 1)) node.terms.push_back({source, {}});
    for (const std::int64_t step : {-m, m}) {
      node.terms.push_back({source, {0, 0, step}});
      node.terms.push_back({source, {0, step, 0}});
      if (solid) node.terms.push_back({source, {step, 0, 0}});
    }
    program.nodes.push_back(std::move(node));
    source = last_of(program);
    have += m;
  }
  return source;
}

std::int64_t city_block(const Offset& offset) { return std::abs(offset.z) + std::abs(offset.y) + std::abs(offset.x); }

/// Diamonds, octagons (a diamond and a square) and octahedra, wherever their centre is.
std::optional<Program> try_octagon(const OffsetSet& set, bool x_last) {
  const OffsetBox& box = set.box();
  const Offset sum = box.low + box.high;
  const Offset extent = box.high - box.low;
  const bool solid = extent.z > 0;
  if (extent.x != extent.y || (solid && extent.z != extent.x) || extent.x % 2 != 0) return std::nullopt;
  if (sum.x % 2 != 0 || sum.y % 2 != 0 || sum.z % 2 != 0) return std::nullopt;
  const Offset centre{sum.z / 2, sum.y / 2, sum.x / 2};
  const std::int64_t radius = extent.x / 2;
  const OffsetSet middle = set.shifted(-centre);
  std::int64_t farthest = 0;
  for (const OffsetSet::Run& run : middle.runs()) farthest = std::max(farthest, city_block(run.start));
  // A square of half edge a and a diamond of radius radius - a reach 2a + radius - a.
  const std::int64_t a = farthest - radius;
  if (a >= radius || a < 0 || (solid && a != 0)) return std::nullopt;
  const OffsetBox square{{0, -a, -a}, {0, a, a}};
  const OffsetSet wanted = solid ? octahedron_set(radius) : bevelled_square_set(radius, a);
  if (!(wanted == middle)) return std::nullopt;
  Program program;
  const auto add_bevel = [&](int source) { return add_city_block_ball(program, source, radius - a, solid); };
  const int before = x_last ? add_bevel(program_input) : program_input;
  const int boxed = add_box(program, before, {square.low + centre, square.high + centre}, x_last);
  if (!x_last) add_bevel(boxed);
  return program;
}

Program brute(const OffsetSet& set) {
  Node node;
  for (const Offset& offset : set.offsets()) node.terms.push_back({program_input, offset});
  return {{std::move(node)}};
}

/// The set's longest runs along y or z.
Runs runs_along(const OffsetSet& set, Axis axis) {
  std::vector<Offset> offsets = set.offsets();
  const auto key = [axis](const Offset& o) {
    return axis == Axis::Y ? std::array{o.z, o.x, o.y} : std::array{o.y, o.x, o.z};
  };
  std::sort(offsets.begin(), offsets.end(), [&](const Offset& a, const Offset& b) { return key(a) < key(b); });
  Runs runs;
  for (const Offset& offset : offsets) {
    if (!runs.empty()) {
      Offset next = runs.back().start;
      along(next, axis) += runs.back().length;
      if (next == offset) {
        ++runs.back().length;
        continue;
      }
    }
    runs.push_back({offset, 1});
  }
  return runs;
}

/// Urbach and Wilkinson (2008): extrema over runs of the few lengths that occur, then one of them for each run. A
/// length that at most two runs have is put together from two shorter ones where that is as cheap.
Program chords(const Runs& runs, Axis axis) {
  std::map<std::int64_t, std::int64_t> uses;
  for (const OffsetSet::Run& run : runs) ++uses[run.length];
  Program program;
  std::map<std::int64_t, int> tables{{1, program_input}};
  for (const auto& [length, count] : uses) {
    const auto& [have, source] = *tables.rbegin();
    const bool two_reach = 2 * have >= length;
    if (have == length || (count <= 2 && two_reach)) continue;
    if (two_reach) {
      program.nodes.push_back({{{source, {}}, {source, shift_by(axis, length - have)}}, Axis::X, 1});
    } else {
      add_run(program, program_input, axis, length, {});
    }
    tables[length] = last_of(program);
  }
  Node result;
  result.terms.reserve(runs.size());
  for (const OffsetSet::Run& run : runs) {
    const auto& [have, source] = *std::prev(tables.upper_bound(run.length));
    result.terms.push_back({source, run.start});
    if (have != run.length) result.terms.push_back({source, run.start + shift_by(axis, run.length - have)});
  }
  program.nodes.push_back(std::move(result));
  return program;
}

std::string describe(const Node& node) {
  constexpr const char* names[] = {"z", "y", "x"};
  if (node.length > 1) return fmt::format("run {} {}", names[static_cast<std::size_t>(node.axis)], node.length);
  return fmt::format("{} terms", node.terms.size());
}

}  // namespace

OffsetSet covered(const Program& program) {
  std::vector<OffsetSet> sets;
  const OffsetSet origin;
  for (const Node& node : program.nodes) {
    Runs runs;
    for (const Term& term : node.terms) {
      const OffsetSet& source = term.source == program_input ? origin : sets[static_cast<std::size_t>(term.source)];
      for (OffsetSet::Run run : source.runs()) {
        run.start = run.start + term.shift;
        if (node.axis == Axis::X) {
          run.length += node.length - 1;
          runs.push_back(run);
          continue;
        }
        for (std::int64_t i = 0; i < node.length; ++i, ++along(run.start, node.axis)) runs.push_back(run);
      }
    }
    sets.emplace_back(std::move(runs));
  }
  return sets.empty() ? origin : sets.back();
}

double cost(const Program& program) {
  // A store is worth one and a half loads; runs along x double, those across rows take five operations at any length.
  double sum = 0;
  for (const Node& node : program.nodes) {
    if (node.length == 1) {
      sum += static_cast<double>(node.terms.size()) + 1.5;
    } else if (node.axis == Axis::X) {
      double loads = static_cast<double>(node.length);
      while (loads > 5) {
        sum += 5.5;
        loads /= 4;
      }
      sum += loads + 1.5;
    } else {
      sum += 6.5;
    }
  }
  return sum;
}

Program make_program(const OffsetSet& set, bool x_last) {
  if (set == OffsetSet()) return {};
  if (set.is_box()) {
    Program program;
    add_box(program, program_input, set.box(), x_last);
    return program;
  }
  std::optional<Program> best = try_chain(set);
  const auto offer = [&best](Program candidate) {
    if (!best || cost(candidate) < cost(*best)) best = std::move(candidate);
  };
  // A run of chords is at least a term.
  const auto offer_chords = [&](const Runs& runs, Axis axis) {
    if (!best || static_cast<double>(runs.size()) + 1.5 < cost(*best)) offer(chords(runs, axis));
  };
  offer_chords(set.runs(), Axis::X);
  if (std::optional<Program> octagon = try_octagon(set, x_last)) offer(std::move(*octagon));
  constexpr std::int64_t worth_listing = 1 << 20;
  if (set.count() <= worth_listing) {
    if (set.count() < 2 * static_cast<std::int64_t>(set.runs().size()) + 16) offer(brute(set));
    offer_chords(runs_along(set, Axis::Y), Axis::Y);
    if (set.box().high.z > set.box().low.z) offer_chords(runs_along(set, Axis::Z), Axis::Z);
  }
  return *best;
}

std::string describe(const Program& program) {
  if (program.nodes.empty()) return "copy";
  if (program.nodes.size() <= 4) {
    std::string text;
    for (const Node& node : program.nodes) text += (text.empty() ? "" : ", ") + describe(node);
    return text;
  }
  std::size_t terms = 0;
  for (const Node& node : program.nodes) terms += node.terms.size();
  return fmt::format("{} nodes, {} terms", program.nodes.size(), terms);
}

}  // namespace tamis::morphology_detail
