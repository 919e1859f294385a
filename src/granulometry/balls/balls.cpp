// Granulometry by balls: validation, and maps of squares as sizes and lengths.
#include <tamis/balls.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <tamis/error.hpp>

#include "core/door.hpp"
#include "core/visit_type.hpp"
#include "granulometry/balls/measure.hpp"
#include "granulometry/balls/run.hpp"
#include "granulometry/balls/squares.hpp"
#include "granulometry/census.hpp"
#include "granulometry/cpu/balls/engine.hpp"
#ifdef TAMIS_CUDA
#include "granulometry/gpu/balls/engine.hpp"
#endif
#include "granulometry/plan.hpp"

namespace tamis {
namespace {

using granulometry_detail::BallMapRequest;
using granulometry_detail::BallRequest;
using granulometry_detail::largest_size;

void require_radii(const BallOptions& options) {
  if (options.radii.empty()) return;
  if (options.max_size) throw InputError("`max_size` and `sizes`; wanted one of them");
  for (std::size_t i = 0; i < options.radii.size(); ++i) {
    require_in(granulometry_detail::radius_limits, static_cast<double>(options.radii[i]), "sizes");
    if (i > 0 && options.radii[i] <= options.radii[i - 1]) throw InputError("`sizes`: wanted radii that increase");
  }
}

/// What is asked of images of the host.
struct HostRequest {
  const Image& object;
  const Image& domain;
  BallRequest balls;
  BallMapRequest map;
  const MapSink& sink;
};

/// An object that fills its domain under a neutral border, with its map.
BallSizes run_full(const HostRequest& request, std::int64_t voxels) {
  const Image& object = request.object;
  BallSizes result = sizes_of_full(request.balls, voxels);
  if (!request.map.wanted) return result;
  const Shape& shape = object.shape();
  const std::optional<BallMeasure> measure = request.map.measure;
  const Type type = measure ? ball_map_type(result, *measure) : Type::U16;
  request.map.start(result, type);
  std::vector<std::uint16_t> slice(static_cast<std::size_t>(shape.y * shape.x));
  std::vector<std::byte> samples(slice.size() * static_cast<std::size_t>(sample_bytes(type)));
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      for (std::int64_t x = 0; x < shape.x; ++x) {
        slice[static_cast<std::size_t>(y * shape.x + x)] = object.bit(z, y, x) ? 65535 : 0;
      }
    }
    const auto* const squares = reinterpret_cast<const std::byte*>(slice.data());
    if (measure) measure_balls(result, *measure, Type::U16, squares, shape.y * shape.x, samples.data());
    request.sink(measure ? samples.data() : squares, z, 1);
  }
  return result;
}

BallSizes run_on_cpu(const Context& context, const HostRequest& request) {
  const auto engine = granulometry_detail::cpu::balls::make_engine(
      context, request.balls, request.object, request.domain.empty() ? nullptr : &request.domain, request.sink);
  return run_balls(request.balls, *engine, request.map);
}

BallSizes run_chosen(const Context& context, const HostRequest& request) {
#ifdef TAMIS_CUDA
  if (choose_device(context, request.balls.shape.count()) == Device::Cuda) {
    namespace gpu = granulometry_detail::gpu;
    const gpu::BitVolume domain = request.domain.empty() ? gpu::BitVolume{} : gpu::volume_of(request.domain);
    try {
      return gpu::balls::run_of_host(context, request.balls,
                                     {gpu::volume_of(request.object), domain, {request.sink, {}}}, request.map);
    } catch (const gpu::balls::TooWide& why) {
      gpu::balls::tell_of_cpu(context, why.what);
    }
  }
#endif
  return run_on_cpu(context, request);
}

BallSizes run(const Context& context, const Image& object, const BallOptions& options, const Image& domain,
              const BallMapRequest& map, const MapSink& sink) {
  return door::compute(context, "granulometry", [&] {
    if (map.wanted) door::require_map(map.start != nullptr, sink != nullptr, "ball_map");
    granulometry_detail::require_object(object, domain);
    const HostRequest request{object, domain, granulometry_detail::checked_request(object.shape(), object.spacing, options),
                              map, sink};
    const bool flat = request.balls.flat;
    const auto census = granulometry_detail::take_census(context, object, domain, !flat);
    const bool never_erodes =
        options.border == DomainBorder::Neutral && census.object > 0 && census.object == census.domain;
    BallSizes result = never_erodes ? run_full(request, census.object) : run_chosen(context, request);
    result.sizes.border_voxels = census.border;
    result.sizes.spacing = object.spacing;
    result.sizes.rank = flat ? 2 : 3;
    return result;
  });
}

template <class Lane, class Sample, class Convert>
void convert_squares(const std::byte* from, std::int64_t count, std::byte* to, Convert convert) {
  for (std::int64_t i = 0; i < count; ++i) {
    Lane square = 0;
    std::memcpy(&square, from + i * static_cast<std::int64_t>(sizeof(Lane)), sizeof(Lane));
    const bool infinite = square == std::numeric_limits<Lane>::max();
    const auto sample = static_cast<Sample>(square == 0 ? 0 : convert(std::uint64_t{square}, infinite));
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof(Sample)), &sample, sizeof(Sample));
  }
}

/// Squares are of the types that visit_square_type() knows.
void require_lanes(Type squares, std::int64_t count, const std::byte* from, const std::byte* to) {
  if ((squares != Type::U16 && squares != Type::U32 && squares != Type::U64) || count < 0) {
    throw InputError("squares of " + std::string(name(squares)) + ", " + std::to_string(count) +
                     " of them; wanted u16, u32 or u64, 0 or more");
  }
  if (count == 0) return;
  door::require_pointer(from, "squares");
  door::require_pointer(to, "memory for samples");
}

template <class Sample, class Convert>
void convert_type(Type squares, const std::byte* from, std::int64_t count, std::byte* to, Convert convert) {
  visit_square_type(squares, [&](auto square) { convert_squares<decltype(square), Sample>(from, count, to, convert); });
}

}  // namespace

BallRequest granulometry_detail::checked_request(const Shape& shape, const Spacing& spacing,
                                                 const BallOptions& options) {
  door::require_known(options.border, DomainBorder::Neutral, "border");
  door::require_known(options.convention, BallConvention::Fiji, "convention");
  if (options.max_size) require_in(granulometry_detail::size_limits, static_cast<double>(*options.max_size), "max_size");
  require_radii(options);
  BallRequest request = ball_request(shape, spacing, options);
  require_convention(options.convention, request.sides, request.flat);
  return request;
}

void granulometry_detail::require_convention(BallConvention convention, const WholeSides& sides, bool flat) {
  const bool equal = sides.x == sides.y && (flat || sides.y == sides.z);
  if (convention == BallConvention::Porespy && !equal) {
    throw InputError("convention porespy has integer radii in voxels; wanted voxels of equal sides, or another convention");
  }
}

std::string_view name(BallConvention convention) {
  switch (convention) {
    case BallConvention::Tamis:
      return "tamis";
    case BallConvention::Porespy:
      return "porespy";
    case BallConvention::Fiji:
      return "fiji";
  }
  door::refuse_value(static_cast<std::int64_t>(convention), static_cast<std::int64_t>(BallConvention::Fiji), "convention");
}

Type ball_map_type(const BallSizes& sizes, BallMeasure measure) {
  door::require_known(measure, BallMeasure::Diameter, "measure");
  return measure == BallMeasure::Size ? granulometry_detail::map_type(largest_size(sizes)) : Type::F32;
}

void measure_balls(const BallSizes& sizes, BallMeasure measure, Type squares, const std::byte* from, std::int64_t count,
                   std::byte* to) {
  const Type type = ball_map_type(sizes, measure);
  require_lanes(squares, count, from, to);
  if (measure == BallMeasure::Size) {
    const std::int64_t most = largest_size(sizes);
    const std::int64_t side = sizes.sides.least(sizes.sizes.rank);
    const auto size = [&](std::uint64_t square, bool infinite) {
      if (infinite) return most;
      return square < sizes.least_square ? 1 : std::min(most, granulometry_detail::removed_by(square, side));
    };
    if (type == Type::U8) return convert_type<std::uint8_t>(squares, from, count, to, size);
    if (type == Type::U16) return convert_type<std::uint16_t>(squares, from, count, to, size);
    return convert_type<std::uint32_t>(squares, from, count, to, size);
  }
  const double unit = sizes.sides.unit;
  const double factor = measure == BallMeasure::Radius ? unit : 2 * unit;
  const double less = measure == BallMeasure::Width ? sizes.shortest_side : 0;
  convert_type<float>(squares, from, count, to, [&](std::uint64_t square, bool infinite) {
    if (square < sizes.least_square) return 0.0;
    return infinite ? std::numeric_limits<double>::infinity()
                    : factor * std::sqrt(static_cast<double>(square)) - less;
  });
}

BallSizes ball_granulometry(const Context& context, const Image& object, const BallOptions& options,
                            const Image& domain) {
  return run(context, object, options, domain, {}, {});
}

BallSizes ball_map(const Context& context, const Image& object, const BallOptions& options, const Image& domain,
                   const BallStart& start, const MapSink& sink) {
  return run(context, object, options, domain, {true, std::nullopt, start}, sink);
}

BallSizes ball_map(const Context& context, const Image& object, BallMeasure measure, const BallOptions& options,
                   const Image& domain, const BallStart& start, const MapSink& sink) {
  return run(context, object, options, domain, {true, measure, start}, sink);
}

Image ball_map(const Context& context, const Image& object, BallMeasure measure, const BallOptions& options,
               const Image& domain) {
  Image map;
  const auto start = [&](const BallSizes&, Type type) { map = Image(type, object.shape(), object.spacing); };
  ball_map(context, object, measure, options, domain, start,
           [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
             std::memcpy(map.row<std::byte>(z0, 0), slices,
                         static_cast<std::size_t>(count * object.shape().y * map.row_bytes()));
           });
  return map;
}

}  // namespace tamis
