#include "io/zarr/fill.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "core/visit_type.hpp"
#include "io/half.hpp"

namespace tamis::io {
namespace {

using Sample = std::array<std::byte, 8>;

template <class T>
Sample sample_of(T value) {
  Sample sample{};
  std::memcpy(sample.data(), &value, sizeof value);
  return sample;
}

template <class T>
std::optional<Sample> whole(const Json& value) {
  const auto held = [](auto number) {
    return std::in_range<T>(number) ? std::optional(sample_of(static_cast<T>(number))) : std::nullopt;
  };
  if (value.is_number_unsigned()) return held(value.get<std::uint64_t>());
  if (value.is_number_integer()) return held(value.get<std::int64_t>());
  if (!value.is_number_float()) return {};
  // 0.0 of programs that know no integers; below 2^53, so that it is the number that was meant.
  const auto number = value.get<double>();
  constexpr double exact = 9007199254740992.0;
  if (!(std::fabs(number) <= exact) || std::trunc(number) != number) return {};
  return held(static_cast<std::int64_t>(number));
}

/// `sample` makes one of a number.
template <class Bits, class MakeSample>
std::optional<Sample> real(const Json& value, const MakeSample& sample) {
  if (value.is_number()) return sample(value.get<double>());
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") return sample(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return sample(std::numeric_limits<double>::infinity());
  if (text == "-Infinity") return sample(-std::numeric_limits<double>::infinity());
  if (!text.starts_with("0x")) return {};
  Bits bits{};
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return sample_of(bits);
}

std::optional<Sample> bit(const Json& value) {
  if (value.is_boolean()) return sample_of(static_cast<std::uint8_t>(value.get<bool>()));
  const std::optional<Sample> number = whole<std::uint8_t>(value);
  return number && (*number)[0] <= std::byte{1} ? number : std::nullopt;
}

}  // namespace

std::optional<Sample> fill_sample(const Json& value, Type type, bool halves) {
  if (value.is_null()) return Sample{};
  if (halves) return real<std::uint16_t>(value, [](double number) { return sample_of(half_of(number)); });
  if (type == Type::Bool) return bit(value);
  return visit_type(type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      return whole<T>(value);
    } else {
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      return real<Bits>(value, [](double number) { return sample_of(static_cast<T>(number)); });
    }
  });
}

}  // namespace tamis::io
