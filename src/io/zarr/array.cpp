#include "io/zarr/array.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "io/checked.hpp"
#include "io/refuse.hpp"
#include "io/zarr/fill.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t most_chunk_bytes = std::int64_t{1} << 30;

Checked product(const std::vector<std::int64_t>& factors) {
  Checked all = 1;
  for (const std::int64_t factor : factors) all = all * factor;
  return all;
}

std::string sizes(const std::vector<std::int64_t>& edges) {
  std::string text;
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
    text += fmt::format("{}{}", text.empty() ? "" : "x", *edge);
  }
  return text;
}

Json attributes_v2(const Store& store) {
  const std::optional<std::string> text = store.text(".zattrs");
  return text ? parse_json(store.path_of(".zattrs"), *text) : Json::object();
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

}  // namespace tamis::io
