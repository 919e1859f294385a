#include "io/tiff/tiff.hpp"

#include <fmt/format.h>
#include <tiff.h>

#include <algorithm>
#include <array>

#include "io/checked.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::uint16_t tag_lsm_info = 34412;  // Zeiss LSM; libtiff has no name for it

struct Codec {
  int number;
  std::string_view name;
};

constexpr std::array<Codec, 20> codecs{{{COMPRESSION_NONE, "uncompressed"},
                                        {COMPRESSION_CCITTRLE, "CCITT RLE"},
                                        {COMPRESSION_CCITTRLEW, "CCITT RLE/W"},
                                        {COMPRESSION_CCITTFAX3, "CCITT Group 3"},
                                        {COMPRESSION_CCITTFAX4, "CCITT Group 4"},
                                        {COMPRESSION_LZW, "LZW"},
                                        {COMPRESSION_OJPEG, "Old-style JPEG"},
                                        {COMPRESSION_JPEG, "JPEG"},
                                        {COMPRESSION_ADOBE_DEFLATE, "AdobeDeflate"},
                                        {COMPRESSION_DEFLATE, "Deflate"},
                                        {COMPRESSION_PACKBITS, "PackBits"},
                                        {COMPRESSION_THUNDERSCAN, "ThunderScan"},
                                        {COMPRESSION_NEXT, "NeXT"},
                                        {COMPRESSION_PIXARLOG, "PixarLog"},
                                        {COMPRESSION_SGILOG, "SGILog"},
                                        {COMPRESSION_JBIG, "ISO JBIG"},
                                        {COMPRESSION_LZMA, "LZMA"},
                                        {COMPRESSION_ZSTD, "ZSTD"},
                                        {COMPRESSION_WEBP, "WEBP"},
                                        {COMPRESSION_LERC, "LERC"}}};

std::string codec_name(int compression) {
  for (const Codec& codec : codecs) {
    if (codec.number == compression) return std::string(codec.name);
  }
  return fmt::format("compression {}", compression);
}

std::optional<Type> sample_type(std::uint64_t bits, std::uint64_t format) {
  if (format == SAMPLEFORMAT_VOID) format = SAMPLEFORMAT_UINT;
  const bool is_unsigned = format == SAMPLEFORMAT_UINT;
  if (is_unsigned && bits == 1) return Type::Bool;
  if (is_unsigned && (bits == 2 || bits == 4)) return Type::U8;
  // Samples of cameras keep their values, as everywhere; so 12 bits end at 4095. Half floats are u16 until they are
  // read.
  if ((is_unsigned && bits > 8 && bits < 16) || (format == SAMPLEFORMAT_IEEEFP && bits == 16)) return Type::U16;
  if (format < SAMPLEFORMAT_UINT || format > SAMPLEFORMAT_IEEEFP || bits % 8 != 0) return std::nullopt;
  return type_of_kind("uif"[format - SAMPLEFORMAT_UINT], bits / 8);
}

/// A length in pixels; what is no 32-bit number is none.
std::int64_t edge(const TiffDirectory& directory, std::uint16_t tag, std::uint64_t missing) {
  const std::uint64_t value = directory.number(tag, missing);
  if (value == 0 || value > UINT32_MAX) directory.fail("tag {} is {}; wanted 1..2^32-1", tag, value);
  return static_cast<std::int64_t>(value);
}

/// A choice among few; what does not fit an int is not among them.
int choice(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, INT32_MAX)); }

void read_samples(const TiffDirectory& directory, TiffPage& page) {
  const std::uint64_t samples = directory.number(TIFFTAG_SAMPLESPERPIXEL, 1);
  if (samples == 0 || samples > 64) directory.fail("{} samples a pixel; wanted 1..64", samples);
  page.samples = choice(samples);
  const std::uint64_t bits = directory.number_of_all(TIFFTAG_BITSPERSAMPLE, page.samples, 1);
  const std::uint64_t format = directory.number_of_all(TIFFTAG_SAMPLEFORMAT, page.samples, SAMPLEFORMAT_UINT);
  const std::optional<Type> type = sample_type(bits, format);
  if (!type || (bits % 8 != 0 && samples != 1)) {
    directory.fail("{} samples of {} bits, sample format {}; wanted 1, 2, 4, 8 to 16, 32 or 64 bits, not complex",
                   samples, bits, format);
  }
  page.bits = choice(bits);
  page.type = *type;
  page.halves = bits == 16 && format == SAMPLEFORMAT_IEEEFP;
  page.channels = page.samples;
  const std::uint64_t planar = directory.number(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  if (planar != PLANARCONFIG_CONTIG && planar != PLANARCONFIG_SEPARATE) {
    directory.fail("planar configuration {}; wanted 1 or 2", planar);
  }
  const TiffValues extra = directory.numbers(TIFFTAG_EXTRASAMPLES);
  page.alpha = samples > 1 && extra.size() > 0 &&
               (extra[extra.size() - 1] == EXTRASAMPLE_ASSOCALPHA || extra[extra.size() - 1] == EXTRASAMPLE_UNASSALPHA);
  page.separate = samples > 1 && planar == PLANARCONFIG_SEPARATE;
}

/// Colours of a palette as bytes: three for each index, one if all are grey.
void read_palette(const TiffDirectory& directory, TiffPage& page) {
  const TiffValues map = directory.numbers(TIFFTAG_COLORMAP);
  const std::int64_t colours = page.bits > 8 ? 0 : std::int64_t{1} << page.bits;
  if (page.bits > 8 || page.samples != 1 || page.type == Type::I8 || map.size() != 3 * colours) {
    directory.fail("a palette image without a usable palette");
  }
  const auto colour = [&](std::int64_t channel, std::int64_t index) { return map[channel * colours + index]; };
  bool grey = true;
  bool narrow = true;  // some writers put 0..255 where 0..65535 belongs
  for (std::int64_t i = 0; i < colours; ++i) {
    grey = grey && colour(0, i) == colour(1, i) && colour(1, i) == colour(2, i);
    narrow = narrow && colour(0, i) < 256 && colour(1, i) < 256 && colour(2, i) < 256;
  }
  page.type = Type::U8;
  page.channels = grey ? 1 : 3;
  for (std::int64_t i = 0; i < colours; ++i) {
    for (int c = 0; c < page.channels; ++c) {
      page.palette.push_back(static_cast<std::uint8_t>(narrow ? colour(c, i) : colour(c, i) >> 8));
    }
  }
}

void read_colour(const TiffDirectory& directory, TiffPage& page) {
  page.photometric = choice(directory.number(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK));
  switch (page.photometric) {
    case PHOTOMETRIC_MINISWHITE:
      page.inverted = true;
      if (page.type != Type::Bool && page.type != Type::U8 && page.type != Type::U16 && page.type != Type::U32) {
        directory.fail("white is zero in {} samples; wanted 1-bit, u8, u16 or u32", name(page.type));
      }
      if (page.halves) directory.fail("white is zero in samples of half floats; wanted 1-bit, u8, u16 or u32");
      break;
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK:
    case PHOTOMETRIC_RGB:
      break;
    case PHOTOMETRIC_PALETTE:
      read_palette(directory, page);
      break;
    case PHOTOMETRIC_YCBCR:
      if (page.compression == COMPRESSION_JPEG) break;  // becomes RGB where it is decoded
      [[fallthrough]];
    default:
      directory.fail("photometric interpretation {}; wanted grey, RGB or a palette", page.photometric);
  }
}

void read_coding(const TiffDirectory& directory, TiffPage& page) {
  page.compression = choice(directory.number_of_all(TIFFTAG_COMPRESSION, page.samples, COMPRESSION_NONE));
  const std::uint64_t order = directory.number(TIFFTAG_FILLORDER, FILLORDER_MSB2LSB);
  if (order != FILLORDER_MSB2LSB && order != FILLORDER_LSB2MSB) directory.fail("fill order {}; wanted 1 or 2", order);
  page.reversed = order == FILLORDER_LSB2MSB;
  page.predictor = choice(directory.number(TIFFTAG_PREDICTOR, 1));
  // JPEG has none, whatever the tag says; Zeiss microscopes say 2 of samples that are as they are.
  const bool idle = page.compression == COMPRESSION_JPEG || page.compression == COMPRESSION_OJPEG ||
                    (!page.compressed() && directory.has(tag_lsm_info));
  if (idle) page.predictor = 1;
  if (page.predictor != 1 && !page.compressed()) {
    directory.fail("predictor {} without compression, which some programs undo and others do not; wanted predictor 1",
                   page.predictor);
  }
}

void read_segments(const TiffDirectory& directory, TiffPage& page) {
  page.tiled = directory.has(TIFFTAG_TILEWIDTH) || directory.has(TIFFTAG_TILELENGTH);
  if (page.tiled) {
    page.segment_width = edge(directory, TIFFTAG_TILEWIDTH, 0);
    page.segment_height = edge(directory, TIFFTAG_TILELENGTH, 0);
  } else {
    page.segment_width = page.width;
    page.segment_height = std::min(page.height, edge(directory, TIFFTAG_ROWSPERSTRIP, UINT32_MAX));
  }
  page.across = (page.width - 1) / page.segment_width + 1;
  page.down = (page.height - 1) / page.segment_height + 1;
  const Checked row_bits = Checked(page.segment_width) * (page.separate ? 1 : page.samples) * page.bits;
  const Checked row_bytes = (row_bits + 7) / 8;
  if (!(row_bytes * page.segment_height).ok() || !(Checked(page.across) * page.down * page.planes()).ok()) {
    directory.fail("{}s of {}x{} in {}x{} pixels; wanted fewer bytes than any file has", page.segment_name(),
                   page.segment_width, page.segment_height, page.width, page.height);
  }
  page.row_bytes = row_bytes.value_or(0);
  // Both pairs of tags mean the same; some writers mix them up.
  const auto either = [&](std::uint16_t strips, std::uint16_t tiles) {
    const std::uint16_t first = page.tiled ? tiles : strips;
    return directory.numbers(directory.has(first) ? first : page.tiled ? strips : tiles);
  };
  page.offsets = either(TIFFTAG_STRIPOFFSETS, TIFFTAG_TILEOFFSETS);
  page.counts = either(TIFFTAG_STRIPBYTECOUNTS, TIFFTAG_TILEBYTECOUNTS);
  const std::int64_t wanted = page.segments();
  const bool counted = page.counts.size() > 0 || page.compressed();
  if (page.offsets.size() < wanted || (counted && page.counts.size() < wanted)) {
    directory.fail("got {} offsets and {} lengths of {}s, wanted {} of each", page.offsets.size(), page.counts.size(),
                   page.segment_name(), wanted);
  }
}

}  // namespace

std::int64_t tiff_ratio(bool compressed) { return compressed ? 100000 : 1000; }

bool TiffPage::compressed() const { return compression != COMPRESSION_NONE; }

std::int64_t TiffPage::segment_rows(std::int64_t number) const {
  return tiled ? segment_height : std::min(segment_height, height - number % down * segment_height);
}

std::string TiffPage::description() const {
  std::string text = codec_name(compression);
  if (tiled) text += ", tiles";
  if (bit_packed()) text += fmt::format(", {}-bit", bits);
  if (halves) text += ", half floats";
  if (inverted) text += ", white is zero";
  if (!palette.empty()) text += ", palette";
  return text;
}

TiffPlace segment_place(const TiffDirectory& directory, const TiffPage& page, std::int64_t number) {
  const TiffFile& file = directory.file();
  const std::int64_t wanted = page.compressed() ? 1 : page.segment_bytes(number);
  const std::uint64_t offset = page.offsets[number];
  const std::uint64_t bytes = page.counts.size() > 0 ? page.counts[number] : static_cast<std::uint64_t>(wanted);
  if (offset == 0) {
    directory.fail("{} {} is missing: its offset is 0; wanted all {}s in the file", page.segment_name(), number,
                   page.segment_name());
  }
  file.require(directory.page(), offset, bytes);
  if (bytes < static_cast<std::uint64_t>(wanted)) {
    directory.fail("{} {} has {} bytes, wanted {}{}", page.segment_name(), number, bytes, wanted,
                   page.compressed() ? " at least" : "");
  }
  return {static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes)};
}

TiffPage inspect_page(const TiffDirectory& directory) {
  TiffPage page;
  page.width = edge(directory, TIFFTAG_IMAGEWIDTH, 0);
  page.height = edge(directory, TIFFTAG_IMAGELENGTH, 0);
  if (directory.number(TIFFTAG_IMAGEDEPTH, 1) != 1) directory.fail("a page with a depth; wanted one slice a page");
  read_samples(directory, page);
  read_coding(directory, page);
  read_colour(directory, page);
  check_expansion(directory.file().path(), page.layout(), directory.file().size(), tiff_ratio(page.compressed()));
  read_segments(directory, page);
  for (std::int64_t i = 0; i < page.segments(); ++i) static_cast<void>(segment_place(directory, page, i));
  return page;
}

std::optional<std::int64_t> flat_offset(const TiffDirectory& directory, const TiffPage& page) {
  if (page.compressed() || page.tiled || page.separate || page.inverted || page.reversed || page.bit_packed() ||
      !page.palette.empty()) {
    return std::nullopt;
  }
  const std::int64_t start = segment_place(directory, page, 0).offset;
  std::int64_t next = start;
  for (std::int64_t i = 0; i < page.segments(); ++i) {
    if (page.offsets[i] != static_cast<std::uint64_t>(next)) return std::nullopt;
    next += page.segment_bytes(i);
  }
  return start;
}

}  // namespace tamis::io
