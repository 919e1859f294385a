// Zarr 2 and 3, and OME-Zarr images in them.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "io/confined/decoder.hpp"
#include "io/format.hpp"

namespace tamis::io {

// A store of Zarr: a folder in which keys ("0/c/3/1") are the names of files.

/// An open regular file of a store.
class StoredFile {
 public:
  StoredFile(std::string path, Descriptor file, std::int64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Fills `out` from `offset` on. Throws InputError where the file ends before.
  void read(std::int64_t offset, std::span<std::byte> out) const;

 private:
  std::string path_;
  Descriptor file_;
  std::int64_t size_;
};

class Store {
 public:
  /// `follow`: symbolic links in the folder are followed. Throws InputError where there is no such folder.
  Store(std::string path, bool follow);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path_of(std::string_view key) const;
  /// Nothing where there is no such file. Throws InputError for a key that leaves the folder, for a symbolic link,
  /// and for what is no regular file.
  [[nodiscard]] std::optional<StoredFile> open(std::string_view key) const;
  /// The whole of a small file; nothing where there is none.
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  /// The keys of files with something in them, until `visit` says no; hidden ones and zarr.json are left out. Links of
  /// folders are not followed.
  void each_file(const std::function<bool(const std::string& key)>& visit) const;
  /// A folder below. Throws InputError where there is none.
  [[nodiscard]] Store below(std::string_view key) const;

 private:
  Store(std::string path, bool follow, Descriptor folder)
      : path_(std::move(path)), follow_(follow), folder_(std::move(folder)) {}
  [[nodiscard]] Descriptor descend(std::string_view key, int flags) const;

  std::string path_;
  bool follow_;
  Descriptor folder_;
};

// The JSON of a store, within bounds.

using Json = nlohmann::json;

/// The members that tamis asks for, sorted. What else a store says (tables of channels and labels, plates of thousands
/// of images, the metadata of a whole store once more) is read and not kept.
// clang-format off
inline constexpr auto asked_names = std::to_array<std::string_view>({
    "attributes", "axes", "bioformats2raw.layout", "chunk_grid", "chunk_key_encoding", "chunk_shape", "chunks",
    "codecs", "compressor", "configuration", "coordinateTransformations", "data_type", "datasets",
    "dimension_separator", "dtype", "encoding-type", "endian", "fill_value", "filters", "id", "index_codecs", "index_location",
    "multiscales", "must_understand", "name", "node_type", "ome", "order", "path", "plate", "scale", "separator",
    "shape", "storage_transformers", "translation", "type", "unit", "version", "well", "zarr_format"});
// clang-format on

/// One of them: to ask for another does not compile.
struct Asked {
  std::string_view name;
  consteval Asked(const char* text) : name(text) {  // NOLINT(google-explicit-constructor)
    if (!std::ranges::binary_search(asked_names, name)) throw "a name that is not kept";
  }
};

/// What is asked for, and the names in the outermost object. Throws InputError for what is no JSON, is nested deeper or
/// has more to keep than any description of an image, or says something twice. Takes time and memory as `text` is long.
[[nodiscard]] Json parse_json(const std::string& path, std::string_view text);

/// A member of an object; null where there is none, or `object` is none.
[[nodiscard]] const Json& member(const Json& object, Asked asked);
/// A text, shortened, printable; "" where the member is none.
[[nodiscard]] std::string word(const Json& object, Asked asked);
/// What a message shows of a value.
[[nodiscard]] std::string json_text(const Json& value);
/// Whole numbers from 1 on. Throws InputError "PATH: shape ...; wanted ..." for anything else.
[[nodiscard]] std::vector<std::int64_t> edges(const std::string& path, const Json& object, Asked asked);

// What was done to the bytes of a chunk on their way into a store.

enum class Codec : std::uint8_t { Gzip, Zlib, Zstd, Blosc, Crc32c };

/// In the order of writing, with at most one compression, so that the length of every step but the last is known.
struct Codecs {
  std::vector<Codec> steps;

  [[nodiscard]] bool compressed() const;
  /// How many bytes `bytes` become where nothing is compressed.
  [[nodiscard]] std::int64_t stored_bytes(std::int64_t bytes) const;
  /// The most that they can be stored in: no compression makes them larger than this.
  [[nodiscard]] std::int64_t most_bytes(std::int64_t bytes) const;
  /// "zstd", "blosc, crc32c"; "not compressed".
  [[nodiscard]] std::string words() const;
};

/// Of an array of version 2: its `compressor`, null or an object.
[[nodiscard]] Codecs codecs_v2(const std::string& path, const Json& compressor);
/// Adds a step of version 3 by its name; false where the name is none of them. Throws InputError for a second
/// compression.
[[nodiscard]] bool add_codec(const std::string& path, const std::string& name, Codecs& codecs);

/// Bytes of a checksum.
inline constexpr std::size_t crc32c_bytes = 4;
/// The checksum of Castagnoli, which ends the index of a shard.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes);

/// Undoes all of them. `out` has the bytes of the samples; `scratch` is for a step in between. Throws InputError,
/// naming `path`, unless they come out exactly.
void decode(const std::string& path, const Codecs& codecs, std::span<const std::byte> stored,
            Decompressor& decompressor, std::vector<std::byte>& scratch, std::span<std::byte> out);

// What an array of a store is: shape, chunks, samples, and how chunks become files. The same for versions 2 and 3.

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

// OME-Zarr: images of a group, of versions 0.1 to 0.5.
// https://ngff.openmicroscopy.org/0.5/index.html

/// What an image says of one of its sizes.
struct OmeLevel {
  std::string array;                ///< where it lies, seen from the group
  std::vector<std::string> axes;    ///< "t", "c", "z", "y", "x"
  std::vector<std::string> units;   ///< of each axis, as the file spells them
  std::vector<double> scale;        ///< of each axis; empty: not known
  std::vector<double> translation;  ///< of each axis: where the first sample lies; empty: not said
  std::int64_t levels = 1;          ///< of the image
  std::string version;              ///< "0.4"; empty where it does not say
};

/// A level of the image that the attributes of a group describe, 0 the finest. Throws InputError for a level that there
/// is not, for a group that is no image, and for a description that is damaged.
[[nodiscard]] OmeLevel ome_level(const std::string& path, const Json& attributes, std::optional<std::int64_t> level);

/// Voxel sizes of the axes of space. Not known where a unit is missing or they differ, or where a size is none.
[[nodiscard]] Spacing spacing_of(const OmeLevel& level, const std::vector<std::size_t>& space);

/// The attributes of a group whose array "0" is an image of these axes.
[[nodiscard]] nlohmann::ordered_json ome_attributes(OmeZarrVersion version, const std::string& name,
                                                    const std::vector<std::string>& axes, const Spacing& spacing);

// Which axes of an array are those of an image.

struct ImageAxes {
  std::optional<std::size_t> t, c, z, y, x;
  std::int64_t channel = 0;      ///< the first that is read
  bool one_channel = false;      ///< and the only one, because it was chosen
  std::vector<std::int64_t> at;  ///< of every axis: the sample of those that are no image's

  /// z, y and x, or y and x.
  [[nodiscard]] std::vector<std::size_t> space() const;
};

/// An array without a word about its axes: (y, x) or (z, y, x).
[[nodiscard]] ImageAxes plain_axes(const std::string& path, const std::vector<std::int64_t>& shape);

/// Axes by their names; of several times and of channels those that are asked for.
[[nodiscard]] ImageAxes image_axes(const std::string& path, const std::vector<std::int64_t>& shape,
                                   const std::vector<std::string>& names, const ReadOptions& options);

/// Before version 0.3 the last axes are those of the array.
void fit(OmeLevel& level, std::size_t rank);

}  // namespace tamis::io
