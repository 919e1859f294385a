#include "median/cpu/rank_set/run.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "median/cpu/tiles.hpp"

namespace tamis::median_detail::cpu {
namespace {

constexpr std::array<Offset, 3> axes = {Offset{0, 0, 1}, Offset{0, 1, 0}, Offset{1, 0, 0}};

std::int64_t along(const Offset& offset, const Offset& axis) {
  return offset.z * axis.z + offset.y * axis.y + offset.x * axis.x;
}

Slide slide_along(const RankStep& step, const Offset& axis) {
  Slide slide{axis, {}, {}};
  for (const OffsetSet::Run& run : step.window.runs()) {
    for (std::int64_t i = 0; i < run.length; ++i) {
      step.stop_if_cancelled(i);
      const Offset offset = run.start + Offset{0, 0, i};
      if (axis.x != 0 ? i == 0 : !step.window.contains(offset - axis)) slide.leaving.push_back(offset);
      if (axis.x != 0 ? i + 1 == run.length : !step.window.contains(offset + axis)) slide.coming.push_back(offset);
    }
  }
  return slide;
}

/// Rank: 16 bits where they hold all ranks of a tile, otherwise 32.
template <class K, class Rank>
class RankTiles {
 public:
  RankTiles(const BandTask<K>& work, const Slides& slides) : work_(work), slides_(slides.along) {}

  void run(const Tile& tile) {
    seen_ = RankedTileLayout::dense(work_.step->window.box(), tile);
    ranked_.fill(*work_.in, *work_.step, tile, seen_);
    ranks_.resize(static_cast<std::size_t>(seen_.count()));
    for (std::int64_t rank = 0; rank < seen_.count(); ++rank) ranks_[ranked_.place(rank)] = static_cast<Rank>(rank);
    first_place_ = seen_.number(-work_.step->window.box().low);
    const Places along = places_of(slides_[0]), across = places_of(slides_[1]);
    const std::int64_t length = extent_along(tile, 0), lines = extent_along(tile, 1);
    members_.resize(static_cast<std::size_t>(length));
    for (std::int64_t sheet = 0; sheet < extent_along(tile, 2); ++sheet) {
      Offset at = times(slides_[2].axis, sheet);
      start(at);
      for (std::int64_t line = 0; line < lines; ++line) {
        if (line > 0) next_line(across, at);
        if (line + 1 < lines) {
          set_ = first_of_line_;
          run_line(tile, set_, along, at, length);
        } else {
          run_line(tile, first_of_line_, along, at, length);
        }
      }
    }
  }

 private:
  /// A slide as numbers of places, those that come seen from where the window goes.
  struct Places {
    Offset axis;
    std::vector<std::int32_t> leaving, coming;
  };

  static Offset times(const Offset& axis, std::int64_t n) { return {axis.z * n, axis.y * n, axis.x * n}; }
  [[nodiscard]] std::int64_t extent_along(const Tile& tile, std::size_t slide) const {
    return along(tile.extent, slides_[slide].axis);
  }
  [[nodiscard]] Places places_of(const Slide& slide) const {
    Places places;
    places.axis = slide.axis;
    for (const Offset& offset : slide.leaving) {
      places.leaving.push_back(static_cast<std::int32_t>(seen_.number(offset - slide.axis)));
    }
    for (const Offset& offset : slide.coming) places.coming.push_back(static_cast<std::int32_t>(seen_.number(offset)));
    return places;
  }
  [[nodiscard]] const Rank* ranks_at(const Offset& at) const { return ranks_.data() + first_place_ + seen_.number(at); }

  void start(const Offset& at) {
    first_of_line_.clear(seen_.count());
    const Rank* const ranks = ranks_at(at);
    for (const OffsetSet::Run& run : work_.step->window.runs()) {
      work_.step->stop_if_cancelled();
      for (std::int64_t i = 0; i < run.length; ++i) first_of_line_.insert(ranks[seen_.number(run.start) + i]);
    }
  }
  [[nodiscard]] RankLine<Rank> line_of(const Places& places, const Offset& at, std::int64_t results) {
    RankLine<Rank> line;
    line.ranks = ranks_at(at);
    line.step = seen_.number(places.axis);
    line.leaving = places.leaving.data();
    line.coming = places.coming.data();
    line.changes = static_cast<std::int64_t>(places.leaving.size());
    line.results = results;
    line.members = members_.data();
    return line;
  }
  /// From the first result of a line to that of the next.
  void next_line(const Places& across, Offset& at) {
    std::array<std::uint32_t, 2> members{};
    RankLine<Rank> line = line_of(across, at, 2);
    line.wanted = work_.step->rank;
    line.members = members.data();
    slide(work_.simd, first_of_line_, line);
    at = at + across.axis;
  }
  void run_line(const Tile& tile, RankSet& set, const Places& places, const Offset& at, std::int64_t length) {
    const Offset p = tile.first + at;
    const Offset axis = places.axis;
    const std::int64_t rows = work_.band.y1 - work_.band.y0;
    // Some results at a time, so that a stop is heard; the last of them is the first of the next.
    constexpr std::int64_t most_changes = std::int64_t{1} << 20;  // milliseconds
    const std::int64_t some = 1 + most_changes / static_cast<std::int64_t>(places.leaving.size());
    for (std::int64_t first = 0; first == 0 || first + 1 < length; first += some) {
      work_.step->stop_if_cancelled();
      RankLine<Rank> line = line_of(places, at + times(axis, first), std::min(some + 1, length - first));
      line.members = members_.data() + first;
      line.wanted = work_.step->rank;
      line.each_step = (axis.z * rows + axis.y) * work_.rank_stride + axis.x;
      if (work_.ranks) line.each = work_.rank_row(p.z, p.y) + p.x + first * line.each_step;
      slide(work_.simd, set, line);
    }
    K* out = work_.out_row(p.z, p.y) + p.x;
    const std::int64_t step = axis.z * work_.slice_stride + axis.y * work_.row_stride + axis.x;
    for (const std::uint32_t member : members_) {
      *out = ranked_.key(member);
      out += step;
    }
  }

  const BandTask<K>& work_;
  const std::array<Slide, 3>& slides_;
  RankedTile<K> ranked_;
  RankedTileLayout seen_;
  std::vector<Rank> ranks_;       ///< by place
  std::int64_t first_place_ = 0;  ///< of the tile's first result
  RankSet set_, first_of_line_;
  std::vector<std::uint32_t> members_;  ///< of a line
};

/// A set much larger than the window is slow to search, a tile not much larger than the window slow to sort.
std::int64_t keys_of_a_tile(std::int64_t count) {
  constexpr std::int64_t keys_of_a_sample = 64, least = 1 << 13, most = 1 << 16;
  return std::clamp(count * keys_of_a_sample, least, most);
}

}  // namespace

Slides slides_of(const RankStep& step) {
  Slides slides;
  for (std::size_t i = 0; i < axes.size(); ++i) slides.along[i] = slide_along(step, axes[i]);
  std::stable_sort(slides.along.begin(), slides.along.end(),
                   [](const Slide& a, const Slide& b) { return a.leaving.size() < b.leaving.size(); });
  return slides;
}

template <class K>
void rank_set_band(const BandTask<K>& work, const Slides& slides) {
  const OffsetBox& box = work.step->window.box();
  const Offset extent = tile_extent(work, keys_of_a_tile(work.step->count));
  const Offset seen = extent + box.high - box.low;
  if (seen.z * seen.y * seen.x <= std::numeric_limits<std::uint16_t>::max() + std::int64_t{1}) {
    RankTiles<K, std::uint16_t> tiles(work, slides);
    for_tiles(work, extent, [&](const Tile& tile) { tiles.run(tile); });
  } else {
    RankTiles<K, std::uint32_t> tiles(work, slides);
    for_tiles(work, extent, [&](const Tile& tile) { tiles.run(tile); });
  }
}

template void rank_set_band(const BandTask<std::uint8_t>&, const Slides&);
template void rank_set_band(const BandTask<std::uint16_t>&, const Slides&);
template void rank_set_band(const BandTask<std::uint32_t>&, const Slides&);

}  // namespace tamis::median_detail::cpu
