#include "mpi/balls.hpp"

#include <algorithm>
#include <limits>

#include "core/visit_type.hpp"
#include "granulometry/balls/run.hpp"
#include "granulometry/balls/squares.hpp"
#include "granulometry/cpu/balls/size_map.hpp"

namespace tamis::mpi {
namespace {

using granulometry_detail::BallRequest;
using granulometry_detail::BallTally;

std::int64_t whole(std::uint64_t number) { return static_cast<std::int64_t>(number); }

void put(const BallTally& tally, Part& part) {
  part.removed_by = tally.tally.removed_by;
  if (part.removed_by.empty()) part.removed_by = {0};
  part.never = tally.tally.never;
  part.balls = BallFigures{tally.finite, whole(tally.largest), tally.of_square,
                           {whole(tally.wide.whole), whole(tally.wide.parts), whole(tally.wide.high), whole(tally.wide.low)}};
}

/// The other way, of counts that may be those of all ranks.
BallTally tally_from(const std::vector<std::int64_t>& removed_by, std::int64_t never, const BallFigures& figures) {
  BallTally tally;
  tally.tally = {removed_by, never};
  tally.finite = figures.finite;
  tally.of_square = figures.of_square;
  tally.largest = static_cast<std::uint64_t>(figures.largest);
  std::uint64_t* const sums[] = {&tally.wide.whole, &tally.wide.parts, &tally.wide.high, &tally.wide.low};
  for (std::size_t i = 0; i < figures.wide.size(); ++i) *sums[i] = static_cast<std::uint64_t>(figures.wide[i]);
  return tally;
}

/// What comes of a slab, slice by slice.
class Counter {
 public:
  Counter(const Context& context, const BallRequest& request, const PieceInSlab& where, bool with_map)
      : context_(context),
        request_(request),
        where_(where),
        with_map_(with_map),
        part_{where.piece.begin, where.piece.end, {}, 0, Type::U16, 0, {}, BallFigures()} {}

  void start(Type type) {
    part_.type = type;
    part_.never_value = visit_square_type(type, [](auto square) {
      // As a number of 63 bits, which is what parts are told with.
      return static_cast<std::int64_t>(std::min<std::uint64_t>(std::numeric_limits<decltype(square)>::max(),
                                                               std::numeric_limits<std::int64_t>::max()));
    });
  }

  void take(const std::byte* slices, std::int64_t z0, std::int64_t count) {
    const std::int64_t bytes = request_.shape.y * request_.shape.x * sample_bytes(part_.type);
    for (std::int64_t z = where_.slab.begin + z0; z < where_.slab.begin + z0 + count; ++z, slices += bytes) {
      const BallTally slice =
          visit_square_type(part_.type, [&](auto square) { return tally_of<decltype(square)>(slices); });
      if (z >= where_.piece.begin - where_.halo / 2 && z < where_.piece.end + where_.halo / 2) {
        largest_inside_ = std::max(largest_inside_, slice.largest);
      }
      if (z < where_.piece.begin || z >= where_.piece.end) continue;
      all_.add(slice);
      if (with_map_) part_.map.insert(part_.map.end(), slices, slices + bytes);
    }
  }

  [[nodiscard]] std::optional<Part> result(const BallSizes& sizes) {
    if (where_.cut && !halo_suffices(sizes)) return {};
    put(all_, part_);
    return std::move(part_);
  }

 private:
  template <class Square>
  [[nodiscard]] BallTally tally_of(const std::byte* slice) const {
    // The squares lie in memory of the library, which nobody writes meanwhile.
    auto* const first = const_cast<Square*>(reinterpret_cast<const Square*>(slice));
    return granulometry_detail::cpu::balls::tally_of<Square>(context_, {first, 1, request_.shape.y, request_.shape.x},
                                                             request_.rule);
  }

  /// Two slices more: a radius is no whole number, and lies between voxels.
  [[nodiscard]] bool halo_suffices(const BallSizes& sizes) const {
    if (request_.flat) return true;
    const auto radius = static_cast<std::int64_t>(granulometry_detail::root(largest_inside_)) / request_.sides.z + 2;
    return sizes.unbounded == 0 && radius <= where_.halo / 2;
  }

  const Context& context_;
  const BallRequest& request_;
  const PieceInSlab& where_;
  bool with_map_;
  Part part_;
  BallTally all_;
  std::uint64_t largest_inside_ = 0;
};

}  // namespace

std::optional<Part> measure_balls(const Context& context, const BallOptions& options, const Slab& slab,
                                  const PieceInSlab& where, bool with_map) {
  const BallRequest request = granulometry_detail::checked_request(slab.shape(), slab.spacing(), options);
  Counter counter(context, request, where, with_map);
  const BallSizes sizes = slab.ball_map(
      context, options, [&](const BallSizes&, Type type) { counter.start(type); },
      [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { counter.take(slices, z0, count); });
  return counter.result(sizes);
}

BallSizes join_balls(const Ranks& ranks, const BallOptions& options, const Shape& shape, const Spacing& spacing,
                     const std::vector<const Part*>& own, std::int64_t object, std::int64_t domain) {
  BallTally sum;
  for (const Part* const part : own) sum.add(tally_from(part->removed_by, part->never, *part->balls));
  Part all;
  put(sum, all);
  BallFigures& figures = *all.balls;
  const std::vector<std::int64_t> counts = ranks.sum({all.never, figures.finite});
  figures.finite = counts[1];
  figures.largest = ranks.largest(figures.largest);
  figures.of_square = ranks.sum(std::move(figures.of_square));
  figures.wide = ranks.sum(std::move(figures.wide));
  const BallTally tally = tally_from(ranks.sum(std::move(all.removed_by)), counts[0], figures);
  const BallRequest request = granulometry_detail::checked_request(shape, spacing, options);
  const bool full = options.border == DomainBorder::Neutral && object > 0 && object == domain;
  return full ? granulometry_detail::sizes_of_full(request, object) : granulometry_detail::sizes_of(request, tally);
}

}  // namespace tamis::mpi
