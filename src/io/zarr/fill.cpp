#include "io/zarr/fill.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

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
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return std::in_range<T>(number) ? std::optional(sample_of(static_cast<T>(number))) : std::nullopt;
  }
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    return std::in_range<T>(number) ? std::optional(sample_of(static_cast<T>(number))) : std::nullopt;
  }
  if (!value.is_number_float()) return {};
  // 0.0 of programs that know no integers; below 2^53, so that it is the number that was meant.
  const auto number = value.get<double>();
  constexpr double exact = 9007199254740992.0;
  if (!(std::fabs(number) <= exact) || std::trunc(number) != number) return {};
  const auto integer = static_cast<std::int64_t>(number);
  return std::in_range<T>(integer) ? std::optional(sample_of(static_cast<T>(integer))) : std::nullopt;
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
  switch (type) {
    case Type::Bool:
      return bit(value);
    case Type::U8:
      return whole<std::uint8_t>(value);
    case Type::U16:
      return whole<std::uint16_t>(value);
    case Type::I16:
      return whole<std::int16_t>(value);
    case Type::F32:
      return real<std::uint32_t>(value, [](double number) { return sample_of(static_cast<float>(number)); });
    case Type::I8:
      return whole<std::int8_t>(value);
    case Type::U32:
      return whole<std::uint32_t>(value);
    case Type::I32:
      return whole<std::int32_t>(value);
    case Type::U64:
      return whole<std::uint64_t>(value);
    case Type::I64:
      return whole<std::int64_t>(value);
    case Type::F64:
      return real<std::uint64_t>(value, [](double number) { return sample_of(number); });
  }
  return {};
}

}  // namespace tamis::io
