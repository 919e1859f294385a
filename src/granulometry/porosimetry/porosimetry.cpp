// Porosimetry: distances, how far in the fluid gets, and balls of that.
#include <tamis/porosimetry.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>
#include <tamis/morphology.hpp>

#include "core/bits/bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "core/visit_type.hpp"
#include "granulometry/balls/squares.hpp"
#include "granulometry/census.hpp"
#include "granulometry/cpu/balls/size_map.hpp"
#ifdef TAMIS_CUDA
#include "granulometry/gpu/balls/engine.hpp"
#include "granulometry/gpu/balls/invasion.hpp"
#endif
#include "threshold/slabs.hpp"

namespace tamis {
namespace {

namespace balls = granulometry_detail::cpu::balls;

struct Request {
  PorosimetryOptions asked;
  const Image* domain = nullptr;
  const Image* inlet = nullptr;
  BallStart start;
  MapSink sink;
};

void validate(const Image& object, const Request& request) {
  const PorosimetryOptions& options = request.asked;
  if (object.empty() || object.type() != Type::Bool) {
    throw InputError("porosimetry of a " + std::string(object.empty() ? "missing" : name(object.type())) +
                     " image; wanted bool: threshold it first");
  }
  require_image(object, "porosimetry");
  door::require_known(options.border, DomainBorder::Neutral, "border");
  door::require_known(options.convention, BallConvention::Fiji, "convention");
  detail::require_bits(*request.inlet, object.shape(), "an inlet");
  if (options.convention == BallConvention::Fiji) {
    throw InputError("porosimetry by the convention fiji; wanted tamis or porespy");
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

/// Calls visit(z, y, x) for every voxel of a mask.
template <class Visit>
void for_mask(const Shape& shape, const Image& mask, Visit visit) {
  if (mask.empty()) return;
  const bool one_for_all = mask.shape().z == 1;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        if (mask.bit(one_for_all ? 0 : z, y, x)) visit(z, y, x);
      }
}

/// The access map: `squares` rebuilt from what they are at the inlet.
Image access_map(const Context& context, const Image& squares, const Request& request) {
  return visit_square_type(squares.type(), [&](auto square) {
    using Square = decltype(square);
    Image marker(squares.type(), squares.shape());
    const auto open = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      marker.row<Square>(z, y)[x] = squares.row<Square>(z, y)[x];
    };
    for_faces(squares.shape(), request.asked.inlet, open);
    for_mask(squares.shape(), *request.inlet, open);
    return reconstruct(context, marker, squares, {ReconstructOptions::By::Dilation, Connectivity::Face});
  });
}

/// The square of the widest ball that covers a voxel of the opposite face; 0 where none does, or inlets are several.
/// Its middle may lie before the face, which the border closes.
std::uint64_t widest_at_outlet(const Image& invasion, const Request& request) {
  const std::optional<Faces> outlet = opposite(request.asked.inlet);
  std::uint64_t widest = 0;
  if (!outlet || !request.inlet->empty()) return widest;
  visit_square_type(invasion.type(), [&](auto square) {
    for_faces(invasion.shape(), *outlet, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      widest = std::max<std::uint64_t>(widest, invasion.row<decltype(square)>(z, y)[x]);
    });
  });
  return widest;
}

std::optional<double> breakthrough_of(std::uint64_t widest, const WholeSides& sides) {
  if (widest == 0) return std::nullopt;
  return std::sqrt(static_cast<double>(widest)) * sides.unit;
}

/// Whether balls may cover what no path leads to: over what is outside of a domain, as nothing is there.
bool reaches_over(const Request& request) {
  return !request.domain->empty() && request.asked.border == DomainBorder::Neutral;
}

/// Object voxels that no path leads to, which a ball may cover all the same: where it reaches over what is outside of a
/// domain, as nothing is there. Painting leaves out what is 0, so they stand there as balls of themselves.
template <class Lane>
class Unreached {
 public:
  Unreached(const Image* object, const balls::View<Lane>& view) : view_(view) {
    if (object == nullptr) return;
    bits_ = Image(Type::Bool, object->shape());
    for_each([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      if (view_.row(z, y)[x] != 0 || !object->bit(z, y, x)) return;
      view_.row(z, y)[x] = 1;
      bits_.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
    });
  }
  /// After painting: what is still only its own ball is covered by none.
  void hide() const {
    if (bits_.empty()) return;
    for_each([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      if (view_.row(z, y)[x] == 1 && bits_.bit(z, y, x)) view_.row(z, y)[x] = 0;
    });
  }

 private:
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t z = 0; z < view_.z; ++z)
      for (std::int64_t y = 0; y < view_.y; ++y)
        for (std::int64_t x = 0; x < view_.x; ++x) visit(z, y, x);
  }

  balls::View<Lane> view_;
  Image bits_;
};

/// `object`: where balls may cover what no path leads to; otherwise nullptr.
template <class Lane>
granulometry_detail::BallTally paint(const Context& context, Image& squares, const WholeSides& sides, bool flat,
                                     std::uint64_t largest, const Image* object) {
  const Shape& shape = squares.shape();
  const balls::View<Lane> view{squares.row<Lane>(0, 0), shape.z, shape.y, shape.x};
  const Unreached<Lane> unreached(object, view);
  {
    Stage stage(context, "balls", balls::size_map_tasks(shape.z));
    balls::size_map(context, view, sides, flat, static_cast<Lane>(largest), stage);
  }
  unreached.hide();
  return balls::tally_of(context, view, {sides.least(flat ? 2 : 3)});
}

granulometry_detail::BallTally paint_squares(const Context& context, Image& squares, const WholeSides& sides, bool flat,
                                             std::uint64_t largest, const Image* object = nullptr) {
  return visit_square_type(squares.type(), [&](auto square) {
    return paint<decltype(square)>(context, squares, sides, flat, largest, object);
  });
}

/// Squares as the convention has them; `largest` follows.
void into_convention(const Context& context, SquaredDistances& distances, BallConvention convention) {
  visit_square_type(distances.squares.type(), [&](auto lane) {
    using Lane = decltype(lane);
    const Shape& shape = distances.squares.shape();
    const balls::View<Lane> view{distances.squares.row<Lane>(0, 0), shape.z, shape.y, shape.x};
    distances.largest = balls::into_convention(context, view, convention, static_cast<Lane>(distances.largest), false);
  });
}

/// What a tally says as sizes of the object, `missed` voxels of which count in row 0 alone.
BallSizes sizes_of(granulometry_detail::BallTally tally, std::int64_t missed, const WholeSides& sides,
                   const Image& object) {
  tally.tally.removed_by.resize(std::max<std::size_t>(tally.tally.removed_by.size(), 2));
  tally.tally.removed_by[1] += missed;
  const int rank = object.shape().rank;
  BallSizes sizes;
  sizes.sizes = granulometry_detail::sizes_of(tally.tally, {});
  sizes.sizes.spacing = object.spacing;
  sizes.sizes.rank = rank;
  sizes.thickness = granulometry_detail::thickness_of(tally, sides.least(rank));
  sizes.sides = sides;
  sizes.largest_square = tally.largest;
  sizes.shortest_side = static_cast<double>(sides.least(rank)) * sides.unit;
  return sizes;
}

/// All but what breaks through.
Porosimetry result_of(const Context& context, const Image& object, const WholeSides& sides,
                      const granulometry_detail::BallTally& invaded,
                      const std::optional<granulometry_detail::BallTally>& pores) {
  Porosimetry result;
  result.volume = count_ones(context.simd, object.row<std::uint64_t>(0, 0), object.bytes() / 8);
  result.invaded = invaded.finite;
  result.balls = sizes_of(invaded, result.volume - result.invaded, sides, object);
  if (pores) result.pores = sizes_of(*pores, 0, sides, object);
  return result;
}

Image copy_of(const Image& image) {
  Image copy(image.type(), image.shape(), image.spacing);
  std::memcpy(copy.data(), image.data(), static_cast<std::size_t>(image.bytes()));
  return copy;
}

#ifdef TAMIS_CUDA
/// Bits of all that the fluid comes from.
Image inlet_bits(const Shape& shape, const Request& request) {
  Image bits(Type::Bool, shape);
  const auto set = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    bits.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
  };
  for_faces(shape, request.asked.inlet, set);
  for_mask(shape, *request.inlet, set);
  return bits;
}

/// Nothing: for the CPU.
std::optional<Porosimetry> run_on_gpu(const Context& context, const Image& object, const Request& request,
                                      const WholeSides& sides) {
  namespace gpu = granulometry_detail::gpu::balls;
  if (!request.domain->empty()) {
    granulometry_detail::require_object(object, *request.domain);
    static_cast<void>(granulometry_detail::take_census(context, object, *request.domain, true));
  }
  const Image inlet = inlet_bits(object.shape(), request);
  gpu::InvasionTask task{&object, request.domain->empty() ? nullptr : request.domain, &inlet, request.asked, sides};
  if (request.inlet->empty()) task.outlet = opposite(request.asked.inlet);
  try {
    const gpu::Invasion invasion(context, task);
    Porosimetry result = result_of(context, object, sides, invasion.invaded(), invasion.pores());
    result.breakthrough = breakthrough_of(invasion.widest(), sides);
    result.balls.sizes.device = Device::Cuda;
    result.balls.sizes.gpu = context.gpu;
    if (!request.sink) return result;
    request.start(result.balls, invasion.type());
    invasion.deliver(request.sink);
    return result;
  } catch (const gpu::TooWide& why) {
    gpu::tell_of_cpu(context, why.what);
    return std::nullopt;
  } catch (const cuda::OutOfMemory&) {
    if (context.device == Device::Auto) {
      gpu::tell_of_cpu(context, "GPU memory is short");
      return std::nullopt;
    }
    throw ResourceError("GPU memory: porosimetry of " + to_string(object.shape()) + " takes about " +
                        std::to_string((12 * object.shape().count() >> 20) + 1) +
                        " MiB, and does not run in slabs; wanted more free memory, or `device cpu`");
  }
}
#endif

Porosimetry run_on_cpu(const Context& context, const Image& object, const Request& request) {
  const Shape& shape = object.shape();
  const bool flat = shape.rank == 2;
  require_memory(context, "distances, paths and balls",
                 3 * image_bytes(Type::U16, shape) + bytes_of_reconstruct(Type::U16, shape));
  SquaredDistances distances =
      squared_distance(context, object, {request.asked.border, request.asked.inlet}, *request.domain);
  if (distances.unbounded) throw InputError("porosimetry of an object without any background; wanted some");
  into_convention(context, distances, request.asked.convention);
  const std::uint64_t largest = distances.largest;
  const WholeSides sides = distances.sides;
  std::optional<granulometry_detail::BallTally> pores;
  if (request.asked.pores) {
    Image squares = copy_of(distances.squares);
    pores = paint_squares(context, squares, sides, flat, largest);
  }
  Image squares = [&] {
    Stage stage(context, "access");
    return access_map(context, distances.squares, request);
  }();
  distances.squares = {};
  const granulometry_detail::BallTally tally =
      paint_squares(context, squares, sides, flat, largest, reaches_over(request) ? &object : nullptr);
  Porosimetry result = result_of(context, object, sides, tally, pores);
  result.breakthrough = breakthrough_of(widest_at_outlet(squares, request), sides);
  if (!request.sink) return result;
  request.start(result.balls, squares.type());
  for (std::int64_t z = 0; z < shape.z; ++z) {
    if (context.cancel.stop_requested()) throw Cancelled();
    request.sink(squares.row<std::byte>(z, 0), z, 1);
  }
  return result;
}

Porosimetry run(const Context& given, const Image& object, Request request) {
  return door::compute(given, "porosimetry", [&]() -> Porosimetry {
    validate(object, request);
    const int rank = object.shape().rank;
    const bool mask_alone = request.asked.inlet == Faces{} && !request.inlet->empty();
    if (!mask_alone) request.asked.inlet = inlet_faces(request.asked.inlet, rank);
    const WholeSides sides = whole_sides(object.spacing, rank);
    granulometry_detail::require_convention(request.asked.convention, sides, rank == 2);
#ifdef TAMIS_CUDA
    if (choose_device(given, object.shape().count()) == Device::Cuda) {
      if (std::optional<Porosimetry> done = run_on_gpu(given, object, request, sides)) return std::move(*done);
    }
#endif
    Context context = given;
    context.device = Device::Cpu;
    return run_on_cpu(context, object, request);
  });
}

}  // namespace

Porosimetry porosimetry(const Context& context, const Image& object, const PorosimetryOptions& options,
                        const Image& domain, const Image& inlet) {
  return run(context, object, {options, &domain, &inlet, {}, {}});
}

Porosimetry invasion_map(const Context& context, const Image& object, const PorosimetryOptions& options,
                         const Image& domain, const Image& inlet, const BallStart& start, const MapSink& sink) {
  door::require_map(start != nullptr, sink != nullptr, "invasion_map");
  return run(context, object, {options, &domain, &inlet, start, sink});
}

Image inlet_of_mask(const Context& context, const Layout& layout, SliceSource& mask) {
  require_layout(layout, "an inlet");
  return door::enter(context, "an inlet", [&] {
    return std::move(threshold_detail::domain_of(context, layout, {Region::Kind::Mask, &mask}).bits);
  });
}

}  // namespace tamis
