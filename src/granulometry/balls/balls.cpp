// Granulometry by balls: validation, and maps of squares as sizes and lengths.
#include <tamis/balls.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <tamis/error.hpp>

#include "core/cpu/parallel.hpp"
#include "granulometry/census.hpp"
#include "granulometry/convention.hpp"
#include "granulometry/cpu/balls/run.hpp"
#include "granulometry/cpu/balls/tally.hpp"
#include "granulometry/operation.hpp"
#include "granulometry/plan.hpp"

namespace tamis {
namespace {

namespace balls = granulometry_detail::cpu::balls;

void require_radii(const BallOptions& options) {
  if (options.radii.empty()) return;
  if (options.max_size) throw InputError("`max_size` and `sizes`; wanted one of them");
  for (std::size_t i = 0; i < options.radii.size(); ++i) {
    require_in(radius_limits, static_cast<double>(options.radii[i]), "sizes");
    if (i > 0 && options.radii[i] <= options.radii[i - 1]) throw InputError("`sizes`: wanted radii that increase");
  }
}

BallSizes run(const Context& context, const Image& object, const BallOptions& options, const Image& domain,
              const balls::MapOutput& map) {
  require_device(context);
  granulometry_detail::require_object(object, domain);
  if (options.max_size) require_in(size_limits, static_cast<double>(*options.max_size), "max_size");
  require_radii(options);
  balls::Request request{&object, domain.empty() ? nullptr : &domain, options, {}, false, false};
  request.flat = object.shape().rank == 2 || options.by_slices;
  request.sides = whole_sides(object.spacing, request.flat ? 2 : 3);
  granulometry_detail::require_convention(options.convention, request.sides, request.flat);
  const auto census = granulometry_detail::take_census(context, object, domain, !request.flat);
  request.never_erodes =
      options.border == DomainBorder::Neutral && census.object > 0 && census.object == census.domain;
  BallSizes result = balls::run(context, request, map);
  result.sizes.border_voxels = census.border;
  result.sizes.spacing = object.spacing;
  result.sizes.rank = request.flat ? 2 : 3;
  return result;
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

template <class Sample, class Convert>
void convert_type(Type squares, const std::byte* from, std::int64_t count, std::byte* to, Convert convert) {
  if (squares == Type::U16) return convert_squares<std::uint16_t, Sample>(from, count, to, convert);
  if (squares == Type::U32) return convert_squares<std::uint32_t, Sample>(from, count, to, convert);
  convert_squares<std::uint64_t, Sample>(from, count, to, convert);
}

/// What survives the last row is of one more than its size: there is a limit, or it never erodes.
std::int64_t largest_size(const BallSizes& sizes) {
  return sizes.sizes.size(sizes.sizes.rows() - 1) + (sizes.sizes.volume.back() > 0 ? 1 : 0);
}

}  // namespace

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
  return "";
}

Type ball_map_type(const BallSizes& sizes, BallMeasure measure) {
  return measure == BallMeasure::Size ? granulometry_detail::map_type(largest_size(sizes)) : Type::F32;
}

void measure_balls(const BallSizes& sizes, BallMeasure measure, Type squares, const std::byte* from, std::int64_t count,
                   std::byte* to) {
  if (measure == BallMeasure::Size) {
    const std::int64_t most = largest_size(sizes);
    const std::int64_t side = sizes.sides.least(sizes.sizes.rank);
    const auto size = [&](std::uint64_t square, bool infinite) {
      if (infinite) return most;
      return square < sizes.least_square ? 1 : std::min(most, balls::removed_by(square, side));
    };
    const Type type = ball_map_type(sizes, measure);
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
  return run(context, object, options, domain, {});
}

BallSizes ball_map(const Context& context, const Image& object, const BallOptions& options, const Image& domain,
                   const BallStart& start, const MapSink& sink) {
  return run(context, object, options, domain, {start, sink});
}

Image ball_map(const Context& context, const Image& object, BallMeasure measure, const BallOptions& options,
               const Image& domain) {
  Image map;
  BallSizes sizes;
  Type squares = Type::U16;
  const std::int64_t slice = object.shape().y * object.shape().x;
  run(context, object, options, domain,
      {[&](const BallSizes& found, Type type) {
         sizes = found;
         squares = type;
         map = Image(ball_map_type(sizes, measure), object.shape(), object.spacing);
       },
       [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
         measure_balls(sizes, measure, squares, slices, count * slice, map.row<std::byte>(z0, 0));
       }});
  return map;
}

}  // namespace tamis
