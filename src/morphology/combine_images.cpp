#include "morphology/combine_images.hpp"

#include <cstdint>

#include "core/cpu/parallel.hpp"
#include "core/visit_type.hpp"
#include "morphology/cpu/tile/sample_lanes.hpp"

namespace tamis::morphology_detail {

void combine_images(const Context& context, Combine how, const Image& result, const Image& image, Image& out) {
  const auto rows = [&](auto sample, std::int64_t count) {
    using Sample = decltype(sample);
    parallel_for(context, out.shape().z, [&](std::int64_t z) {
      for (std::int64_t y = 0; y < out.shape().y; ++y) {
        cpu::combine(how, result.row<Sample>(z, y), image.row<Sample>(z, y), count, out.row<Sample>(z, y));
      }
    });
  };
  if (image.type() == Type::Bool) return rows(std::uint64_t{}, out.row_bytes() / 8);
  visit_filter_type(image.type(), [&](auto sample) { rows(sample, out.shape().x); });
}

}  // namespace tamis::morphology_detail
