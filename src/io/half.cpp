// Half floats, which files have and images have not.
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "io/format.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  // As a float with the same exponent bits, 112 powers of two too small; the product is exact, of subnormals too.
  float value = std::bit_cast<float>((half & 0x7fffU) << 13U) * 0x1p112F;
  if ((half & 0x7c00U) == 0x7c00U) value = std::bit_cast<float>(0x7f800000U | (half & 0x3ffU) << 13U);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

}  // namespace
std::unique_ptr<Source> floats_of_halves(std::unique_ptr<Source> halves) {
  Layout layout = halves->layout();
  layout.type = Type::F32;
  const std::int64_t samples = halves->slice_bytes() / 2;
  return remade(std::move(halves), layout, [samples](const std::byte* slice, std::byte* out) {
    for (std::int64_t i = 0; i < samples; ++i, slice += 2, out += sizeof(float)) {
      const float value = float_of_half(number_at<std::uint16_t>(slice, false));
      std::memcpy(out, &value, sizeof value);
    }
  });
}

}  // namespace tamis::io
