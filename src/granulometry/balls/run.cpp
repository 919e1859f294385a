#include "granulometry/balls/run.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/shared/pieces.hpp"
#include "core/stage.hpp"
#include "granulometry/balls/squares.hpp"
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

constexpr std::int64_t first_halo = 64;

/// The type that squares of the whole have, as distance.hpp says: a slab's may be wider for what lies beyond its halo.
Type type_of(std::uint64_t largest, Type found) {
  if (largest < 65025) return Type::U16;
  return found == Type::U64 && largest < (std::uint64_t{1} << 31) - 1 ? Type::U32 : found;
}

/// Bool is no type of squares: there were none yet.
Type wider(Type a, Type b) { return a == Type::Bool || sample_bytes(b) > sample_bytes(a) ? b : a; }

/// One engine, and what it has found out of the slabs that it can work on.
class Slabs {
 public:
  Slabs(const BallRequest& request, BallEngine& engine)
      : request_(request), engine_(engine), depth_(request.shape.z), halo_(request.flat ? 0 : first_halo) {}

  /// The volume as one slab; nothing where memory does not hold it.
  std::optional<BallTally> whole() {
    if (slab_bytes(depth_) > engine_.budget() || depth_ > engine_.most_slices()) return std::nullopt;
    try {
      const BallSquares squares = engine_.distances(0, depth_, {});
      lane_bytes_ = std::max(lane_bytes_, sample_bytes(squares.type));
      if (slab_bytes(depth_) > engine_.budget()) return std::nullopt;
      widest_ = squares.type;
      return engine_.paint(0, depth_, squares.largest);
    } catch (const SlabTooLarge&) {
      strain_ *= 2;
      return std::nullopt;
    }
  }

  /// Slabs with results for [begin, end), one after the other: done(slab, tally) says whether to go on.
  template <class Done>
  void each(std::int64_t begin, std::int64_t end, Done done) {
    while (begin < end) {
      const Slab slab = next_slab_until(end, begin, depth_, halo_, std::min(fitting_slices(), engine_.most_slices()));
      if (slab.end == slab.begin) {
        if (engine_.most_slices() < fitting_slices()) engine_.refuse_slices();
        refuse();
      }
      std::optional<BallTally> part;
      try {
        part = run_slab(slab);
      } catch (const SlabTooLarge&) {
        strain_ *= 2;
      }
      if (!part) continue;
      if (!done(slab, *part)) return;
      begin = slab.end;
    }
  }

  /// Of the squares of all slabs so far; Bool before there is one.
  [[nodiscard]] Type widest() const { return widest_; }
  [[nodiscard]] BallEngine& engine() const { return engine_; }

 private:
  [[nodiscard]] std::int64_t slab_bytes(std::int64_t slices) const {
    return strain_ * engine_.slab_bytes(slices, lane_bytes_);
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
    widest_ = wider(widest_, type_of(squares.largest, squares.type));
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

  const BallRequest& request_;
  BallEngine& engine_;
  std::int64_t depth_;
  std::int64_t lane_bytes_ = 2;
  std::int64_t strain_ = 1;  ///< how many times what slabs mostly take this volume needs
  std::int64_t halo_;
  Type widest_ = Type::Bool;
};

/// What never erodes has the number of the last row, and a map its type, before the first slice.
BallDelivery start_map(const BallMapRequest& map, const BallSizes& sizes, Type squares) {
  const BallDelivery delivery{&sizes, map.measure, map.measure ? ball_map_type(sizes, *map.measure) : squares};
  map.start(sizes, delivery.type);
  return delivery;
}

void deliver(BallEngine& engine, const Slab& slab, const BallDelivery& delivery) {
  engine.deliver(slab.begin - slab.from, slab.end - slab.from, slab.begin, delivery);
}

/// Engines of several GPUs, each with pieces of the volume.
class SharedRun {
 public:
  SharedRun(const Context& context, const BallRequest& request, const BallEngineMaker& make, const BallMapRequest& map)
      : context_(context), request_(request), make_(make), map_(map), workers_(shared::worker_count(context)) {}
  SharedRun(const SharedRun&) = delete;
  SharedRun& operator=(const SharedRun&) = delete;
  ~SharedRun() = default;

  BallSizes run() {
    BallTally tally;
    Type widest = Type::Bool;
    std::mutex mutex;
    for_each_slab("balls", [&](Slabs& slabs, shared::Hand& hand, const Slab& slab, const BallTally& part) {
      const std::lock_guard lock(mutex);
      tally.add(part);
      widest = wider(widest, slabs.widest());
      hand.advance(slab.end);
      return true;
    });
    const BallSizes sizes = sizes_of(request_, tally);
    if (!map_.wanted) return sizes;
    const BallDelivery delivery = start_map(map_, sizes, widest);
    for_each_slab("size map", [&](Slabs& slabs, shared::Hand& hand, const Slab& slab, const BallTally&) {
      if (!hand.wait_for_turn()) return false;
      deliver(slabs.engine(), slab, delivery);
      hand.advance(slab.end);
      return true;
    });
    return sizes;
  }

 private:
  struct Worker {
    explicit Worker(const Context& one, const BallRequest& request, const BallEngineMaker& make)
        : context(one), engine(make(context)), slabs(request, *engine) {}
    Context context;
    std::unique_ptr<BallEngine> engine;
    Slabs slabs;
  };

  template <class Done>
  void for_each_slab(const char* what, Done done) {
    const std::int64_t depth = request_.shape.z;
    const shared::PieceSizes fair = shared::fair_pieces(depth, workers_.size(), request_.flat ? 0 : first_halo);
    Stage stage(context_, what, depth);
    const auto lost = shared::run_shared(context_, depth, [&](const Context& one, shared::Hand& hand, std::size_t number) {
      std::unique_ptr<Worker>& worker = workers_[number];
      if (!worker) worker = std::make_unique<Worker>(one, request_, make_);
      const auto scope = worker->engine->on_this_thread();
      while (const auto piece = hand.take(fair)) {
        worker->slabs.each(piece->begin, piece->end, [&](const Slab& slab, const BallTally& part) {
          if (!done(worker->slabs, hand, slab, part)) return false;
          stage.advance(slab.end - slab.begin);
          return true;
        });
      }
    });
    for (const std::size_t worker : lost) {
      workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(worker));
      shared::leave_out(context_, worker);
    }
  }

  Context context_;
  const BallRequest& request_;
  const BallEngineMaker& make_;
  const BallMapRequest& map_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

BallSizes sizes_of(const BallRequest& request, const BallTally& tally) {
  GranulometryOptions options;
  options.max_size = request.options.max_size;
  BallSizes result;
  result.sizes = granulometry_detail::sizes_of(tally.tally, options);
  if (!request.listed.empty()) keep_listed(result.sizes, request.options.radii);
  const std::int64_t shortest = request.rule.shortest_side;
  result.sizes.rank = request.flat ? 2 : 3;
  result.least_square = request.rule.least_square;
  result.thickness = thickness_of(tally, shortest);
  result.sides = request.sides;
  result.largest_square = tally.largest;
  result.unbounded = tally.tally.never;
  result.shortest_side = static_cast<double>(shortest) * request.sides.unit;
  return result;
}

BallSizes sizes_of_full(const BallRequest& request, std::int64_t voxels) {
  BallSizes result;
  result.sizes.volume = {voxels};
  result.sizes.never_empties = true;
  result.sides = request.sides;
  result.unbounded = voxels;
  result.shortest_side = static_cast<double>(request.rule.shortest_side) * request.sides.unit;
  return result;
}

BallRequest ball_request(const Shape& shape, const Spacing& spacing, const BallOptions& options) {
  BallRequest request{shape, options, {}};
  request.flat = shape.rank == 2 || options.by_slices;
  request.sides = whole_sides(spacing, request.flat ? 2 : 3);
  const std::int64_t shortest = request.sides.least(request.flat ? 2 : 3);
  for (const std::int64_t radius : options.radii) {
    // No distance is as long as the longest here.
    const auto sides = std::min(static_cast<std::uint64_t>(radius * shortest), std::uint64_t{1} << 31);
    request.listed.push_back(sides * sides);
  }
  request.rule = {shortest, options.max_size ? *options.max_size + 1 : TallyRule().cap,
                  request.listed.empty() ? 0 : request.listed.front()};
  return request;
}

BallSizes run_balls(const BallRequest& request, BallEngine& engine, const BallMapRequest& map) {
  Slabs slabs(request, engine);
  const std::int64_t depth = request.shape.z;
  if (const std::optional<BallTally> whole = slabs.whole()) {
    const BallSizes sizes = sizes_of(request, *whole);
    if (map.wanted) deliver(engine, {0, 0, depth, depth}, start_map(map, sizes, slabs.widest()));
    return sizes;
  }
  BallTally tally;
  slabs.each(0, depth, [&](const Slab&, const BallTally& part) {
    tally.add(part);
    return true;
  });
  const BallSizes sizes = sizes_of(request, tally);
  if (!map.wanted) return sizes;
  const BallDelivery delivery = start_map(map, sizes, slabs.widest());
  slabs.each(0, depth, [&](const Slab& slab, const BallTally&) {
    deliver(engine, slab, delivery);
    return true;
  });
  return sizes;
}

BallSizes run_balls(const Context& context, const BallRequest& request, const BallEngineMaker& make,
                    const BallMapRequest& map) {
  if (shared::worker_count(context) > 1) return SharedRun(context, request, make, map).run();
  const std::unique_ptr<BallEngine> engine = make(context);
  return run_balls(request, *engine, map);
}

}  // namespace tamis::granulometry_detail
