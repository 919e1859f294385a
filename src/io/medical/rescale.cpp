#include "io/medical/medical.hpp"

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/visit_type.hpp"

namespace tamis::io {
namespace {

template <class From, class To>
bool convert(const std::byte* from, std::int64_t count, double slope, double intercept, std::byte* to) {
  bool all_fit = true;
  for (std::int64_t i = 0; i < count; ++i) {
    From sample;
    std::memcpy(&sample, from + i * static_cast<std::int64_t>(sizeof sample), sizeof sample);
    const double value = slope * static_cast<double>(sample) + intercept;
    bool fits = true;
    if constexpr (std::is_integral_v<To>) {
      fits = value >= std::numeric_limits<To>::min() && value <= std::numeric_limits<To>::max();
    }
    all_fit = all_fit && fits;
    const To result = fits ? static_cast<To>(value) : To{};
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof result), &result, sizeof result);
  }
  return all_fit;
}

}  // namespace

Type float_for(Type type) { return sample_bytes(type) <= 2 || type == Type::F32 ? Type::F32 : Type::F64; }

bool rescale(Type from, const std::byte* samples, std::int64_t count, double slope, double intercept, Type to,
             std::byte* out) {
  return visit_type(from, [&](auto sample) {
    using From = decltype(sample);
    if (to == Type::I16) return convert<From, std::int16_t>(samples, count, slope, intercept, out);
    if (to == Type::F32) return convert<From, float>(samples, count, slope, intercept, out);
    return convert<From, double>(samples, count, slope, intercept, out);
  });
}

std::unique_ptr<Source> open_rescaled(std::unique_ptr<Source> samples, double slope, double intercept) {
  Layout layout = samples->layout();
  const Type from = std::exchange(layout.type, float_for(layout.type));
  const std::int64_t in_slice = layout.shape.y * layout.shape.x;
  return remade(std::move(samples), layout, [=](const std::byte* slice, std::byte* out) {
    static_cast<void>(rescale(from, slice, in_slice, slope, intercept, layout.type, out));
  });
}

}  // namespace tamis::io
