#include "io/half.hpp"

#include <cstring>
#include <utility>

#include "io/samples.hpp"

namespace tamis::io {
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
