// Porosimetry: distances, how far in the fluid gets, and balls of that.
#include <tamis/porosimetry.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>
#include <tamis/morphology.hpp>

#include "core/cpu/bit_count.hpp"
#include "core/cpu/parallel.hpp"
#include "core/stage.hpp"
#include "granulometry/cpu/balls/size_map.hpp"
#include "granulometry/cpu/balls/tally.hpp"

namespace tamis {
namespace {

namespace balls = granulometry_detail::balls;

struct Options {
  PorosimetryOptions asked;
  BallStart start;
  MapSink sink;
};

bool any(const Faces& faces) { return faces != Faces{}; }

void validate(const Image& object, const PorosimetryOptions& options) {
  if (object.empty() || object.type() != Type::Bool) {
    throw InputError("porosimetry of a " + std::string(object.empty() ? "missing" : name(object.type())) +
                     " image; wanted bool: threshold it first");
  }
  if (!any(options.inlet)) throw InputError("porosimetry without an inlet; wanted a face");
  if (object.shape().rank == 2 && (options.inlet.z_low || options.inlet.z_high)) {
    throw InputError("an inlet along z of a 2-D image of " + to_string(object.shape()) + "; wanted one along x or y");
  }
}

/// Calls visit(z, y, x) for every voxel of a face of the faces.
template <class Visit>
void for_faces(const Shape& shape, const Faces& faces, Visit visit) {
  const auto plane = [&](bool wanted, std::int64_t z0, std::int64_t z1, std::int64_t y0, std::int64_t y1,
                         std::int64_t x0, std::int64_t x1) {
    if (!wanted) return;
    for (std::int64_t z = z0; z < z1; ++z)
      for (std::int64_t y = y0; y < y1; ++y)
        for (std::int64_t x = x0; x < x1; ++x) visit(z, y, x);
  };
  plane(faces.z_low, 0, 1, 0, shape.y, 0, shape.x);
  plane(faces.z_high, shape.z - 1, shape.z, 0, shape.y, 0, shape.x);
  plane(faces.y_low, 0, shape.z, 0, 1, 0, shape.x);
  plane(faces.y_high, 0, shape.z, shape.y - 1, shape.y, 0, shape.x);
  plane(faces.x_low, 0, shape.z, 0, shape.y, 0, 1);
  plane(faces.x_high, 0, shape.z, 0, shape.y, shape.x - 1, shape.x);
}

/// The face across from a single inlet.
std::optional<Faces> opposite(const Faces& inlet) {
  for (const auto& [from, to] : {std::pair{Faces{.z_low = true}, Faces{.z_high = true}},
                                 {Faces{.z_high = true}, Faces{.z_low = true}},
                                 {Faces{.y_low = true}, Faces{.y_high = true}},
                                 {Faces{.y_high = true}, Faces{.y_low = true}},
                                 {Faces{.x_low = true}, Faces{.x_high = true}},
                                 {Faces{.x_high = true}, Faces{.x_low = true}}}) {
    if (inlet == from) return to;
  }
  return std::nullopt;
}

/// The access map: `squares` rebuilt from what they are at the inlet. Sample is a type that is reconstructed.
template <class Sample>
Image access(const Context& context, const Image& squares, const Faces& inlet) {
  Image marker(squares.type(), squares.shape());
  for_faces(squares.shape(), inlet, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    marker.row<Sample>(z, y)[x] = squares.row<Sample>(z, y)[x];
  });
  return reconstruct(context, marker, squares, {ReconstructOptions::By::Dilation, Connectivity::Face});
}

template <class From, class To>
Image converted(const Context& context, const Image& image, Type type) {
  Image out(type, image.shape(), image.spacing);
  parallel_for(context, image.shape().z, [&](std::int64_t z) {
    const From* const from = image.row<From>(z, 0);
    std::transform(from, from + image.shape().y * image.shape().x, out.row<To>(z, 0),
                   [](From sample) { return static_cast<To>(sample); });
  });
  return out;
}

/// Squares wider than 16 bits are rebuilt as F32, which holds whole numbers up to 2^24.
Image access_map(const Context& context, SquaredDistances& distances, const Faces& inlet) {
  if (distances.squares.type() == Type::U16) return access<std::uint16_t>(context, distances.squares, inlet);
  if (distances.largest >= std::uint64_t{1} << 24) {
    throw EnvironmentError("porosimetry with distances of " +
                           std::to_string(static_cast<std::int64_t>(std::sqrt(distances.largest))) +
                           " sides of a voxel; wanted at most 4095");
  }
  const Image wide = distances.squares.type() == Type::U32
                         ? converted<std::uint32_t, float>(context, distances.squares, Type::F32)
                         : converted<std::uint64_t, float>(context, distances.squares, Type::F32);
  distances.squares = {};
  return converted<float, std::uint32_t>(context, access<float>(context, wide, inlet), Type::U32);
}

std::uint64_t square_at(const Image& squares, std::int64_t z, std::int64_t y, std::int64_t x) {
  return squares.type() == Type::U16 ? squares.row<std::uint16_t>(z, y)[x] : squares.row<std::uint32_t>(z, y)[x];
}

/// The widest ball that covers a voxel of the opposite face. Its middle may lie before the face, which the border closes.
std::optional<double> breakthrough(const Image& invasion, const Faces& inlet, const WholeSides& sides) {
  const std::optional<Faces> outlet = opposite(inlet);
  if (!outlet) return std::nullopt;
  std::uint64_t widest = 0;
  for_faces(invasion.shape(), *outlet, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    widest = std::max(widest, square_at(invasion, z, y, x));
  });
  if (widest == 0) return std::nullopt;
  return std::sqrt(static_cast<double>(widest)) * sides.unit;
}

template <class Lane>
balls::BallTally paint(const Context& context, Image& squares, const WholeSides& sides, bool flat,
                       std::uint64_t largest) {
  const Shape& shape = squares.shape();
  const balls::View<Lane> view{squares.row<Lane>(0, 0), shape.z, shape.y, shape.x};
  {
    Stage stage(context, "balls", balls::size_map_tasks(shape.z));
    balls::size_map(context, view, sides, flat, static_cast<Lane>(largest), stage);
  }
  return balls::tally_of(context, view, {sides.least(flat ? 2 : 3)});
}

Porosimetry run(const Context& given, const Image& object, const Options& options) {
  Context context = given;
  context.device = Device::Cpu;
  require_device(context);
  validate(object, options.asked);
  const Shape& shape = object.shape();
  const bool flat = shape.rank == 2;
  require_memory(context, "distances, paths and balls",
                 3 * image_bytes(Type::U16, shape) + bytes_of_reconstruct(Type::U16, shape));
  SquaredDistances distances = squared_distance(context, object, {options.asked.border, options.asked.inlet});
  if (distances.unbounded) throw InputError("porosimetry of an object without any background; wanted some");
  Porosimetry result;
  result.volume = count_ones(context.simd, object.row<std::uint64_t>(0, 0), object.bytes() / 8);
  const std::uint64_t largest = distances.largest;
  Image squares = [&] {
    Stage stage(context, "access");
    return access_map(context, distances, options.asked.inlet);
  }();
  distances.squares = {};
  balls::BallTally tally = squares.type() == Type::U16
                               ? paint<std::uint16_t>(context, squares, distances.sides, flat, largest)
                               : paint<std::uint32_t>(context, squares, distances.sides, flat, largest);
  result.breakthrough = breakthrough(squares, options.asked.inlet, distances.sides);
  result.invaded = tally.finite;
  tally.tally.removed_by.resize(std::max<std::size_t>(tally.tally.removed_by.size(), 2));
  tally.tally.removed_by[1] += result.volume - result.invaded;  // what is never reached counts in volume(0) alone
  BallSizes& sizes = result.balls;
  sizes.sizes = granulometry_detail::sizes_of(tally.tally, {});
  sizes.sizes.spacing = object.spacing;
  sizes.sizes.rank = flat ? 2 : 3;
  sizes.thickness = balls::thickness_of(tally, distances.sides.least(sizes.sizes.rank));
  sizes.sides = distances.sides;
  sizes.largest_square = tally.largest;
  sizes.shortest_side = static_cast<double>(distances.sides.least(sizes.sizes.rank)) * distances.sides.unit;
  if (!options.sink) return result;
  options.start(sizes, squares.type());
  for (std::int64_t z = 0; z < shape.z; ++z) {
    if (context.cancel.stop_requested()) throw Cancelled();
    options.sink(squares.row<std::byte>(z, 0), z, 1);
  }
  return result;
}

}  // namespace

Porosimetry porosimetry(const Context& context, const Image& object, const PorosimetryOptions& options) {
  return run(context, object, {options, {}, {}});
}

Porosimetry invasion_map(const Context& context, const Image& object, const PorosimetryOptions& options,
                         const BallStart& start, const MapSink& sink) {
  return run(context, object, {options, start, sink});
}

}  // namespace tamis
