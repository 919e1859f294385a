#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/visit_type.hpp"
#include "io/checked.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/zarr/zarr.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t most_chunk_bytes = std::int64_t{1} << 30;

Checked product(const std::vector<std::int64_t>& factors) {
  Checked all = 1;
  for (const std::int64_t factor : factors) all = all * factor;
  return all;
}

std::string sizes(const std::vector<std::int64_t>& edges) {
  return fmt::format("{}", fmt::join(edges.rbegin(), edges.rend(), "x"));
}

Json attributes_v2(const Store& store) {
  const std::optional<std::string> text = store.text(".zattrs");
  return text ? parse_json(store.path_of(".zattrs"), *text) : Json::object();
}

// The sample of chunks that are not there.

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

/// The nearest half float; of two the even one.
std::uint16_t half_of(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000U : 0;
  const double size = std::fabs(value);
  if (std::isnan(value)) return 0x7e00U;
  constexpr double beyond = 65520;  // from here on the nearest is infinity
  if (size >= beyond) return sign | 0x7c00U;
  // Bits in the order of the values they stand for: the mantissa carries into the exponent.
  const int exponent = std::max(size > 0 ? std::ilogb(size) : -14, -14);
  const auto mantissa = static_cast<std::int32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(mantissa + ((exponent + 14) << 10)));
}

/// A fill_value as both versions have them: a number, true, "NaN", "-Infinity", "0x7fc00000" (the bits of a float), or
/// null for 0. In this machine's byte order; nothing where the type does not hold it.
/// `halves`: u16 stands for half floats.
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

/// "<u2": the order of bytes, the kind, the width.
void read_type(const std::string& path, const Json& dtype, ZarrArray& array) {
  const std::string text = dtype.is_string() ? dtype.get<std::string>() : std::string();
  const std::optional<FileType> found = text.empty() ? std::nullopt : numpy_type(std::string_view(text).substr(1));
  const bool single = found && sample_bytes(found->type) == 1;
  if (!found || (text[0] != '<' && text[0] != '>' && !(single && text[0] == '|'))) {
    refuse("{}: samples of {}; wanted integers of up to 64 bits, floats of 16, 32 or 64, or bools", path,
           json_text(dtype));
  }
  array.type = found->type;
  array.halves = found->halves;
  array.swapped = !single && (text[0] == '<') != native_little;
}

char separator_of(const std::string& path, const Json& json) {
  const Json& separator = member(json, "dimension_separator");
  if (separator.is_null() || separator == ".") return '.';
  if (separator == "/") return '/';
  refuse("{}: dimension_separator is {}; wanted . or /", path, json_text(separator));
}

}  // namespace

std::int64_t ZarrArray::chunk_bytes() const { return product(chunk).value_or(0) * sample_bytes(type); }

std::vector<std::int64_t> ZarrArray::strides() const {
  std::vector<std::int64_t> strides(rank());
  std::int64_t next = 1;
  for (std::size_t i = rank(); i-- > 0;) {
    strides[order[i]] = next;
    next *= chunk[order[i]];
  }
  return strides;
}

std::string ZarrArray::key(const std::vector<std::int64_t>& at) const {
  std::string text = key_prefix;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i > 0) text += separator;
    text += std::to_string(at[i]);
  }
  return text;
}

std::string ZarrArray::words() const {
  return fmt::format("chunks of {}{}, {}", sizes(chunk),
                     sharding ? fmt::format(" in shards of {}", sizes(sharding->shape)) : "", codecs.words());
}

ZarrNode read_node(const Store& store) {
  if (const std::optional<std::string> text = store.text("zarr.json")) {
    const std::string path = store.path_of("zarr.json");
    const Json json = parse_json(path, *text);
    ZarrNode node;
    if (member(json, "zarr_format") != 3) {
      refuse("{}: Zarr of version {}; wanted 3", path, json_text(member(json, "zarr_format")));
    }
    const std::string kind = word(json, "node_type");
    if (kind == "array") {
      node.array = array_v3(path, json);
    } else if (kind != "group") {
      refuse("{}: node_type is {}; wanted array or group", path, json_text(member(json, "node_type")));
    }
    node.attributes = member(json, "attributes");
    return node;
  }
  if (const std::optional<std::string> text = store.text(".zarray")) {
    const std::string path = store.path_of(".zarray");
    return {array_v2(path, parse_json(path, *text)), attributes_v2(store)};
  }
  if (store.text(".zgroup")) return {std::nullopt, attributes_v2(store)};
  refuse("{}: holds no zarr.json, .zarray or .zgroup; wanted a folder that Zarr has written", store.path());
}

void complete(const std::string& path, ZarrArray& array, const Json& fill_value) {
  const std::size_t rank = array.rank();
  const bool fits = array.chunk.size() == rank && array.order.size() == rank &&
                    (!array.sharding || array.sharding->shape.size() == rank);
  if (!fits) refuse("{}: chunks of other axes than the array; wanted {}", path, rank);
  const Checked bytes = product(array.chunk) * sample_bytes(array.type);
  if (!bytes.at_most(most_chunk_bytes)) {
    refuse("{}: chunks of {} {}; wanted at most {} bytes each", path, sizes(array.chunk), name(array.type),
           most_chunk_bytes);
  }
  if (!(product(array.shape) * sample_bytes(array.type)).ok()) {
    refuse("{}: a shape of {} is larger than any file", path, sizes(array.shape));
  }
  const std::optional<std::array<std::byte, 8>> fill = fill_sample(fill_value, array.type, array.halves);
  if (!fill) {
    refuse("{}: fill_value is {}; wanted a number that {} holds", path, json_text(fill_value), name(array.type));
  }
  array.fill = *fill;
}

ZarrArray array_v2(const std::string& path, const Json& json) {
  if (member(json, "zarr_format") != 2) {
    refuse("{}: Zarr of version {}; wanted 2", path, json_text(member(json, "zarr_format")));
  }
  ZarrArray array;
  array.version = 2;
  array.shape = edges(path, json, "shape");
  array.chunk = edges(path, json, "chunks");
  read_type(path, member(json, "dtype"), array);
  const Json& filters = member(json, "filters");
  if (!filters.is_null() && !(filters.is_array() && filters.empty())) {
    refuse("{}: filters {}; wanted none", path, json_text(filters));
  }
  array.codecs = codecs_v2(path, member(json, "compressor"));
  array.separator = separator_of(path, json);
  const Json& order = member(json, "order");
  if (order != "C" && order != "F") refuse("{}: order is {}; wanted C or F", path, json_text(order));
  array.order.resize(array.rank());
  std::iota(array.order.begin(), array.order.end(), std::size_t{0});
  if (order == "F") std::reverse(array.order.begin(), array.order.end());
  complete(path, array, member(json, "fill_value"));
  return array;
}

}  // namespace tamis::io
