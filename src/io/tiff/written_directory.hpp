// The head and the directories of a TIFF file that is written: all that is known of its pages, as ImageJ reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/format.hpp"

namespace tamis::io {

/// Room for the head of a BigTIFF; samples that start behind it may be mapped by any reader.
inline constexpr std::uint64_t tiff_head_bytes = 16;

/// Where the samples lie. Every page has as many strips.
struct WrittenTiff {
  bool big = false;
  std::uint16_t compression = 1;
  std::uint16_t predictor = 1;
  std::int64_t strip_rows = 1;
  std::vector<std::uint64_t> strip_offsets;
  std::vector<std::uint64_t> strip_bytes;
};

/// With WriteOptions::compress: in strips, which all threads compress.
[[nodiscard]] std::unique_ptr<SliceSink> create_compressed_tiff(const Target& target, const Layout& layout);

[[nodiscard]] std::string tiff_head(bool big, std::uint64_t first_directory);
/// One for each slice, to stand at `at`, a multiple of 8.
[[nodiscard]] std::string tiff_directories(const Layout& layout, const std::optional<Display>& display,
                                           const WrittenTiff& file, std::uint64_t at);
/// Do directories behind the strips lie beyond what 32 bits reach?
[[nodiscard]] bool needs_big_tiff(const Layout& layout, std::uint64_t strips_end, std::int64_t strips);

}  // namespace tamis::io
