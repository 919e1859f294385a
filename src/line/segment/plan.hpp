// How the extremum over a digital segment is put together from extrema over few of its samples.
//
// A digital segment is made of few patterns of some four neighbours, again and again. The extremum over each pattern is
// made once for all places, and read where the pattern lies; places may overlap, which extrema do not mind. Long
// segments are covered by pieces of some forty samples in the same way.
#pragma once

#include <optional>
#include <vector>

#include <tamis/element.hpp>

namespace tamis::line_detail {

/// A displacement in the plane.
struct Move2 {
  int x = 0, y = 0;
  auto operator<=>(const Move2&) const = default;
};

/// Neighbours on the segment, and where they lie: sample i of place k at at[k] + samples[i].
struct Pattern {
  std::vector<Move2> samples;
  std::vector<Move2> at;
};

/// A part of a segment.
struct SegmentPart {
  std::vector<Pattern> patterns;
};

/// Samples of a part of a long segment, at most: it reaches half as far from its origin.
inline constexpr int longest_part = 48;

struct SegmentPlan {
  std::vector<SegmentPart> parts;  ///< one: the segment itself
  /// More than one: the segment is the union of parts displaced.
  struct Place {
    int part = 0;
    Move2 at;
  };
  std::vector<Place> places;
};

/// Nothing for sets that are no digital segment of five samples and more in the plane, or too long.
[[nodiscard]] std::optional<SegmentPlan> plan_segment(const OffsetSet& set);

/// The offsets that a plan covers.
[[nodiscard]] OffsetSet covered(const SegmentPlan& plan);

}  // namespace tamis::line_detail
