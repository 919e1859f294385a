#include "granulometry/census.hpp"

#include <atomic>
#include <bit>
#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "core/bits/bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/operation/filter_image.hpp"

namespace tamis::granulometry_detail {
namespace {

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

}  // namespace

void require_object(const Image& object, const Image& domain) {
  if (object.empty() || object.type() != Type::Bool) {
    throw InputError("granulometry of a " + std::string(object.empty() ? "missing" : name(object.type())) +
                     " image; wanted bool: threshold it first");
  }
  require_image(object, "granulometry");
  detail::require_bits(domain, object.shape(), "a domain");
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
  if (sums[3] > 0) {
    throw InputError("an object with " + std::to_string(sums[3]) + " samples outside the domain; wanted none");
  }
  return {sums[0], sums[1], sums[2], sums[3]};
}

}  // namespace tamis::granulometry_detail
