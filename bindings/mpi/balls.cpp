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

/// What comes of a slab, slice by slice.
class Counter {
 public:
  Counter(const Context& context, const BallRequest& request, const PieceInSlab& where, bool with_map)
      : context_(context),
        request_(request),
        where_(where),
        with_map_(with_map),
        part_{where.piece.begin, where.piece.end, {}, Type::U16, 0, {}, 0} {}

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
    all_.put_into(part_.tally);
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

BallSizes sizes_of_balls(const BallOptions& options, const Shape& shape, const Spacing& spacing,
                         const parts::Tally& all, std::int64_t object, std::int64_t domain) {
  const BallRequest request = granulometry_detail::checked_request(shape, spacing, options);
  const bool full = options.border == DomainBorder::Neutral && object > 0 && object == domain;
  return full ? granulometry_detail::sizes_of_full(request, object)
              : granulometry_detail::sizes_of(request, BallTally::from(all));
}

}  // namespace tamis::mpi
