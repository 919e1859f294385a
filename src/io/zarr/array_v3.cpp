// Version 3: zarr.json. https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html
#include <numeric>
#include <utility>

#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/zarr/zarr.hpp"

namespace tamis::io {
namespace {

constexpr std::array<std::string_view, 13> known_members{
    "zarr_format", "node_type",  "shape",           "data_type",        "chunk_grid",           "chunk_key_encoding",
    "fill_value",  "attributes", "dimension_names", "consolidated_metadata", "codecs", "storage_transformers",
    "must_understand"};

/// An extension is an object of a name and a configuration, or the name alone.
std::string extension_name(const Json& extension) {
  return extension.is_string() ? json_text(extension) : word(extension, "name");
}

const Json& configuration(const Json& extension) { return member(extension, "configuration"); }

FileType type_of(const std::string& path, const Json& data_type) {
  if (data_type.is_string()) {
    if (const auto found = zarr_type(data_type.get_ref<const std::string&>())) return *found;
  }
  refuse("{}: samples of {}; wanted integers of up to 64 bits, floats of 16, 32 or 64, or bools", path,
         json_text(data_type));
}

/// What the codec `bytes` says of the order of bytes.
bool swapped_by(const std::string& path, const Json& codec, std::int64_t width) {
  const Json& endian = member(configuration(codec), "endian");
  if (endian == "little") return width > 1 && !native_little;
  if (endian == "big") return width > 1 && native_little;
  if (endian.is_null() && width == 1) return false;
  refuse("{}: endian is {}; wanted little or big", path, json_text(endian));
}

/// Axes as `transpose` puts them: axis i of what follows is axis order[i] of what was before.
std::vector<std::size_t> permutation(const std::string& path, const Json& codec, std::size_t rank) {
  const Json& order = member(configuration(codec), "order");
  std::vector<std::size_t> axes;
  std::vector<bool> seen(rank, false);
  bool fine = order.is_array() && order.size() == rank;
  for (std::size_t i = 0; fine && i < rank; ++i) {
    fine = order[i].is_number_unsigned() && order[i].get<std::uint64_t>() < rank && !seen[order[i].get<std::size_t>()];
    if (!fine) break;
    axes.push_back(order[i].get<std::size_t>());
    seen[axes.back()] = true;
  }
  if (fine) return axes;
  refuse("{}: transpose with an order of {}; wanted each of {} axes once", path, json_text(order), rank);
}

/// From samples to samples, then to bytes, then from bytes to bytes: what the array knows when this ends.
void read_codecs(const std::string& path, const Json& codecs, ZarrArray& array);

Sharding read_shards(const std::string& path, const Json& codec, ZarrArray& array) {
  const Json& said = configuration(codec);
  Sharding sharding;
  sharding.shape = std::exchange(array.chunk, edges(path, said, "chunk_shape"));
  bool whole = sharding.shape.size() == array.chunk.size();
  for (std::size_t i = 0; whole && i < array.chunk.size(); ++i) whole = sharding.shape[i] % array.chunk[i] == 0;
  if (!whole) refuse("{}: shards that are no whole number of chunks; wanted such", path);
  const Json& place = member(said, "index_location");
  if (!place.is_null() && place != "start" && place != "end") {
    refuse("{}: index_location is {}; wanted start or end", path, json_text(place));
  }
  sharding.index_first = place == "start";
  ZarrArray index;  // of two numbers a chunk
  index.type = Type::U64;
  index.shape = {1};
  read_codecs(path, member(said, "index_codecs"), index);
  if (index.sharding || index.codecs.compressed()) {
    refuse("{}: a compressed index of shards; wanted bytes and crc32c", path);
  }
  sharding.index_codecs = index.codecs;
  sharding.index_swapped = index.swapped;
  read_codecs(path, member(said, "codecs"), array);
  return sharding;
}

void read_codecs(const std::string& path, const Json& codecs, ZarrArray& array) {
  if (!codecs.is_array()) refuse("{}: codecs are {}; wanted a list", path, json_text(codecs));
  array.order.resize(array.rank());
  std::iota(array.order.begin(), array.order.end(), std::size_t{0});
  bool is_bytes = false;
  for (const Json& codec : codecs) {
    const std::string name = extension_name(codec);
    if (!is_bytes && name == "transpose") {
      std::vector<std::size_t> order;
      for (const std::size_t axis : permutation(path, codec, array.rank())) order.push_back(array.order[axis]);
      array.order = order;
    } else if (!is_bytes && name == "bytes") {
      array.swapped = swapped_by(path, codec, sample_bytes(array.type));
      is_bytes = true;
    } else if (name == "sharding_indexed") {
      if (codecs.size() != 1 || array.sharding) {
        refuse("{}: sharding_indexed among other codecs; wanted it alone", path);
      }
      array.sharding.emplace();  // so that one inside is seen
      array.sharding = read_shards(path, codec, array);
      return;
    } else if (!is_bytes || !add_codec(path, name, array.codecs)) {
      refuse("{}: the codec {} {}; wanted transpose, bytes, gzip, zstd, blosc, crc32c or sharding_indexed", path,
             name.empty() ? json_text(codec) : name, is_bytes ? "behind bytes" : "before bytes");
    }
  }
  if (!is_bytes) refuse("{}: codecs without bytes; wanted transpose, bytes, then compression", path);
}

void read_keys(const std::string& path, const Json& encoding, ZarrArray& array) {
  const std::string name = extension_name(encoding);
  const Json& separator = member(configuration(encoding), "separator");
  const bool is_default = name == "default";
  const bool said = separator == "/" || separator == ".";
  if ((!is_default && name != "v2") || (!said && !separator.is_null())) {
    refuse("{}: chunk_key_encoding is {}; wanted default or v2", path, json_text(encoding));
  }
  array.separator = said ? separator.get_ref<const std::string&>()[0] : is_default ? '/' : '.';
  if (is_default) array.key_prefix = std::string("c") + array.separator;
}

/// What is not known has to be understood, unless it says otherwise.
void require_known(const std::string& path, const Json& json) {
  for (const auto& [name, value] : json.items()) {
    const bool known = std::find(known_members.begin(), known_members.end(), name) != known_members.end();
    if (known || member(value, "must_understand") == false) continue;
    refuse("{}: {} is not known; wanted an array without", path, json_text(Json(name)));
  }
  const Json& transformers = member(json, "storage_transformers");
  if (!transformers.is_null() && !(transformers.is_array() && transformers.empty())) {
    refuse("{}: storage_transformers; wanted an array without", path);
  }
}

}  // namespace

ZarrArray array_v3(const std::string& path, const Json& json) {
  require_known(path, json);
  ZarrArray array;
  array.shape = edges(path, json, "shape");
  const FileType type = type_of(path, member(json, "data_type"));
  array.type = type.type;
  array.halves = type.halves;
  const Json& grid = member(json, "chunk_grid");
  if (extension_name(grid) != "regular") refuse("{}: chunk_grid is {}; wanted regular", path, json_text(grid));
  array.chunk = edges(path, configuration(grid), "chunk_shape");
  read_keys(path, member(json, "chunk_key_encoding"), array);
  read_codecs(path, member(json, "codecs"), array);
  complete(path, array, member(json, "fill_value"));
  return array;
}

}  // namespace tamis::io
