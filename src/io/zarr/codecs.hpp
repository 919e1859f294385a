// What was done to the bytes of a chunk on their way into a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/confined/decompressor.hpp"
#include "io/zarr/json.hpp"

namespace tamis::io {

enum class Codec : std::uint8_t { Gzip, Zlib, Zstd, Blosc, Crc32c };

/// In the order of writing, with at most one compression, so that the length of every step but the last is known.
struct Codecs {
  std::vector<Codec> steps;

  [[nodiscard]] bool compressed() const;
  /// How many bytes `bytes` become where nothing is compressed.
  [[nodiscard]] std::int64_t stored_bytes(std::int64_t bytes) const;
  /// The most that they can be stored in: no compression makes them larger than this.
  [[nodiscard]] std::int64_t most_bytes(std::int64_t bytes) const;
  /// Is one of them decoded in a process of its own?
  [[nodiscard]] bool confined() const;
  /// "zstd", "blosc, crc32c"; "not compressed".
  [[nodiscard]] std::string words() const;
};

/// Of an array of version 2: its `compressor`, null or an object.
[[nodiscard]] Codecs codecs_v2(const std::string& path, const Json& compressor);
/// Adds a step of version 3 by its name; false where the name is none of them. Throws InputError for a second
/// compression.
[[nodiscard]] bool add_codec(const std::string& path, const std::string& name, Codecs& codecs);

/// Undoes all of them. `out` has the bytes of the samples; `scratch` is for a step in between. Throws InputError,
/// naming `path`, unless they come out exactly.
void decode(const std::string& path, const Codecs& codecs, std::span<const std::byte> stored,
            Decompressor& decompressor, std::vector<std::byte>& scratch, std::span<std::byte> out);

}  // namespace tamis::io
