// One page of a TIFF file: what its tags say, where its samples lie, and how they become ours.
#pragma once

#include <tiffio.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tamis/image.hpp>

namespace tamis::io {

/// Fax codes and zstd reach far beyond deflate's 1032; a header that asks for more than this lies.
inline constexpr std::int64_t tiff_ratio = 100000;

/// An open libtiff file whose messages are kept instead of printed.
class TiffFile {
 public:
  /// Throws InputError if libtiff cannot make sense of the file.
  explicit TiffFile(const std::string& path, std::int64_t file_bytes);

  /// Makes the directory at this offset the current one; `page` counts from 1, for messages.
  void select(std::uint64_t directory, std::int64_t page);
  [[nodiscard]] TIFF* handle() const { return tiff_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::int64_t page() const { return page_; }
  [[nodiscard]] std::int64_t file_bytes() const { return file_bytes_; }
  /// Throws "PATH: page N: what", with libtiff's own words if it had any.
  [[noreturn]] void fail(const std::string& what) const;
  /// Forgets earlier messages; then had_messages() tells of new ones.
  void clear_messages() { log_->clear(); }
  [[nodiscard]] bool had_messages() const { return !log_->empty(); }

 private:
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  std::string path_;
  std::int64_t file_bytes_;
  std::int64_t page_ = 1;
  std::unique_ptr<std::string> log_;  // libtiff keeps its address
  std::unique_ptr<TIFF, Close> tiff_;
};

/// The tags of the current page that say how to read it.
struct TiffPage {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint16_t bits = 1;
  std::uint16_t samples = 1;  ///< per pixel, in the file
  std::uint16_t compression = COMPRESSION_NONE;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  bool separate = false;  ///< planes one after the other
  bool tiled = false;
  bool inverted = false;              ///< small values are bright
  std::vector<std::uint8_t> palette;  ///< `channels` bytes for each index; empty without palette
  Type type = Type::U8;               ///< as delivered
  int channels = 1;                   ///< as delivered

  /// Shape of one page, type and channels.
  [[nodiscard]] Layout layout() const { return {type, {1, height, width, 2}, channels, {}}; }
  /// "TIFF, LZW, tiles"
  [[nodiscard]] std::string description() const;
};

/// Reads the tags and checks that all strips or tiles lie inside the file. Throws InputError for what is truncated,
/// inconsistent or not supported; allocates nothing of the image's size.
[[nodiscard]] TiffPage inspect_page(TiffFile& file);

/// Decodes the current page: dense, channels interleaved, Bool as bytes.
void decode_page(TiffFile& file, const TiffPage& page, std::byte* out);

/// Offset of the samples if the page is nothing but them: uncompressed, contiguous, in our form except byte order.
[[nodiscard]] std::optional<std::int64_t> flat_offset(TiffFile& file, const TiffPage& page);

}  // namespace tamis::io
