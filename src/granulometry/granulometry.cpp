// Validation, and the choice of the backend.
#include <tamis/granulometry.hpp>

#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

#include <tamis/error.hpp>

#include "core/cpu/bit_count.hpp"
#include "core/cpu/parallel.hpp"
#include "granulometry/cpu/run.hpp"
#ifdef TAMIS_CUDA
#include "granulometry/gpu/host.hpp"
#endif
#include "granulometry/plan.hpp"

namespace tamis {
namespace {

using granulometry_detail::MapOutput;
using granulometry_detail::Request;

void validate(const Image& object, const GranulometryOptions& options, const Image& domain) {
  if (object.empty() || object.type() != Type::Bool) {
    throw InputError("granulometry of a " + std::string(object.empty() ? "missing" : name(object.type())) +
                     " image; wanted bool: threshold it first");
  }
  granulometry_detail::require_options(options, object.shape());
  if (domain.empty()) return;
  const Shape& have = domain.shape();
  const Shape& want = object.shape();
  if (domain.type() != Type::Bool || have.x != want.x || have.y != want.y || (have.z != want.z && have.z != 1)) {
    throw InputError("a domain of " + to_string(have) + " " + std::string(name(domain.type())) + "; wanted bool and " +
                     to_string(want) + ", or one slice of it");
  }
}

/// What the bits say before anything is opened.
struct Census {
  std::int64_t object = 0;
  std::int64_t domain = 0;
  std::int64_t border = 0;   ///< object in the outermost layer of the domain
  std::int64_t outside = 0;  ///< object outside the domain
};

/// Rows of a domain; outside the image they are empty.
class DomainRows {
 public:
  DomainRows(const Shape& shape, const Image& domain)
      : shape_(shape), domain_(domain), words_((shape.x + 63) / 64), empty_(static_cast<std::size_t>(words_)) {}
  [[nodiscard]] const std::uint64_t* row(std::int64_t z, std::int64_t y) const {
    if (z < 0 || z >= shape_.z || y < 0 || y >= shape_.y) return empty_.data();
    return domain_.row<std::uint64_t>(z % domain_.shape().z, y);
  }
  [[nodiscard]] std::int64_t words() const { return words_; }

 private:
  const Shape& shape_;
  const Image& domain_;
  std::int64_t words_;
  std::vector<std::uint64_t> empty_;
};

Census census_of_slice(const Image& object, const DomainRows& domain, std::int64_t z, bool z_is_axis) {
  Census census;
  const std::int64_t words = domain.words();
  for (std::int64_t y = 0; y < object.shape().y; ++y) {
    const std::uint64_t* const bits = object.row<std::uint64_t>(z, y);
    const std::uint64_t* const here = domain.row(z, y);
    const std::uint64_t* const up = domain.row(z, y - 1);
    const std::uint64_t* const down = domain.row(z, y + 1);
    const std::uint64_t* const before = z_is_axis ? domain.row(z - 1, y) : here;
    const std::uint64_t* const after = z_is_axis ? domain.row(z + 1, y) : here;
    for (std::int64_t i = 0; i < words; ++i) {
      const std::uint64_t left = here[i] << 1 | (i > 0 ? here[i - 1] >> 63 : 0);
      const std::uint64_t right = here[i] >> 1 | (i + 1 < words ? here[i + 1] << 63 : 0);
      const std::uint64_t inner = left & right & up[i] & down[i] & before[i] & after[i];
      census.object += std::popcount(bits[i]);
      census.domain += std::popcount(here[i]);
      census.border += std::popcount(bits[i] & here[i] & ~inner);
      census.outside += std::popcount(bits[i] & ~here[i]);
    }
  }
  return census;
}

/// Without a domain only the faces of the image are its outermost layer.
Census census_of_whole_slice(Simd simd, const Image& object, std::int64_t z, bool z_is_axis) {
  const Shape& shape = object.shape();
  const std::int64_t words = object.row_bytes() / 8;
  Census census;
  census.object = count_ones(simd, object.row<std::uint64_t>(z, 0), shape.y * words);
  census.domain = shape.y * shape.x;
  if (z_is_axis && (z == 0 || z + 1 == shape.z)) {
    census.border = census.object;
    return census;
  }
  for (std::int64_t y = 0; y < shape.y; ++y) {
    const bool on_face = y == 0 || y + 1 == shape.y;
    if (on_face) {
      census.border += count_ones(simd, object.row<std::uint64_t>(z, y), words);
    } else {
      census.border += object.bit(z, y, 0) + (shape.x > 1 && object.bit(z, y, shape.x - 1));
    }
  }
  return census;
}

Census take_census(const Context& context, const Image& object, const Image& domain, bool z_is_axis) {
  const DomainRows rows(object.shape(), domain);
  std::atomic<std::int64_t> sums[4] = {};
  parallel_for(context, object.shape().z, [&](std::int64_t z) {
    const Census slice = domain.empty() ? census_of_whole_slice(context.simd, object, z, z_is_axis)
                                        : census_of_slice(object, rows, z, z_is_axis);
    sums[0] += slice.object;
    sums[1] += slice.domain;
    sums[2] += slice.border;
    sums[3] += slice.outside;
  });
  return {sums[0], sums[1], sums[2], sums[3]};
}

Sizes run_chosen(const Context& context, const Request& request, const MapOutput& map) {
#ifdef TAMIS_CUDA
  if (choose_device(context, request.object->shape().count()) == Device::Cuda) {
    return granulometry_detail::run_cuda(context, request, map);
  }
#endif
  return granulometry_detail::run_cpu(context, request, map);
}

Sizes run(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain,
          const MapOutput& map) {
  require_device(context);
  validate(object, options, domain);
  const int rank = object.shape().rank == 3 && options.element != Element::Square ? 3 : 2;
  const Census census = take_census(context, object, domain, rank == 3);
  if (census.outside > 0) {
    throw InputError("an object with " + std::to_string(census.outside) + " samples outside the domain; wanted none");
  }
  Request request{&object, domain.empty() ? nullptr : &domain, options, false};
  request.never_erodes = options.border == DomainBorder::Neutral && census.object > 0 && census.object == census.domain;
  Sizes sizes = run_chosen(context, request, map);
  sizes.border_voxels = census.border;
  sizes.spacing = object.spacing;
  sizes.rank = rank;
  return sizes;
}

}  // namespace

std::string_view name(Element element) {
  switch (element) {
    case Element::Cross:
      return "cross";
    case Element::Cube:
      return "cube";
    case Element::Square:
      return "square";
  }
  return "";
}

std::string_view name(Algorithm algorithm) { return algorithm == Algorithm::Recursion ? "recursion" : "paper"; }

Sizes granulometry(const Context& context, const Image& object, const GranulometryOptions& options,
                   const Image& domain) {
  return run(context, object, options, domain, {});
}

Sizes size_map(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain,
               const std::function<void(Type)>& start, const MapSink& sink) {
  return run(context, object, options, domain, {start, sink});
}

Image size_map(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain) {
  Image map;
  run(context, object, options, domain,
      {[&](Type type) { map = Image(type, object.shape(), object.spacing); },
       [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
         std::memcpy(map.row<std::byte>(z0, 0), slices,
                     static_cast<std::size_t>(count * map.shape().y * map.row_bytes()));
       }});
  return map;
}

}  // namespace tamis
