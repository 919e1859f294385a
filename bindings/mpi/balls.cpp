#include "mpi/balls.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "granulometry/balls/roots.hpp"
#include "granulometry/balls/run.hpp"
#include "granulometry/cpu/balls/tally.hpp"

namespace tamis::mpi {
namespace {

using granulometry_detail::BallRequest;
using granulometry_detail::BallTally;

/// Calls work with a value of the type of squares.
template <class Work>
auto with_square(Type type, const Work& work) {
  if (type == Type::U16) return work(std::uint16_t{});
  if (type == Type::U32) return work(std::uint32_t{});
  return work(std::uint64_t{});
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
    part_.never_value = with_square(type, [](auto square) {
      // As a number of 63 bits, which is what parts are told with.
      return static_cast<std::int64_t>(std::min<std::uint64_t>(std::numeric_limits<decltype(square)>::max(),
                                                               std::numeric_limits<std::int64_t>::max()));
    });
  }

  void take(const std::byte* slices, std::int64_t z0, std::int64_t count) {
    const std::int64_t bytes = request_.shape.y * request_.shape.x * sample_bytes(part_.type);
    for (std::int64_t z = where_.slab.begin + z0; z < where_.slab.begin + z0 + count; ++z, slices += bytes) {
      const BallTally slice = with_square(part_.type, [&](auto square) { return tally_of<decltype(square)>(slices); });
      if (z >= where_.piece.begin - where_.halo / 2 && z < where_.piece.end + where_.halo / 2) {
        largest_inside_ = std::max(largest_inside_, slice.largest);
      }
      if (z < where_.piece.begin || z >= where_.piece.end) continue;
      add(slice);
      if (with_map_) part_.map.insert(part_.map.end(), slices, slices + bytes);
    }
  }

  [[nodiscard]] std::optional<Part> result(const BallSizes& sizes) {
    if (where_.cut && !halo_suffices(sizes)) return {};
    if (std::all_of(part_.balls->wide.begin(), part_.balls->wide.end(), [](double sum) { return sum == 0; })) {
      part_.balls->wide.clear();
    }
    if (part_.removed_by.empty()) part_.removed_by = {0};
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

  void add(const BallTally& slice) {
    BallTally all;
    all.tally.removed_by = std::move(part_.removed_by);
    all.of_square = std::move(part_.balls->of_square);
    all.finite = part_.balls->finite;
    all.largest = static_cast<std::uint64_t>(part_.balls->largest);
    all.add(slice);
    part_.removed_by = std::move(all.tally.removed_by);
    part_.balls->of_square = std::move(all.of_square);
    part_.balls->finite = all.finite;
    part_.balls->largest = static_cast<std::int64_t>(all.largest);
    part_.balls->wide.push_back(slice.wide_sum);
    part_.balls->wide.push_back(slice.wide_sum_of_squares);
    part_.never += slice.tally.never;
  }

  const Context& context_;
  const BallRequest& request_;
  const PieceInSlab& where_;
  bool with_map_;
  Part part_;
  std::uint64_t largest_inside_ = 0;
};

}  // namespace

std::optional<Part> measure_balls(const Context& context, const BallOptions& options, const Image& slab,
                                  const Image& domain, const PieceInSlab& where, bool with_map) {
  const BallRequest request = granulometry_detail::checked_request(slab.shape(), slab.spacing, options);
  Counter counter(context, request, where, with_map);
  const BallSizes sizes = ball_map(
      context, slab, options, domain, [&](const BallSizes&, Type type) { counter.start(type); },
      [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { counter.take(slices, z0, count); });
  return counter.result(sizes);
}

BallSizes join_balls(const Ranks& ranks, const BallOptions& options, const Shape& shape, const Spacing& spacing,
                     const std::vector<const Part*>& own, std::int64_t object, std::int64_t domain) {
  BallTally tally;
  // Sums of wide radii of each slice, as bits of numbers that are 0 on all ranks but one: added up in the order of
  // slices they are those of one process.
  std::vector<std::int64_t> wide(static_cast<std::size_t>(2 * shape.z));
  for (const Part* const part : own) {
    BallTally of_part;
    of_part.tally = {part->removed_by, part->never};
    of_part.of_square = part->balls->of_square;
    of_part.finite = part->balls->finite;
    of_part.largest = static_cast<std::uint64_t>(part->balls->largest);
    tally.add(of_part);
    for (std::size_t i = 0; i < part->balls->wide.size(); ++i) {
      wide[static_cast<std::size_t>(2 * part->begin) + i] = std::bit_cast<std::int64_t>(part->balls->wide[i]);
    }
  }
  const std::vector<std::int64_t> sums = ranks.sum({tally.tally.never, tally.finite});
  tally.tally.never = sums[0];
  tally.finite = sums[1];
  tally.tally.removed_by = ranks.sum(std::move(tally.tally.removed_by));
  if (tally.tally.removed_by.empty()) tally.tally.removed_by = {0};
  tally.of_square = ranks.sum(std::move(tally.of_square));
  tally.largest = static_cast<std::uint64_t>(ranks.largest(static_cast<std::int64_t>(tally.largest)));
  wide = ranks.sum(std::move(wide));
  for (std::size_t z = 0; z < wide.size(); z += 2) {
    tally.wide_sum += std::bit_cast<double>(wide[z]);
    tally.wide_sum_of_squares += std::bit_cast<double>(wide[z + 1]);
  }
  const BallRequest request = granulometry_detail::checked_request(shape, spacing, options);
  const bool full = options.border == DomainBorder::Neutral && object > 0 && object == domain;
  return full ? granulometry_detail::sizes_of_full(request, object) : granulometry_detail::sizes_of(request, tally);
}

}  // namespace tamis::mpi
