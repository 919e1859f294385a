// The plainest PNG files, decoded here: 8 or 16 bits, grey or RGB, all rows in their order, nothing that changes samples.
// A process that decodes costs more than a picture of 512 x 512. Whatever else a file is, damaged too, libpng reads.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tamis/io.hpp>

#include "io/format.hpp"
#include "core/system/mapped_file.hpp"

namespace tamis::io {

/// Where the parts of such a file lie.
struct PlainPng {
  Layout layout;
  std::vector<std::span<const std::byte>> stream;  ///< of zlib, in pieces
};

/// Nothing where the file is any other, or not whole. Every part has its checksum.
[[nodiscard]] std::optional<PlainPng> plain_png(const MappedFile& file);

/// The samples, as bytes or native words. False where the stream is not exactly the rows of the picture.
[[nodiscard]] bool decode(const PlainPng& png, std::byte* out);

/// PNG of any kind.
[[nodiscard]] std::unique_ptr<Source> open_png_file(const std::string& path, const ReadOptions& options,
                                                    const SharedDecoder& process);

}  // namespace tamis::io
