#include "granulometry/cpu/balls/run.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/cpu/bit_count.hpp"
#include "core/cpu/parallel.hpp"
#include "core/stage.hpp"
#include "granulometry/cpu/balls/convention.hpp"
#include "granulometry/cpu/balls/roots.hpp"
#include "granulometry/cpu/balls/size_map.hpp"
#include "granulometry/cpu/balls/tally.hpp"
#include "granulometry/plan.hpp"

namespace tamis::granulometry_detail::cpu::balls {
namespace {

/// Slices [from, to) of an image of bits; those of one slice serve for all.
Image slices_of(const Image& bits, std::int64_t from, std::int64_t to) {
  const Shape& shape = bits.shape();
  if (shape.z == 1 && to - from >= 1 && from >= 0) from = 0, to = 1;
  Image part(Type::Bool, {to - from, shape.y, shape.x, shape.rank}, bits.spacing);
  std::memcpy(part.data(), bits.row<std::byte>(from, 0), static_cast<std::size_t>(part.bytes()));
  return part;
}

template <class Lane>
View<Lane> view_of(Image& squares, std::int64_t begin, std::int64_t end) {
  return {squares.row<Lane>(begin, 0), end - begin, squares.shape().y, squares.shape().x};
}

/// Calls work with a value of the type of the squares.
template <class Work>
auto with_lane(Type type, Work work) {
  if (type == Type::U16) return work(std::uint16_t{});
  if (type == Type::U32) return work(std::uint32_t{});
  return work(std::uint64_t{});
}

std::vector<std::uint64_t> squares_of_radii(const std::vector<std::int64_t>& radii, std::int64_t shortest_side) {
  std::vector<std::uint64_t> squares;
  for (const std::int64_t radius : radii) {
    squares.push_back(static_cast<std::uint64_t>(radius * shortest_side) *
                      static_cast<std::uint64_t>(radius * shortest_side));
  }
  return squares;
}

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
  Run(const Context& context, const Request& request, const MapOutput& map)
      : context_(context),
        request_(request),
        map_(map),
        shape_(request.object->shape()),
        shortest_(request.sides.least(request.flat ? 2 : 3)),
        listed_(squares_of_radii(request.options.radii, shortest_)),
        rule_{shortest_, request.options.max_size ? *request.options.max_size + 1 : TallyRule().cap,
              listed_.empty() ? 0 : listed_.front()},
        budget_(memory_budget(context) - (context.memory_bytes > 0 ? bytes_of_bits() : 0)) {}

  BallSizes run() {
    if (slab_bytes(shape_.z) <= budget_) return run_whole();
    BallTally tally = for_each_slab({});
    const BallSizes sizes = sizes_of(tally);
    if (map_) {  // what never erodes has the number of the last row, and a map its type, before the first slice
      map_.start(sizes, widest_);
      for_each_slab(map_.sink);
    }
    return sizes;
  }

 private:
  [[nodiscard]] std::int64_t bytes_of_bits() const {
    return request_.object->bytes() + (request_.domain != nullptr ? request_.domain->bytes() : 0);
  }

  /// Bytes for a slab of z slices beside the bits of the whole: its bits, squares, lists, the program itself.
  [[nodiscard]] std::int64_t slab_bytes(std::int64_t z) const {
    constexpr std::int64_t reserve = std::int64_t{8} << 20;
    const std::int64_t plane = shape_.y * shape_.x;
    const std::int64_t bits = z < shape_.z ? 2 * z * ((shape_.x + 63) / 64 * 8) * shape_.y : 0;
    return reserve + bits + z * plane * lane_bytes_ + list_bytes(shape_.x, shape_.y, z, lane_bytes_);
  }

  BallSizes run_whole() {
    SquaredDistances squares = distances(*request_.object, request_.domain ? *request_.domain : no_domain_, {});
    const BallTally tally = paint(squares, 0, shape_.z);
    const BallSizes sizes = sizes_of(tally);
    if (map_) {
      Stage stage(context_, "size map");
      map_.start(sizes, squares.squares.type());
      deliver(squares.squares, 0, shape_.z, 0, map_.sink);
    }
    return sizes;
  }

  SquaredDistances distances(const Image& object, const Image& domain, const Faces& open) {
    DistanceOptions options{request_.options.border, open, request_.flat};
    return squared_distance(context_, object, options, domain);
  }

  /// T2 of slices [begin, end) in place, and what they come to.
  BallTally paint(SquaredDistances& squares, std::int64_t begin, std::int64_t end) {
    return with_lane(squares.squares.type(), [&](auto lane) {
      using Lane = decltype(lane);
      const View<Lane> view = view_of<Lane>(squares.squares, begin, end);
      const std::vector<std::int64_t> infinite = squares.unbounded ? hide_infinite(view) : std::vector<std::int64_t>();
      Lane largest = Lane(squares.largest);
      if (!listed_.empty()) largest = into_listed(context_, view, listed_, largest);
      largest = into_convention(context_, view, request_.options.convention, largest, rule_.least_square > no_ball);
      {
        Stage stage(context_, "balls", size_map_tasks(view.z));
        size_map(context_, view, squares.sides, request_.flat, largest, stage);
      }
      out_of_convention(context_, view, request_.options.convention);
      for (const std::int64_t z : infinite) show_infinite(view, z, begin);
      Stage stage(context_, "counting");
      return tally_of(context_, view, rule_);
    });
  }

  /// Slices without background take no part in painting. Returns which they are.
  template <class Lane>
  std::vector<std::int64_t> hide_infinite(const View<Lane>& view) {
    std::vector<std::int64_t> found;
    constexpr Lane infinite = std::numeric_limits<Lane>::max();
    for (std::int64_t z = 0; z < view.z; ++z) {
      Lane* const first = view.row(z, 0);
      if (std::find(first, first + view.y * view.x, infinite) == first + view.y * view.x) continue;
      std::replace(first, first + view.y * view.x, infinite, Lane{0});
      found.push_back(z);
    }
    return found;
  }
  template <class Lane>
  void show_infinite(const View<Lane>& view, std::int64_t z, std::int64_t begin) {
    for (std::int64_t y = 0; y < view.y; ++y) {
      for (std::int64_t x = 0; x < view.x; ++x) {
        if (request_.object->bit(first_slice_ + begin + z, y, x)) view.row(z, y)[x] = std::numeric_limits<Lane>::max();
      }
    }
  }

  BallSizes sizes_of(const BallTally& tally) const {
    GranulometryOptions options;
    options.max_size = request_.options.max_size;
    BallSizes result;
    result.sizes = granulometry_detail::sizes_of(tally.tally, options);
    if (!listed_.empty()) keep_listed(result.sizes, request_.options.radii);
    result.least_square = rule_.least_square;
    result.thickness = thickness_of(tally, shortest_);
    result.sides = request_.sides;
    result.largest_square = tally.largest;
    result.unbounded = tally.tally.never;
    result.shortest_side = static_cast<double>(shortest_) * request_.sides.unit;
    return result;
  }

  /// Squares as they are wanted: `as` may be wider than what a slab has.
  void deliver(Image& squares, std::int64_t begin, std::int64_t end, std::int64_t z0, const MapSink& sink) {
    for (std::int64_t z = begin; z < end; ++z) {
      if (context_.cancel.stop_requested()) throw Cancelled();
      if (squares.type() == widest_ || widest_ == Type::Bool) {
        sink(squares.row<std::byte>(z, 0), z0 + z - begin, 1);
      } else {
        widen(squares, z);
        sink(reinterpret_cast<const std::byte*>(wide_.data()), z0 + z - begin, 1);
      }
    }
  }

  void widen(Image& squares, std::int64_t z) {
    const std::int64_t count = shape_.y * shape_.x;
    wide_.resize(static_cast<std::size_t>(count));
    with_lane(widest_, [&](auto wide) {
      using Wide = decltype(wide);
      auto* const to = reinterpret_cast<Wide*>(wide_.data());
      with_lane(squares.type(), [&](auto narrow) {
        using Narrow = decltype(narrow);
        const Narrow* const from = squares.row<Narrow>(z, 0);
        std::transform(from, from + count, to, [](Narrow value) {
          const bool infinite = value == std::numeric_limits<Narrow>::max();
          return infinite ? std::numeric_limits<Wide>::max() : static_cast<Wide>(value);
        });
      });
    });
  }

  BallTally for_each_slab(const MapSink& sink) {
    BallTally tally;
    for (std::int64_t begin = 0, halo = request_.flat ? 0 : first_halo; begin < shape_.z;) {
      const std::int64_t fixed = slab_bytes(0);
      const std::int64_t fit =
          std::max<std::int64_t>(budget_ - fixed, 0) / std::max<std::int64_t>(slab_bytes(1) - fixed, 1);
      const Slab slab = next_slab(begin, shape_.z, halo, fit);
      if (slab.end == slab.begin) refuse(halo);
      const Image object = slices_of(*request_.object, slab.from, slab.to);
      const Image domain = request_.domain ? slices_of(*request_.domain, slab.from, slab.to) : Image();
      SquaredDistances squares = distances(object, domain, {slab.from > 0, slab.to < shape_.z});
      const std::int64_t from = slab.inner_from() - slab.from;
      const std::int64_t to = slab.inner_to() - slab.from;
      const std::int64_t bytes = sample_bytes(squares.squares.type());
      if (bytes > lane_bytes_) {  // wider lanes, fewer slices
        lane_bytes_ = bytes;
        continue;
      }
      if (!request_.flat && !settle_largest(squares, slab, from, to)) {
        halo *= 2;
        continue;
      }
      if (bytes > sample_bytes(widest_) || widest_ == Type::Bool) widest_ = squares.squares.type();
      first_slice_ = slab.from;
      const BallTally part = paint(squares, from, to);
      if (slab.begin == slab.from + from && slab.end == slab.from + to) {
        tally.add(part);
      } else {
        tally.add(tally_of_slices(squares.squares, slab.begin - slab.from, slab.end - slab.from));
      }
      if (sink) deliver(squares.squares, slab.begin - slab.from, slab.end - slab.from, slab.begin, sink);
      begin = slab.end;
    }
    return tally;
  }

  BallTally tally_of_slices(Image& squares, std::int64_t begin, std::int64_t end) {
    return with_lane(squares.type(), [&](auto lane) {
      return tally_of(context_, view_of<decltype(lane)>(squares, begin, end), rule_);
    });
  }

  /// Finds the largest square of the slices whose distances must be exact. Returns whether the halo suffices for it.
  bool settle_largest(SquaredDistances& squares, const Slab& slab, std::int64_t from, std::int64_t to) {
    std::uint64_t largest = 0;
    with_lane(squares.squares.type(), [&](auto lane) {
      using Lane = decltype(lane);
      const View<Lane> view = view_of<Lane>(squares.squares, from, to);
      for (std::int64_t z = 0; z < view.z; ++z) {
        const Lane* const first = view.row(z, 0);
        largest = std::max(largest, std::uint64_t{*std::max_element(first, first + view.y * view.x)});
      }
    });
    squares.largest = largest;
    const bool cut = slab.from > 0 || slab.to < shape_.z;
    if (squares.unbounded) return !cut;
    // Two slices more: a radius is no whole number, and lies between voxels.
    return !cut || halo_suffices(slab, shape_.z, root(largest) / request_.sides.z + 2);
  }

  [[noreturn]] void refuse(std::int64_t halo) const {
    const std::int64_t least = std::min(2 * halo + 1, shape_.z);
    throw EnvironmentError("memory: balls of a radius of " + std::to_string(halo / 2) + " slices need " +
                           std::to_string((slab_bytes(least) >> 20) + 1) + " MiB beside the bits, got " +
                           std::to_string(std::max<std::int64_t>(budget_, 0) >> 20) +
                           " MiB; wanted a larger memory limit");
  }

  static constexpr std::int64_t first_halo = 64;

  const Context& context_;
  const Request& request_;
  const MapOutput& map_;
  const Shape& shape_;
  std::int64_t shortest_;
  std::vector<std::uint64_t> listed_;  ///< squares of the radii that balls may have; empty: of all
  TallyRule rule_;
  std::int64_t budget_;
  std::int64_t lane_bytes_ = 2;
  Type widest_ = Type::Bool;  ///< of the slabs' squares; Bool before there is one
  std::int64_t first_slice_ = 0;
  Image no_domain_;
  std::vector<std::uint64_t> wide_;
};

/// An object that fills its domain under a neutral border is the same after every opening.
BallSizes run_full(const Context& context, const Request& request, const MapOutput& map) {
  const Image& object = *request.object;
  BallSizes result;
  result.sizes.volume = {count_ones(context.simd, object.row<std::uint64_t>(0, 0), object.bytes() / 8)};
  result.sizes.never_empties = true;
  result.sides = request.sides;
  result.unbounded = result.sizes.volume.front();
  result.shortest_side = static_cast<double>(request.sides.least(request.flat ? 2 : 3)) * request.sides.unit;
  if (!map) return result;
  const Shape& shape = object.shape();
  map.start(result, Type::U16);
  std::vector<std::uint16_t> slice(static_cast<std::size_t>(shape.y * shape.x));
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      for (std::int64_t x = 0; x < shape.x; ++x) {
        slice[static_cast<std::size_t>(y * shape.x + x)] = object.bit(z, y, x) ? 65535 : 0;
      }
    }
    map.sink(reinterpret_cast<const std::byte*>(slice.data()), z, 1);
  }
  return result;
}

}  // namespace

BallSizes run(const Context& context, const Request& request, const MapOutput& map) {
  if (request.never_erodes) return run_full(context, request, map);
  return Run(context, request, map).run();
}

}  // namespace tamis::granulometry_detail::cpu::balls
