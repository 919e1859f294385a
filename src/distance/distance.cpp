// Validation, and distances from squares.
#include <tamis/distance.hpp>

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/bits/bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/visit_type.hpp"
#include "distance/request.hpp"
#ifdef TAMIS_CUDA
#endif
#include "distance/plan.hpp"

namespace tamis {
namespace {

std::int64_t samples_outside(const Context& context, const Image& object, const Image& domain) {
  std::atomic<std::int64_t> outside{0};
  parallel_for(context, object.shape().z, [&](std::int64_t z) {
    const std::uint64_t* const bits = object.row<std::uint64_t>(z, 0);
    const std::uint64_t* const inside = domain.row<std::uint64_t>(z % domain.shape().z, 0);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < object.shape().y * object.row_bytes() / 8; ++i) {
      count += std::popcount(bits[i] & ~inside[i]);
    }
    outside += count;
  });
  return outside;
}

void validate(const Context& context, const Image& object, const Image& domain) {
  if (object.empty() || object.type() != Type::Bool) {
    throw InputError("distances in a " + std::string(object.empty() ? "missing" : name(object.type())) +
                     " image; wanted bool: threshold it first");
  }
  require_image(object, "distance");
  if (domain.empty()) return;
  detail::require_bits(domain, object.shape(), "a domain");
  const std::int64_t outside = samples_outside(context, object, domain);
  if (outside > 0) {
    throw InputError("an object with " + std::to_string(outside) + " samples outside the domain; wanted none");
  }
}

distance_detail::Request validated(const Context& context, const Image& object, const DistanceOptions& options,
                                   const Image& domain) {
  require_device(context);
  validate(context, object, domain);
  distance_detail::Request request;
  request.object = &object;
  request.domain = domain.empty() ? nullptr : &domain;
  request.neutral = options.border == DomainBorder::Neutral;
  request.plan = distance_detail::make_plan(object, options);
  return request;
}

template <class Lane>
void to_distances(const Lane* squares, std::int64_t count, double unit, float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const bool finite = squares[i] != std::numeric_limits<Lane>::max();
    out[i] = finite ? static_cast<float>(std::sqrt(static_cast<double>(squares[i])) * unit)
                    : std::numeric_limits<float>::infinity();
  }
}

}  // namespace

std::string_view name(DomainBorder border) {
  door::require_known(border, DomainBorder::Neutral, "border");
  return border == DomainBorder::Background ? "background" : "neutral";
}

SquaredDistances squared_distance(const Context& context, const Image& object, const DistanceOptions& options,
                                  const Image& domain) {
  return door::enter(context, "distance", [&]() -> SquaredDistances {
    const distance_detail::Request request = validated(context, object, options, domain);
#ifdef TAMIS_CUDA
    if (choose_device(context, object.shape().count()) == Device::Cuda) {
      if (std::optional<SquaredDistances> done = distance_detail::gpu::squares(context, request)) return std::move(*done);
    }
#endif
    return distance_detail::cpu::run(context, request);
  });
}

float distance_of(std::uint64_t square, const SquaredDistances& squares) {
  return static_cast<float>(std::sqrt(static_cast<double>(square)) * squares.sides.unit);
}

void read_distances(const SquaredDistances& squares, std::int64_t z0, std::int64_t count, float* out) {
  const Image& image = squares.squares;
  require_image(image, "distances");
  door::require_slices(image.shape(), z0, count, out);
  const std::int64_t samples = count * image.shape().y * image.shape().x;
  const double unit = squares.sides.unit;
  visit_square_type(image.type(),
                    [&](auto square) { to_distances(image.row<decltype(square)>(z0, 0), samples, unit, out); });
}

void distance(const Context& context, const Image& object, const DistanceOptions& options, const Image& domain,
              Image& out) {
  door::enter(context, "distance", [&] {
#ifdef TAMIS_CUDA
    if (choose_device(context, object.shape().count()) == Device::Cuda) {
      const distance_detail::Request request = validated(context, object, options, domain);
      if (std::optional<Image> done = distance_detail::gpu::distances(context, request)) {
        out = std::move(*done);
        return;
      }
    }
#endif
    const std::int64_t bytes = image_bytes(Type::F32, object.shape());
    const SquaredDistances squares = squared_distance(beside(context, bytes), object, options, domain);
    if (out.empty() || out.type() != Type::F32 || out.shape() != object.shape()) out = Image(Type::F32, object.shape());
    out.spacing = object.spacing;
    parallel_for(context, object.shape().z, [&](std::int64_t z) { read_distances(squares, z, 1, out.row<float>(z, 0)); });
  });
}

Image distance(const Context& context, const Image& object, const DistanceOptions& options, const Image& domain) {
  Image out;
  distance(context, object, options, domain, out);
  return out;
}

}  // namespace tamis
