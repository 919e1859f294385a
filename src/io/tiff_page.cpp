#include "io/tiff_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

#include <tamis/error.hpp>

#include "io/samples.hpp"

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

template <class T>
T tag(TiffFile& file, std::uint32_t number, T missing) {
  T value = missing;
  return TIFFGetFieldDefaulted(file.handle(), number, &value) ? value : missing;
}

std::optional<Type> sample_type(std::uint16_t bits, std::uint16_t format) {
  struct Row {
    std::uint16_t bits, format;
    Type type;
  };
  static constexpr std::array<Row, 13> rows{{{1, SAMPLEFORMAT_UINT, Type::Bool},
                                             {2, SAMPLEFORMAT_UINT, Type::U8},
                                             {4, SAMPLEFORMAT_UINT, Type::U8},
                                             {8, SAMPLEFORMAT_UINT, Type::U8},
                                             {16, SAMPLEFORMAT_UINT, Type::U16},
                                             {32, SAMPLEFORMAT_UINT, Type::U32},
                                             {64, SAMPLEFORMAT_UINT, Type::U64},
                                             {8, SAMPLEFORMAT_INT, Type::I8},
                                             {16, SAMPLEFORMAT_INT, Type::I16},
                                             {32, SAMPLEFORMAT_INT, Type::I32},
                                             {64, SAMPLEFORMAT_INT, Type::I64},
                                             {32, SAMPLEFORMAT_IEEEFP, Type::F32},
                                             {64, SAMPLEFORMAT_IEEEFP, Type::F64}}};
  if (format == SAMPLEFORMAT_VOID) format = SAMPLEFORMAT_UINT;
  for (const Row& row : rows) {
    if (row.bits == bits && row.format == format) return row.type;
  }
  return std::nullopt;
}

/// Colours of a palette as bytes: three for each index, one if all are grey.
void read_palette(TiffFile& file, TiffPage& page) {
  std::array<std::uint16_t*, 3> map{};
  if (page.bits > 8 || page.samples != 1 || !TIFFGetField(file.handle(), TIFFTAG_COLORMAP, &map[0], &map[1], &map[2])) {
    file.fail("a palette image without a usable palette");
  }
  const std::size_t colours = std::size_t{1} << page.bits;
  bool grey = true;
  bool narrow = true;  // some writers put 0..255 where 0..65535 belongs
  for (std::size_t i = 0; i < colours; ++i) {
    grey = grey && map[0][i] == map[1][i] && map[1][i] == map[2][i];
    narrow = narrow && map[0][i] < 256 && map[1][i] < 256 && map[2][i] < 256;
  }
  page.type = Type::U8;
  page.channels = grey ? 1 : 3;
  for (std::size_t i = 0; i < colours; ++i) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(page.channels); ++c) {
      page.palette.push_back(static_cast<std::uint8_t>(narrow ? map[c][i] : map[c][i] >> 8));
    }
  }
}

void read_colour(TiffFile& file, TiffPage& page) {
  switch (page.photometric) {
    case PHOTOMETRIC_MINISWHITE:
      page.inverted = true;
      if (page.type != Type::Bool && page.type != Type::U8 && page.type != Type::U16 && page.type != Type::U32) {
        file.fail(fmt::format("white is zero in {} samples; wanted 1-bit, u8, u16 or u32", name(page.type)));
      }
      break;
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK:
    case PHOTOMETRIC_RGB:
      break;
    case PHOTOMETRIC_PALETTE:
      read_palette(file, page);
      break;
    case PHOTOMETRIC_YCBCR:
      if (page.compression == COMPRESSION_JPEG) {
        TIFFSetField(file.handle(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        break;
      }
      [[fallthrough]];
    default:
      file.fail(fmt::format("photometric interpretation {}; wanted grey, RGB or a palette", page.photometric));
  }
}

void check_places(TiffFile& file, const TiffPage& page) {
  TIFF* const tiff = file.handle();
  const std::uint32_t count = page.tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  const std::uint32_t rows = std::min(page.height, tag<std::uint32_t>(file, TIFFTAG_ROWSPERSTRIP, page.height));
  if (count == 0 || rows == 0) file.fail("no strips or tiles");
  const std::uint32_t strips_in_plane = (page.height - 1) / rows + 1;
  const auto row = static_cast<std::uint64_t>(TIFFScanlineSize64(tiff));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t offset = TIFFGetStrileOffset(tiff, i);
    const std::uint64_t bytes = TIFFGetStrileByteCount(tiff, i);
    const auto size = static_cast<std::uint64_t>(file.file_bytes());
    if (offset > size || bytes > size - offset) {
      throw InputError(fmt::format("{}: truncated TIFF: page {} needs bytes up to {}, got a file of {} bytes",
                                   file.path(), file.page(), offset + bytes, size));
    }
    const std::uint32_t strip_rows = std::min(rows, page.height - i % strips_in_plane * rows);
    const std::uint64_t wanted = page.compression != COMPRESSION_NONE ? 1
                                 : page.tiled                         ? TIFFTileSize64(tiff)
                                                                      : row * strip_rows;
    if (offset == 0 || bytes < wanted) {
      file.fail(fmt::format("{} {} has {} bytes, wanted {}{}", page.tiled ? "tile" : "strip", i, bytes, wanted,
                            page.compression == COMPRESSION_NONE ? "" : " at least"));
    }
  }
}

}  // namespace

TiffFile::TiffFile(const std::string& path, std::int64_t file_bytes)
    : path_(path), file_bytes_(file_bytes), log_(std::make_unique<std::string>()) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_message, log_.get());
  // Warnings tell of unknown tags and of damaged pictures alike; the log is cleared before decoding, where only the
  // latter are left.
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), keep_message, log_.get());
  // Nothing libtiff needs for itself is larger than the compressed data and the arrays of the directories.
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), 4 * file_bytes + (std::int64_t{64} << 20));
  // c: no invented strips, h: directory is read later, by offset.
  tiff_.reset(TIFFOpenExt(path.c_str(), "rch", options.get()));
  if (!tiff_) fail("not readable as TIFF");
}

void TiffFile::select(std::uint64_t directory, std::int64_t page) {
  page_ = page;
  log_->clear();
  if (!TIFFSetSubDirectory(tiff_.get(), directory)) fail("unreadable directory");
}

void TiffFile::fail(const std::string& what) const {
  std::string words = log_->empty() ? "" : " (" + *log_ + ")";
  std::replace(words.begin(), words.end(), '\n', ' ');
  throw InputError(fmt::format("{}: page {}: {}{}", path_, page_, what, words));
}

std::string TiffPage::description() const {
  std::string text = "TIFF";
  const TIFFCodec* const codec = TIFFFindCODEC(compression);
  text += compression == COMPRESSION_NONE ? ", uncompressed"
          : codec                         ? fmt::format(", {}", codec->name)
                                          : fmt::format(", compression {}", compression);
  if (tiled) text += ", tiles";
  if (bits < 8) text += fmt::format(", {}-bit", bits);
  if (inverted) text += ", white is zero";
  if (!palette.empty()) text += ", palette";
  return text;
}

TiffPage inspect_page(TiffFile& file) {
  TiffPage page;
  page.width = tag<std::uint32_t>(file, TIFFTAG_IMAGEWIDTH, 0);
  page.height = tag<std::uint32_t>(file, TIFFTAG_IMAGELENGTH, 0);
  page.bits = tag<std::uint16_t>(file, TIFFTAG_BITSPERSAMPLE, 1);
  page.samples = tag<std::uint16_t>(file, TIFFTAG_SAMPLESPERPIXEL, 1);
  page.compression = tag<std::uint16_t>(file, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  page.photometric = tag<std::uint16_t>(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  page.separate = page.samples > 1 && tag<std::uint16_t>(file, TIFFTAG_PLANARCONFIG, 1) == PLANARCONFIG_SEPARATE;
  page.tiled = TIFFIsTiled(file.handle()) != 0;
  const auto format = tag<std::uint16_t>(file, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  const std::optional<Type> type = sample_type(page.bits, format);
  if (page.width == 0 || page.height == 0) file.fail(fmt::format("a size of {}x{}", page.width, page.height));
  if (tag<std::uint32_t>(file, TIFFTAG_IMAGEDEPTH, 1) != 1) file.fail("a page with a depth; wanted one slice a page");
  if (!type || (page.bits < 8 && page.samples != 1)) {
    file.fail(fmt::format("{} samples of {} bits, sample format {}; wanted 1, 2, 4, 8, 16, 32 or 64 bits, not complex",
                          page.samples, page.bits, format));
  }
  if (page.samples == 0 || page.samples > 64) file.fail(fmt::format("{} samples a pixel", page.samples));
  if (!TIFFIsCODECConfigured(page.compression)) {
    file.fail(fmt::format("compression {}; this libtiff cannot decode it", page.compression));
  }
  page.type = *type;
  page.channels = page.samples;
  read_colour(file, page);
  check_expansion(file.path(), page.layout(), file.file_bytes(), tiff_ratio);
  check_places(file, page);
  return page;
}

std::optional<std::int64_t> flat_offset(TiffFile& file, const TiffPage& page) {
  if (page.compression != COMPRESSION_NONE || page.tiled || page.separate || page.inverted || page.bits < 8 ||
      !page.palette.empty() || tag<std::uint16_t>(file, TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) != FILLORDER_MSB2LSB) {
    return std::nullopt;
  }
  const std::uint64_t start = TIFFGetStrileOffset(file.handle(), 0);
  std::uint64_t next = start;
  for (std::uint32_t i = 0; i < TIFFNumberOfStrips(file.handle()); ++i) {
    if (TIFFGetStrileOffset(file.handle(), i) != next) return std::nullopt;
    next += TIFFGetStrileByteCount(file.handle(), i);
  }
  if (static_cast<std::int64_t>(next - start) != checked_bytes(file.path(), page.layout())) return std::nullopt;
  return static_cast<std::int64_t>(start);
}

}  // namespace tamis::io
