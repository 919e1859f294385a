// Compressed pages of TIFF, decoded by libtiff. It sees the file through our mapping, opens nothing, and is asked for
// nothing but strips and tiles whose places we have read ourselves.
#include <libdeflate.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "io/confined/decoder.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/tiff/tiff.hpp"

namespace tamis::io {
namespace {

/// libtiff's messages go into the log that came with the file; the first one is the cause.
int keep_message(TIFF*, void* log, const char*, const char* format, va_list arguments) {
  auto* const text = static_cast<std::string*>(log);
  std::array<char, 512> buffer{};
  std::vsnprintf(buffer.data(), buffer.size(), format, arguments);
  if (text->empty()) *text = buffer.data();
  return 1;
}

/// A file in memory as libtiff asks for it.
struct Memory {
  const std::byte* data;
  std::int64_t size;
  std::int64_t at = 0;
};

tmsize_t read_memory(thandle_t handle, void* out, tmsize_t wanted) {
  auto* const memory = static_cast<Memory*>(handle);
  const std::int64_t got = std::clamp<std::int64_t>(memory->size - memory->at, 0, wanted);
  std::memcpy(out, memory->data + memory->at, static_cast<std::size_t>(got));
  memory->at += got;
  return got;
}

tmsize_t write_nothing(thandle_t, void*, tmsize_t) { return 0; }

toff_t seek_memory(thandle_t handle, toff_t offset, int whence) {
  auto* const memory = static_cast<Memory*>(handle);
  const auto size = static_cast<toff_t>(memory->size);
  const toff_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? static_cast<toff_t>(memory->at) : size;
  memory->at = static_cast<std::int64_t>(std::min(from + offset, size));
  return static_cast<toff_t>(memory->at);
}

int close_nothing(thandle_t) { return 0; }

toff_t size_of_memory(thandle_t handle) { return static_cast<toff_t>(static_cast<Memory*>(handle)->size); }

int map_memory(thandle_t handle, void** base, toff_t* size) {
  *base = const_cast<std::byte*>(static_cast<Memory*>(handle)->data);  // libtiff only reads it
  *size = size_of_memory(handle);
  return 1;
}

void unmap_nothing(thandle_t, void*, toff_t) {}

bool is_deflate(std::int64_t compression) {
  return compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE;
}

/// libtiff's view of a file whose directories we have read.
class LibtiffFile {
 public:
  explicit LibtiffFile(const TiffFile& file)
      : memory_(std::make_unique<Memory>(Memory{file.data(), file.size()})), log_(std::make_unique<std::string>()) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                               TIFFOpenOptionsFree);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_message, log_.get());
    // Warnings tell of unknown tags and of damaged pictures alike; the log is cleared before decoding, where only the
    // latter are left.
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), keep_message, log_.get());
    // Nothing libtiff needs for itself is larger than the compressed data and the arrays of the directories.
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), 4 * file.size() + (std::int64_t{64} << 20));
    // c: no invented strips, h: directory is read later, by offset.
    tiff_.reset(TIFFClientOpenExt(file.path().c_str(), "rch", memory_.get(), read_memory, write_nothing, seek_memory,
                                  close_nothing, size_of_memory, map_memory, unmap_nothing, options.get()));
    if (!tiff_) refuse("{}: not readable as TIFF{}", file.path(), words());
  }

  /// Makes a directory the current one and holds libtiff's understanding of it against ours.
  void select(const TiffDirectory& directory, std::uint64_t offset, const TiffPage& page);
  /// All rows of a segment, page.segment_bytes(number) bytes.
  void decode(const TiffDirectory& directory, const TiffPage& page, std::int64_t number, std::byte* out);

 private:
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  /// libtiff's own words, if it had any.
  [[nodiscard]] std::string words() const {
    std::string text = log_->empty() ? "" : " (" + *log_ + ")";
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  template <class T>
  [[nodiscard]] std::int64_t tag(std::uint32_t number) const {
    T value = 0;
    return TIFFGetFieldDefaulted(tiff_.get(), number, &value) ? static_cast<std::int64_t>(value) : -1;
  }
  [[nodiscard]] bool agrees(const TiffPage& page) const;
  /// libtiff leaves whole segments of deflate to libdeflate, and takes a stream that holds more than is wanted for
  /// success (last strips may): the end of `out` may then have been left as it was. Its zlib counts every byte.
  void use_zlib() { TIFFSetField(tiff_.get(), TIFFTAG_DEFLATE_SUBCODEC, DEFLATE_SUBCODEC_ZLIB); }
  [[nodiscard]] bool is_whole(const TiffPlace& place, const std::byte* out, std::int64_t bytes) const;
  [[nodiscard]] std::int64_t read(const TiffPage& page, std::uint32_t number, std::byte* out, std::int64_t bytes) {
    return page.tiled ? TIFFReadEncodedTile(tiff_.get(), number, out, bytes)
                      : TIFFReadEncodedStrip(tiff_.get(), number, out, bytes);
  }

  std::unique_ptr<Memory> memory_;  // libtiff keeps the addresses of both
  std::unique_ptr<std::string> log_;
  std::unique_ptr<TIFF, Close> tiff_;
};

void LibtiffFile::select(const TiffDirectory& directory, std::uint64_t offset, const TiffPage& page) {
  if (!TIFFIsCODECConfigured(static_cast<std::uint16_t>(page.compression))) {
    directory.fail("compression {}; this libtiff cannot decode it", page.compression);
  }
  log_->clear();
  if (!TIFFSetSubDirectory(tiff_.get(), offset)) directory.fail("unreadable directory{}", words());
  if (page.photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  if (!agrees(page)) directory.fail("libtiff understands the tags in another way{}", words());
  // The checksum that tells is of the bytes before the predictor was undone.
  if (is_deflate(page.compression) && page.predictor != 1) use_zlib();
}

bool LibtiffFile::agrees(const TiffPage& page) const {
  TIFF* const tiff = tiff_.get();
  const bool tiled = TIFFIsTiled(tiff) != 0;
  const std::int64_t row = tiled ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff);
  const std::int64_t rows =
      tiled ? tag<std::uint32_t>(TIFFTAG_TILELENGTH) : std::min(page.height, tag<std::uint32_t>(TIFFTAG_ROWSPERSTRIP));
  const std::int64_t segments = tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  return tiled == page.tiled && tag<std::uint32_t>(TIFFTAG_IMAGEWIDTH) == page.width &&
         tag<std::uint32_t>(TIFFTAG_IMAGELENGTH) == page.height &&
         tag<std::uint16_t>(TIFFTAG_BITSPERSAMPLE) == page.bits &&
         tag<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL) == page.samples &&
         tag<std::uint16_t>(TIFFTAG_COMPRESSION) == page.compression && row == page.row_bytes &&
         rows == page.segment_height && segments == page.segments();
}

void LibtiffFile::decode(const TiffDirectory& directory, const TiffPage& page, std::int64_t number, std::byte* out) {
  const auto index = static_cast<std::uint32_t>(number);
  const TiffPlace place = segment_place(directory, page, number);
  log_->clear();
  if (TIFFGetStrileOffset(tiff_.get(), index) != static_cast<std::uint64_t>(place.offset) ||
      TIFFGetStrileByteCount(tiff_.get(), index) != static_cast<std::uint64_t>(place.bytes)) {
    directory.fail("libtiff understands the place of {} {} in another way{}", page.segment_name(), number, words());
  }
  const std::int64_t wanted = page.segment_bytes(number);
  std::int64_t got = read(page, index, out, wanted);
  if (got == wanted && is_deflate(page.compression) && page.predictor == 1 && !is_whole(place, out, wanted)) {
    use_zlib();
    got = read(page, index, out, wanted);
  }
  // A codec that only warns (JPEG, fax) has filled in what it could not read.
  if (got == wanted && log_->empty()) return;
  directory.fail("{} {} is damaged: got {} bytes, wanted {}{}", page.segment_name(), number,
                 std::max<std::int64_t>(got, 0), wanted, words());
}

/// Do the bytes have the checksum at the end of their deflated stream?
bool LibtiffFile::is_whole(const TiffPlace& place, const std::byte* out, std::int64_t bytes) const {
  constexpr std::int64_t checksum_bytes = 4;
  if (place.bytes < checksum_bytes) return false;
  const std::byte* const checksum = memory_->data + place.offset + place.bytes - checksum_bytes;
  return libdeflate_adler32(1, out, static_cast<std::size_t>(bytes)) ==
         number_at<std::uint32_t>(checksum, native_little);
}

/// Undoes horizontal differencing.
template <class Sample>
void add_up(std::byte* row, std::int64_t samples, std::int64_t step) {
  for (std::int64_t i = step; i < samples; ++i) {
    Sample left, here;
    std::memcpy(&left, row + (i - step) * static_cast<std::int64_t>(sizeof(Sample)), sizeof(Sample));
    std::memcpy(&here, row + i * static_cast<std::int64_t>(sizeof(Sample)), sizeof(Sample));
    here = static_cast<Sample>(here + left);
    std::memcpy(row + i * static_cast<std::int64_t>(sizeof(Sample)), &here, sizeof(Sample));
  }
}

/// libtiff undoes predictors for these codecs only, and ignores the tag for all others.
bool libtiff_predicts(int compression) {
  return compression == COMPRESSION_LZW || compression == COMPRESSION_ADOBE_DEFLATE ||
         compression == COMPRESSION_DEFLATE || compression == COMPRESSION_LZMA || compression == COMPRESSION_ZSTD;
}

/// Undoes the predictor 2 in a row of a segment.
void undo_differences(const TiffPage& page, std::byte* row) {
  const std::int64_t step = page.separate ? 1 : page.samples;
  const std::int64_t samples = page.segment_width * step;
  if (page.bits == 8) add_up<std::uint8_t>(row, samples, step);
  if (page.bits == 16) add_up<std::uint16_t>(row, samples, step);
  if (page.bits == 32) add_up<std::uint32_t>(row, samples, step);
  if (page.bits == 64) add_up<std::uint64_t>(row, samples, step);
}

void decode_compressed(LibtiffFile& decoder, const TiffDirectory& directory, const TiffPage& page,
                       const std::stop_token& cancel, std::byte* out) {
  const bool adds_up = page.predictor != 1 && !libtiff_predicts(page.compression);
  const bool known = page.compression == COMPRESSION_PACKBITS || page.compression == COMPRESSION_LERC;
  if (adds_up && (!known || page.predictor != 2 || page.bits < 8)) {
    directory.fail("predictor {} with {} and {} bits; wanted 1, or 2 with PackBits or LERC and 8 bits or more",
                   page.predictor, page.description(), page.bits);
  }
  // A tile may be larger than the page, but a header that asks for far more than there is lies.
  const std::int64_t page_bytes = page.width * page.height * page.channels * sample_bytes(page.type);
  if (page.tiled && page.row_bytes * page.segment_height > (std::int64_t{64} << 20) + 64 * page_bytes) {
    directory.fail("tiles of {}x{} in {}x{} pixels; wanted smaller ones", page.segment_width, page.segment_height,
                   page.width, page.height);
  }
  std::vector<std::byte> segment;
  const auto packed = [&](std::int64_t number, std::byte* room) {
    if (cancel.stop_requested()) throw Cancelled();
    if (!room) {
      segment.resize(static_cast<std::size_t>(page.segment_bytes(number)));
      room = segment.data();
    }
    decoder.decode(directory, page, number, room);
    for (std::int64_t y = 0; adds_up && y < page.segment_rows(number); ++y) {
      undo_differences(page, room + y * page.row_bytes);
    }
    return room;
  };
  assemble_page(page, packed, out);
}

}  // namespace

std::unique_ptr<Source> open_tiff(const std::string& path, const ReadOptions& options) {
  MappedFile map(path);
  const TiffFile file(map);
  const TiffStack stack = inspect_tiff(file, options);
  const auto decoder = std::make_shared<LibtiffFile>(file);
  return open_planes(std::move(map), stack, options.cancel,
                     [decoder, cancel = options.cancel](const TiffDirectory& directory, std::uint64_t offset,
                                                        const TiffPage& page, std::byte* out) {
                       if (!page.compressed()) return decode_uncompressed(directory, page, out);
                       decoder->select(directory, offset, page);
                       decode_compressed(*decoder, directory, page, cancel, out);
                     });
}

}  // namespace tamis::io
