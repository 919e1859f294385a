#include "granulometry/balls/run.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "granulometry/balls/roots.hpp"
#include "granulometry/plan.hpp"

namespace tamis::granulometry_detail {
namespace {

/// Of rows 0, 1, 2 ... 0 and those of the radii.
void keep_listed(Sizes& sizes, const std::vector<std::int64_t>& radii) {
  const std::int64_t left = sizes.never_empties ? sizes.volume.back() : 0;
  std::vector<std::int64_t> volume = {sizes.volume.front()};
  sizes.listed = {0};
  for (const std::int64_t radius : radii) {
    sizes.listed.push_back(radius);
    volume.push_back(radius < sizes.rows() ? sizes.volume[static_cast<std::size_t>(radius)] : left);
  }
  sizes.volume = std::move(volume);
}

class Run {
 public:
  Run(const BallRequest& request, BallEngine& engine, const BallMapRequest& map)
      : request_(request), engine_(engine), map_(map), depth_(request.shape.z) {}

  BallSizes run() {
    if (slab_bytes(depth_) <= engine_.budget() && depth_ <= engine_.most_slices()) {
      try {
        return run_whole();
      } catch (const SlabTooLarge&) {
        strain_ *= 2;
      }
    }
    const BallTally tally = for_each_slab(nullptr);
    const BallSizes sizes = sizes_of(tally);
    if (map_.wanted) {  // what never erodes has the number of the last row, and a map its type, before the first slice
      const BallDelivery delivery = start(sizes, widest_);
      for_each_slab(&delivery);
    }
    return sizes;
  }

 private:
  [[nodiscard]] std::int64_t slab_bytes(std::int64_t slices) const {
    return strain_ * engine_.slab_bytes(slices, lane_bytes_);
  }

  BallSizes run_whole() {
    const BallSquares squares = engine_.distances(0, depth_, {});
    const BallSizes sizes = sizes_of(engine_.paint(0, depth_, squares.largest));
    if (map_.wanted) engine_.deliver(0, depth_, 0, start(sizes, squares.type));
    return sizes;
  }

  BallDelivery start(const BallSizes& sizes, Type squares) const {
    const BallDelivery delivery{&sizes, map_.measure, map_.measure ? ball_map_type(sizes, *map_.measure) : squares};
    map_.start(sizes, delivery.type);
    return delivery;
  }

  BallSizes sizes_of(const BallTally& tally) const {
    GranulometryOptions options;
    options.max_size = request_.options.max_size;
    BallSizes result;
    result.sizes = granulometry_detail::sizes_of(tally.tally, options);
    if (!request_.listed.empty()) keep_listed(result.sizes, request_.options.radii);
    const std::int64_t shortest = request_.rule.shortest_side;
    result.sizes.rank = request_.flat ? 2 : 3;
    result.least_square = request_.rule.least_square;
    result.thickness = thickness_of(tally, shortest);
    result.sides = request_.sides;
    result.largest_square = tally.largest;
    result.unbounded = tally.tally.never;
    result.shortest_side = static_cast<double>(shortest) * request_.sides.unit;
    return result;
  }

  BallTally for_each_slab(const BallDelivery* delivery) {
    BallTally tally;
    halo_ = request_.flat ? 0 : first_halo;
    for (std::int64_t begin = 0; begin < depth_;) {
      const Slab slab = next_slab(begin, depth_, halo_, std::min(fitting_slices(), engine_.most_slices()));
      if (slab.end == slab.begin) refuse();
      try {
        const std::optional<BallTally> part = run_slab(slab);
        if (!part) continue;
        tally.add(*part);
      } catch (const SlabTooLarge&) {
        strain_ *= 2;
        continue;
      }
      if (delivery) engine_.deliver(slab.begin - slab.from, slab.end - slab.from, slab.begin, *delivery);
      begin = slab.end;
    }
    return tally;
  }

  /// Nothing: another slab is wanted, for wider squares or a longer halo.
  std::optional<BallTally> run_slab(const Slab& slab) {
    BallSquares squares = engine_.distances(slab.from, slab.to, {slab.from > 0, slab.to < depth_});
    const std::int64_t bytes = sample_bytes(squares.type);
    if (bytes > lane_bytes_) {  // wider lanes, fewer slices
      lane_bytes_ = bytes;
      return std::nullopt;
    }
    const std::int64_t from = slab.inner_from() - slab.from;
    const std::int64_t to = slab.inner_to() - slab.from;
    if (!request_.flat && !settle_largest(squares, slab, from, to)) {
      halo_ *= 2;
      return std::nullopt;
    }
    if (bytes > sample_bytes(widest_) || widest_ == Type::Bool) widest_ = squares.type;
    const BallTally painted = engine_.paint(from, to, squares.largest);
    const std::int64_t first = slab.begin - slab.from;
    const std::int64_t last = slab.end - slab.from;
    return first == from && last == to ? painted : engine_.tally(first, last);
  }

  [[nodiscard]] std::int64_t fitting_slices() const {
    const std::int64_t fixed = slab_bytes(0);
    return std::max<std::int64_t>(engine_.budget() - fixed, 0) / std::max<std::int64_t>(slab_bytes(1) - fixed, 1);
  }

  /// Finds the largest square of the slices whose distances must be exact. Returns whether the halo suffices for it.
  bool settle_largest(BallSquares& squares, const Slab& slab, std::int64_t from, std::int64_t to) {
    const bool cut = slab.from > 0 || slab.to < depth_;
    if (squares.unbounded) return !cut;
    squares.largest = engine_.largest(from, to);
    // Two slices more: a radius is no whole number, and lies between voxels.
    return !cut || halo_suffices(slab, depth_, root(squares.largest) / request_.sides.z + 2);
  }

  [[noreturn]] void refuse() const {
    const std::int64_t least = std::min(2 * halo_ + 1, depth_);
    throw ResourceError(std::string(engine_.memory()) + ": balls of a radius of " + std::to_string(halo_ / 2) +
                           " slices need " + std::to_string((slab_bytes(least) >> 20) + 1) +
                           " MiB beside the bits, got " +
                           std::to_string(std::max<std::int64_t>(engine_.budget(), 0) >> 20) +
                           " MiB; wanted a larger memory limit");
  }

  static constexpr std::int64_t first_halo = 64;

  const BallRequest& request_;
  BallEngine& engine_;
  const BallMapRequest& map_;
  std::int64_t depth_;
  std::int64_t lane_bytes_ = 2;
  std::int64_t strain_ = 1;  ///< how many times what slabs mostly take this volume needs
  std::int64_t halo_ = 0;
  Type widest_ = Type::Bool;  ///< of the slabs' squares; Bool before there is one
};

}  // namespace

BallRequest ball_request(const Shape& shape, const Spacing& spacing, const BallOptions& options) {
  BallRequest request{shape, options, {}};
  request.flat = shape.rank == 2 || options.by_slices;
  request.sides = whole_sides(spacing, request.flat ? 2 : 3);
  const std::int64_t shortest = request.sides.least(request.flat ? 2 : 3);
  for (const std::int64_t radius : options.radii) {
    const auto sides = static_cast<std::uint64_t>(radius * shortest);
    request.listed.push_back(sides * sides);
  }
  request.rule = {shortest, options.max_size ? *options.max_size + 1 : TallyRule().cap,
                  request.listed.empty() ? 0 : request.listed.front()};
  return request;
}

BallSizes run_balls(const BallRequest& request, BallEngine& engine, const BallMapRequest& map) {
  return Run(request, engine, map).run();
}

}  // namespace tamis::granulometry_detail
