#include "line/segment/plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace tamis::line_detail {
namespace {

/// A segment as a walk: its first sample, and which of two steps follows each sample but the last.
struct Walk {
  Move2 first;
  Move2 step[2];
  std::vector<int> steps;

  [[nodiscard]] int samples() const { return static_cast<int>(steps.size()) + 1; }
  [[nodiscard]] Move2 at(int sample) const {
    Move2 place = first;
    for (int i = 0; i < sample; ++i) {
      place.x += step[steps[static_cast<std::size_t>(i)]].x;
      place.y += step[steps[static_cast<std::size_t>(i)]].y;
    }
    return place;
  }
};

/// Along y if there is one sample in each row, else along x.
std::optional<Walk> walk_of(const OffsetSet& set) {
  std::vector<Offset> offsets = set.offsets();
  if (set.box().low.z != 0 || set.box().high.z != 0 || offsets.size() < 5) return std::nullopt;
  const bool steep = static_cast<std::int64_t>(offsets.size()) == set.box().high.y - set.box().low.y + 1;
  const bool shallow = static_cast<std::int64_t>(offsets.size()) == set.box().high.x - set.box().low.x + 1;
  if (!steep && !shallow) return std::nullopt;
  if (!steep) std::sort(offsets.begin(), offsets.end(), [](const Offset& a, const Offset& b) { return a.x < b.x; });
  Walk walk;
  walk.first = {static_cast<int>(offsets.front().x), static_cast<int>(offsets.front().y)};
  walk.step[0] = walk.step[1] = steep ? Move2{0, 1} : Move2{1, 0};
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    const Offset by = offsets[i] - offsets[i - 1];
    const Move2 step{static_cast<int>(by.x), static_cast<int>(by.y)};
    if ((steep ? step.y : step.x) != 1 || std::abs(steep ? step.x : step.y) > 1) return std::nullopt;
    if (step == walk.step[0]) {
      walk.steps.push_back(0);
      continue;
    }
    if (walk.step[1] != walk.step[0] && walk.step[1] != step) return std::nullopt;
    walk.step[1] = step;
    walk.steps.push_back(1);
  }
  return walk;
}

using Word = std::vector<int>;

/// The steps after sample `from`, as far as `length` samples go.
Word word_at(const Walk& walk, int from, int length) {
  return {walk.steps.begin() + from, walk.steps.begin() + from + length - 1};
}

/// Words of a walk: how many kinds there are, and which one begins at each sample.
struct Kinds {
  std::size_t count = 0;
  std::vector<int> at;
};

/// Of words of `length` samples. Nothing if there are more than `most` kinds.
std::optional<Kinds> kinds_of_words(const Walk& walk, int length, std::size_t most) {
  static_assert(longest_part <= 64);
  std::vector<std::uint64_t> words;
  Kinds kinds;
  std::uint64_t word = 0;  // its steps as bits
  for (int i = 0; i < walk.samples() - 1; ++i) {
    word = word >> 1 | static_cast<std::uint64_t>(walk.steps[static_cast<std::size_t>(i)]) << (length - 2);
    if (i < length - 2) continue;
    const auto known = std::find(words.begin(), words.end(), word);
    kinds.at.push_back(static_cast<int>(known - words.begin()));
    if (known != words.end()) continue;
    if (words.size() == most) return std::nullopt;
    words.push_back(word);
  }
  kinds.count = words.size();
  return kinds;
}

/// Samples at which words of `length` samples begin that cover the walk, all of kinds in `allowed`, as few as possible:
/// each as far as it may be. Nothing if those kinds do not cover it.
std::optional<std::vector<int>> cover(const std::vector<int>& kinds, int length, unsigned allowed) {
  const int last = static_cast<int>(kinds.size()) - 1;
  const auto is_allowed = [&](int at) { return (allowed >> kinds[static_cast<std::size_t>(at)]) & 1U; };
  if (!is_allowed(0) || !is_allowed(last)) return std::nullopt;
  std::vector<int> places{0};
  while (places.back() < last) {
    int next = std::min(places.back() + length, last);
    while (next > places.back() && !is_allowed(next)) --next;
    if (next == places.back()) return std::nullopt;
    places.push_back(next);
  }
  return places;
}

/// Words of a walk that cover it at the least price.
struct Cover {
  std::vector<Word> words;
  std::vector<std::pair<int, int>> places;  ///< word and first sample
  double price = std::numeric_limits<double>::max();
};

/// The cheapest one for less than `below`; without words if there is none.
Cover best_cover(const Walk& walk, int length, double price_of_word, double below) {
  constexpr std::size_t most_kinds = 12;
  const std::optional<Kinds> found = kinds_of_words(walk, length, most_kinds);
  Cover best;
  best.price = below;
  if (!found) return best;
  const std::vector<int>& kinds = found->at;
  const int least_places = (walk.samples() + length - 1) / length;
  for (unsigned allowed = 1; allowed < 1U << found->count; ++allowed) {
    // Kinds that are allowed and not used change nothing: the set without them came before.
    if (least_places + std::popcount(allowed) * price_of_word >= best.price) continue;
    const std::optional<std::vector<int>> places = cover(kinds, length, allowed);
    if (!places) continue;
    unsigned used = 0;
    for (const int at : *places) used |= 1U << kinds[static_cast<std::size_t>(at)];
    double price = static_cast<double>(places->size());
    for (unsigned rest = used; rest != 0; rest &= rest - 1) price += price_of_word;
    if (price >= best.price) continue;
    best.price = price;
    best.words.clear();
    best.places.clear();
    std::vector<int> number(found->count, -1);
    for (const int at : *places) {
      int& own = number[static_cast<std::size_t>(kinds[static_cast<std::size_t>(at)])];
      if (own < 0) {
        own = static_cast<int>(best.words.size());
        best.words.push_back(word_at(walk, at, length));
      }
      best.places.emplace_back(own, at);
    }
  }
  return best;
}

/// The cheapest patterns for a walk. A pattern is read sample by sample, and written.
SegmentPart part_of(const Walk& walk) {
  constexpr double price_of_writing = 1.5;
  Cover best;
  int best_length = 0;
  for (int length = 3; length <= std::min(6, walk.samples()); ++length) {
    Cover patterns = best_cover(walk, length, length + price_of_writing, best.price);
    if (patterns.price >= best.price) continue;
    best = std::move(patterns);
    best_length = length;
  }
  SegmentPart part;
  for (const Word& word : best.words) {
    Walk own = walk;
    own.first = {0, 0};
    own.steps = word;
    Pattern& pattern = part.patterns.emplace_back();
    for (int i = 0; i < best_length; ++i) pattern.samples.push_back(own.at(i));
  }
  for (const auto& [word, at] : best.places) part.patterns[static_cast<std::size_t>(word)].at.push_back(walk.at(at));
  return part;
}

}  // namespace

std::optional<SegmentPlan> plan_segment(const OffsetSet& set) {
  const std::optional<Walk> walk = walk_of(set);
  if (!walk) return std::nullopt;
  SegmentPlan plan;
  const OffsetBox& box = set.box();
  constexpr std::int64_t near = 28;
  constexpr std::int64_t far = 16'000;
  const auto within = [&](std::int64_t limit) {
    return box.low.x >= -limit && box.high.x <= limit && box.low.y >= -limit && box.high.y <= limit;
  };
  if (!within(far)) return std::nullopt;
  if (walk->samples() <= longest_part + 1 && within(near)) {
    plan.parts.push_back(part_of(*walk));
    return plan;
  }
  // Parts are made by themselves, which costs as much as some places.
  constexpr double price_of_part = 4;
  constexpr double price_of_sample = 0.15;
  constexpr std::size_t most_places = 64;
  const int longest = std::min(longest_part, walk->samples());
  Cover best;
  int best_length = 0;
  for (int length = std::min(12, longest); length <= longest; ++length) {
    const Cover parts = best_cover(*walk, length, price_of_part + price_of_sample * length, best.price);
    if (parts.price >= best.price) continue;
    best = parts;
    best_length = length;
  }
  constexpr std::size_t most_parts = 4;
  if (best.places.empty() || best.places.size() > most_places || best.words.size() > most_parts) return std::nullopt;
  for (const Word& word : best.words) {
    Walk own = *walk;
    own.first = {0, 0};
    own.steps = word;
    // About its middle, so that it reaches as far to all sides.
    const Move2 middle = own.at(best_length / 2);
    own.first = {-middle.x, -middle.y};
    plan.parts.push_back(part_of(own));
  }
  for (const auto& [part, at] : best.places) plan.places.push_back({part, walk->at(at + best_length / 2)});
  return plan;
}

OffsetSet covered(const SegmentPlan& plan) {
  std::vector<OffsetSet::Run> runs;
  const auto add_part = [&](const SegmentPart& part, const Move2& by) {
    for (const Pattern& pattern : part.patterns) {
      for (const Move2& at : pattern.at) {
        for (const Move2& sample : pattern.samples) {
          runs.push_back({{0, by.y + at.y + sample.y, by.x + at.x + sample.x}, 1});
        }
      }
    }
  };
  if (plan.places.empty()) add_part(plan.parts.front(), {});
  for (const SegmentPlan::Place& place : plan.places)
    add_part(plan.parts[static_cast<std::size_t>(place.part)], place.at);
  return OffsetSet(std::move(runs));
}

}  // namespace tamis::line_detail
