// What an array of a store is: shape, chunks, samples, and how chunks become files. The same for versions 2 and 3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tamis/image.hpp>

#include "io/zarr/codecs.hpp"
#include "io/zarr/json.hpp"
#include "io/zarr/store.hpp"

namespace tamis::io {

/// Chunks that lie together in one file, with an index that says where.
struct Sharding {
  std::vector<std::int64_t> shape;  ///< of a shard, in samples
  Codecs index_codecs;
  bool index_swapped = false;
  bool index_first = false;
};

struct ZarrArray {
  int version = 3;
  Type type = Type::U8;
  bool halves = false;   ///< the samples, of type u16, are half floats
  bool swapped = false;  ///< bytes are in the other order than this machine's
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> chunk;
  /// Axis `order[i]` of the array is axis i of a chunk as it is stored, the slowest first.
  std::vector<std::size_t> order;
  Codecs codecs;
  std::optional<Sharding> sharding;
  std::array<std::byte, 8> fill{};  ///< the sample of chunks that are not there, in this machine's byte order
  std::string key_prefix;           ///< "c/" of version 3
  char separator = '/';

  [[nodiscard]] std::size_t rank() const { return shape.size(); }
  [[nodiscard]] std::int64_t chunk_bytes() const;
  /// Samples between neighbours along each axis, in a chunk as it is stored.
  [[nodiscard]] std::vector<std::int64_t> strides() const;
  /// The name of the file of a chunk, or of a shard, by its place among them.
  [[nodiscard]] std::string key(const std::vector<std::int64_t>& at) const;
  /// "chunks of 64x64x64, zstd", x first.
  [[nodiscard]] std::string words() const;
};

/// What a folder of a store is.
struct ZarrNode {
  std::optional<ZarrArray> array;  ///< or a group
  Json attributes;
};

/// Reads zarr.json, or .zarray, .zgroup and .zattrs. Throws InputError where there is none of them, and for what is
/// damaged or not known.
[[nodiscard]] ZarrNode read_node(const Store& store);

/// Parts of it: an array of a version, of its description.
[[nodiscard]] ZarrArray array_v2(const std::string& path, const Json& json);
[[nodiscard]] ZarrArray array_v3(const std::string& path, const Json& json);
/// What holds for both: chunks that are small enough for memory, as many axes as the shape has, the fill value.
void complete(const std::string& path, ZarrArray& array, const Json& fill_value);

}  // namespace tamis::io
