// Strips of samples as bytes of a compressed TIFF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

namespace tamis::io {

struct StripCodec {
  TiffCompression compression = TiffCompression::Deflate;
  Type type = Type::U8;
  std::int64_t row_samples = 1;
  int channels = 1;
  bool differences = false;  ///< each sample as its difference from the one on its left, the predictor 2 of TIFF

  /// The tag of the compression.
  [[nodiscard]] std::uint16_t tag() const;
  /// Threads may call it at once.
  [[nodiscard]] std::vector<std::byte> compressed(std::span<const std::byte> rows) const;
};

/// Do differences make this strip smaller? Never for samples other than integers of 8 and 16 bits, whose differences every
/// reader of TIFF knows.
[[nodiscard]] bool differences_help(StripCodec codec, std::span<const std::byte> rows);

}  // namespace tamis::io
