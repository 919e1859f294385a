// The JSON of a store, within bounds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tamis::io {

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

}  // namespace tamis::io
