// TIFF out, with all that is known of its pages, as ImageJ reads it.
// The whole file but the samples is known beforehand, so it is a head, the samples and a tail. libtiff would put a
// directory behind each slice; ImageJ and memory maps want the slices in one piece.
// Compressed: strips in their order, then the directories, which only then are known, and at last the head, which says
// where they are.
#include <libdeflate.h>
#include <tiff.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "core/cpu/parallel.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "io/output/output.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

/// Room for the head of a BigTIFF; samples that start behind it may be mapped by any reader.
constexpr std::uint64_t tiff_head_bytes = 16;

/// Where the samples lie. Every page has as many strips.
struct WrittenTiff {
  bool big = false;
  std::uint16_t compression = 1;
  std::uint16_t predictor = 1;
  std::int64_t strip_rows = 1;
  std::vector<std::uint64_t> strip_offsets;
  std::vector<std::uint64_t> strip_bytes;
};

/// Appends numbers to a text, in this machine's byte order.
template <class T>
void put(std::string& text, T value) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  text.append(bytes.data(), bytes.size());
}

/// A fraction close to a positive number, as exact as two 32-bit integers can be (continued fraction).
std::pair<std::uint32_t, std::uint32_t> rational(double value) {
  std::uint64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  double rest = value;
  for (int i = 0; i < 40; ++i) {
    const double whole = std::floor(rest);
    if (whole > 4e9) break;
    const auto a = static_cast<std::uint64_t>(whole);
    const std::uint64_t p2 = a * p1 + p0;
    const std::uint64_t q2 = a * q1 + q0;
    if (p2 > UINT32_MAX || q2 > UINT32_MAX) break;
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    if (rest - whole < 1e-12) break;
    rest = 1.0 / (rest - whole);
  }
  if (p1 == 0 || q1 == 0) return {1, 1};
  return {static_cast<std::uint32_t>(p1), static_cast<std::uint32_t>(q1)};
}

/// One directory: entries in order of their tags, then the values that do not fit.
class Directory {
 public:
  Directory(bool big, std::uint64_t at) : big_(big), at_(at) {}

  void shorts(std::uint16_t tag, const std::vector<std::uint16_t>& values) {
    std::string bytes;
    for (const std::uint16_t value : values) put(bytes, value);
    add(tag, TIFF_SHORT, values.size(), bytes);
  }
  void offsets(std::uint16_t tag, std::span<const std::uint64_t> values) {
    std::string bytes;
    for (const std::uint64_t value : values) put_word(bytes, value);
    add(tag, big_ ? TIFF_LONG8 : TIFF_LONG, values.size(), bytes);
  }
  void number(std::uint16_t tag, std::int64_t value) {
    std::string bytes;
    put(bytes, static_cast<std::uint32_t>(value));
    add(tag, TIFF_LONG, 1, bytes);
  }
  void fraction(std::uint16_t tag, double value) {
    const auto [numerator, denominator] = rational(value);
    std::string bytes;
    put(bytes, numerator);
    put(bytes, denominator);
    add(tag, TIFF_RATIONAL, 1, bytes);
  }
  void text(std::uint16_t tag, const std::string& value) { add(tag, TIFF_ASCII, value.size() + 1, value + '\0'); }

  /// The bytes of the directory; `last` ends the chain.
  [[nodiscard]] std::string bytes(bool last) const {
    std::string head;
    if (big_)
      put(head, static_cast<std::uint64_t>(entries_.size()));
    else
      put(head, static_cast<std::uint16_t>(entries_.size()));
    const std::size_t word = big_ ? 8 : 4;
    const std::size_t table = head.size() + entries_.size() * (4 + 2 * word) + word;
    std::string values;
    for (const Entry& entry : entries_) {
      put(head, entry.tag);
      put(head, entry.type);
      std::string place = entry.bytes;
      place.resize(std::max(word, place.size()), '\0');
      if (place.size() > word) {
        values.resize((values.size() + 7) / 8 * 8, '\0');
        const std::uint64_t where = at_ + (table + 7) / 8 * 8 + values.size();
        values += place;
        place.clear();
        put_word(place, where);
      }
      put_word(head, entry.count);
      head += place;
    }
    values.resize((values.size() + 7) / 8 * 8, '\0');
    const std::uint64_t end = at_ + (table + 7) / 8 * 8 + values.size();
    put_word(head, last ? 0 : end);
    head.resize((table + 7) / 8 * 8, '\0');
    return head + values;
  }

 private:
  struct Entry {
    std::uint16_t tag, type;
    std::uint64_t count;
    std::string bytes;
  };
  void add(std::uint16_t tag, std::uint16_t type, std::uint64_t count, std::string bytes) {
    entries_.push_back({tag, type, count, std::move(bytes)});
  }
  void put_word(std::string& text, std::uint64_t value) const {
    if (big_)
      put(text, value);
    else
      put(text, static_cast<std::uint32_t>(value));
  }

  bool big_;
  std::uint64_t at_;
  std::vector<Entry> entries_;
};

/// "ImageJ=1.11a\nimages=250\nslices=250\nunit=um\nspacing=2.5\n"
std::string description(const Layout& layout, const std::optional<Display>& display) {
  std::string text = "ImageJ=1.11a\n";
  if (layout.shape.z > 1) text += fmt::format("images={0}\nslices={0}\n", layout.shape.z);
  if (layout.spacing.known()) text += fmt::format("unit={}\n", layout.spacing.unit);
  if (layout.spacing.known() && layout.shape.rank == 3) text += fmt::format("spacing={}\n", layout.spacing.z);
  if (display) text += fmt::format("min={}\nmax={}\n", display->low, display->high);
  return text + "loop=false\n";
}

/// As of a palette: 16 bits a colour, all reds first. The image stays grey for those who do not know better; ImageJ
/// shows it in these colours.
std::vector<std::uint16_t> colour_map(const Display& display) {
  std::vector<std::uint16_t> map;
  for (std::size_t part = 0; part < 3; ++part) {
    for (const auto& colour : display.colours) map.push_back(static_cast<std::uint16_t>(colour[part] * 257));
  }
  return map;
}

std::uint16_t sample_format(Type type) {
  const char kind = name(type)[0];
  return kind == 'i' ? SAMPLEFORMAT_INT : kind == 'f' ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT;
}

std::string directory(const Layout& layout, const std::optional<Display>& display, const WrittenTiff& file,
                      std::int64_t z, std::uint64_t at) {
  const auto samples = static_cast<std::size_t>(layout.channels);
  const auto bits = static_cast<std::uint16_t>(8 * sample_bytes(layout.type));
  const std::size_t strips = file.strip_offsets.size() / static_cast<std::size_t>(layout.shape.z);
  const std::size_t first = static_cast<std::size_t>(z) * strips;
  Directory ifd(file.big, at);
  ifd.number(TIFFTAG_IMAGEWIDTH, layout.shape.x);
  ifd.number(TIFFTAG_IMAGELENGTH, layout.shape.y);
  ifd.shorts(TIFFTAG_BITSPERSAMPLE, std::vector<std::uint16_t>(samples, bits));
  ifd.shorts(TIFFTAG_COMPRESSION, {file.compression});
  ifd.shorts(TIFFTAG_PHOTOMETRIC, {static_cast<std::uint16_t>(samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB)});
  if (z == 0) ifd.text(TIFFTAG_IMAGEDESCRIPTION, description(layout, display));
  ifd.offsets(TIFFTAG_STRIPOFFSETS, std::span(file.strip_offsets).subspan(first, strips));
  ifd.shorts(TIFFTAG_SAMPLESPERPIXEL, {static_cast<std::uint16_t>(samples)});
  ifd.number(TIFFTAG_ROWSPERSTRIP, file.strip_rows);
  ifd.offsets(TIFFTAG_STRIPBYTECOUNTS, std::span(file.strip_bytes).subspan(first, strips));
  if (layout.spacing.known()) {
    ifd.fraction(TIFFTAG_XRESOLUTION, 1.0 / layout.spacing.x);
    ifd.fraction(TIFFTAG_YRESOLUTION, 1.0 / layout.spacing.y);
    ifd.shorts(TIFFTAG_RESOLUTIONUNIT, {RESUNIT_NONE});
  }
  if (file.predictor != PREDICTOR_NONE) ifd.shorts(TIFFTAG_PREDICTOR, {file.predictor});
  if (display && z == 0 && samples == 1) ifd.shorts(TIFFTAG_COLORMAP, colour_map(*display));
  if (samples == 2 || samples > 3) {
    const std::size_t extra = samples == 2 ? 1 : samples - 3;
    ifd.shorts(TIFFTAG_EXTRASAMPLES, std::vector<std::uint16_t>(extra, EXTRASAMPLE_UNSPECIFIED));
  }
  ifd.shorts(TIFFTAG_SAMPLEFORMAT, std::vector<std::uint16_t>(samples, sample_format(layout.type)));
  return ifd.bytes(z + 1 == layout.shape.z);
}

std::string tiff_head(bool big, std::uint64_t first_directory) {
  std::string head = native_little ? "II" : "MM";
  put(head, static_cast<std::uint16_t>(big ? 43 : 42));
  if (big) {
    put(head, std::uint16_t{8});
    put(head, std::uint16_t{0});
    put(head, first_directory);
  } else {
    put(head, static_cast<std::uint32_t>(first_directory));
  }
  head.resize(tiff_head_bytes, '\0');
  return head;
}

/// One for each slice, to stand at `at`, a multiple of 8.
std::string tiff_directories(const Layout& layout, const std::optional<Display>& display, const WrittenTiff& file,
                             std::uint64_t at) {
  std::string all;
  for (std::int64_t z = 0; z < layout.shape.z; ++z) all += directory(layout, display, file, z, at + all.size());
  return all;
}

/// Do directories behind the strips lie beyond what 32 bits reach?
bool needs_big_tiff(const Layout& layout, std::uint64_t strips_end, std::int64_t strips) {
  // A directory takes less than 512 bytes beside its strips, the colours of the first 1536 more.
  constexpr std::uint64_t classic_bytes = 3'900'000'000;
  const auto directories = static_cast<std::uint64_t>(512 * (layout.shape.z + 3) + 8 * strips);
  return strips_end + directories > classic_bytes;
}

constexpr int deflate_level = 3;
constexpr int zstd_level = 3;

struct FreeDeflate {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};
struct FreeZstd {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};

std::vector<std::byte> deflate(std::span<const std::byte> bytes) {
  thread_local const std::unique_ptr<libdeflate_compressor, FreeDeflate> compressor(
      libdeflate_alloc_compressor(deflate_level));
  if (!compressor) throw std::bad_alloc();
  std::vector<std::byte> packed(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
  packed.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  return packed;
}

std::vector<std::byte> zstd(std::span<const std::byte> bytes) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  std::vector<std::byte> packed(ZSTD_compressBound(bytes.size()));
  const std::size_t got =
      ZSTD_compressCCtx(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size(), zstd_level);
  // The room is enough for anything, so all that can fail is to have memory.
  if (ZSTD_isError(got)) throw std::bad_alloc();
  packed.resize(got);
  return packed;
}

/// From the right, so that every sample is still there when its neighbour wants it.
template <class Sample>
void take_differences(std::byte* row, std::int64_t samples, int channels) {
  auto* const first = reinterpret_cast<Sample*>(row);
  for (std::int64_t i = samples - 1; i >= channels; --i) first[i] = static_cast<Sample>(first[i] - first[i - channels]);
}

// Strips of samples as bytes of a compressed TIFF file.
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

/// Do differences make this strip smaller? Never for samples other than integers of 8 and 16 bits, whose differences
/// every reader of TIFF knows.
[[nodiscard]] bool differences_help(StripCodec codec, std::span<const std::byte> rows);

std::uint16_t StripCodec::tag() const {
  return compression == TiffCompression::Deflate ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_ZSTD;
}

std::vector<std::byte> StripCodec::compressed(std::span<const std::byte> rows) const {
  thread_local std::vector<std::byte> changed;
  if (type == Type::Bool || differences) {
    changed.assign(rows.begin(), rows.end());
    rows = changed;
  }
  if (type == Type::Bool) {
    for (std::byte& sample : changed) sample = sample == std::byte{0} ? std::byte{0} : std::byte{255};
  }
  if (differences) {
    const auto row_bytes = static_cast<std::size_t>(row_samples * sample_bytes(type));
    for (std::size_t at = 0; at < changed.size(); at += row_bytes) {
      if (sample_bytes(type) == 1) {
        take_differences<std::uint8_t>(changed.data() + at, row_samples, channels);
      } else {
        take_differences<std::uint16_t>(changed.data() + at, row_samples, channels);
      }
    }
  }
  return compression == TiffCompression::Deflate ? deflate(rows) : zstd(rows);
}

bool differences_help(StripCodec codec, std::span<const std::byte> rows) {
  if (sample_bytes(codec.type) > 2) return false;
  const std::size_t plain = codec.compressed(rows).size();
  codec.differences = true;
  return codec.compressed(rows).size() < plain;
}

/// Of samples: enough strips for all threads, and enough in each for the codec.
constexpr std::int64_t strip_bytes = std::int64_t{512} << 10;
/// What is compressed before it is written.
constexpr std::int64_t batch_bytes = std::int64_t{16} << 20;

/// Refuses a pipe before it is opened, which would wait for somebody who reads it.
const Target& no_pipe(const Target& target) {
  if (!output_place(target.path).direct) return target;
  refuse(
      "{}: a compressed TIFF cannot be written to a pipe or device, whose start is gone when its end is known; wanted "
      "a file, or no `compress`",
      target.path);
}

/// With WriteOptions::compress: in strips, which all threads compress.
class CompressedTiffSink final : public FileSink {
 public:
  CompressedTiffSink(const Target& target, const Layout& layout)
      : FileSink(no_pipe(target), layout),
        row_bytes_(layout.shape.x * layout.channels * sample_bytes(layout.type)),
        codec_{*target.options.compress, layout.type, layout.shape.x * layout.channels, layout.channels} {
    tiff_.compression = codec_.tag();
    tiff_.strip_rows = std::clamp<std::int64_t>(strip_bytes / row_bytes_, 1, layout.shape.y);
    file().write(std::string(tiff_head_bytes, '\0'));
  }

 private:
  void write_slices(const std::byte* slices, std::int64_t count) override {
    const std::int64_t height = layout().shape.y;
    const std::int64_t strips = (height - 1) / tiff_.strip_rows + 1;  // of a slice
    const auto strip = [&](std::int64_t i) {
      const std::int64_t row = i % strips * tiff_.strip_rows;
      const std::int64_t rows = std::min(tiff_.strip_rows, height - row);
      const std::byte* const first = slices + (i / strips * height + row) * row_bytes_;
      return std::span(first, static_cast<std::size_t>(rows * row_bytes_));
    };
    if (tiff_.strip_offsets.empty()) choose_predictor(strip(count * strips / 2));
    const std::int64_t batch = std::max<std::int64_t>(1, batch_bytes / (tiff_.strip_rows * row_bytes_));
    std::vector<std::vector<std::byte>> packed;
    for (std::int64_t i = 0; i < count * strips; i += batch) {
      file().check_cancel();
      packed.resize(static_cast<std::size_t>(std::min(batch, count * strips - i)));
      parallel_for(Context{}, static_cast<std::int64_t>(packed.size()),
                   [&](std::int64_t k) { packed[static_cast<std::size_t>(k)] = codec_.compressed(strip(i + k)); });
      for (const std::vector<std::byte>& bytes : packed) {
        tiff_.strip_offsets.push_back(end_);
        tiff_.strip_bytes.push_back(bytes.size());
        append(bytes.data(), bytes.size());
      }
    }
  }

  void write_end() override {
    const std::string padding((8 - end_ % 8) % 8, '\0');
    append(padding.data(), padding.size());
    tiff_.big = needs_big_tiff(layout(), end_, static_cast<std::int64_t>(tiff_.strip_offsets.size()));
    const std::string head = tiff_head(tiff_.big, end_);
    file().write(tiff_directories(layout(), display(), tiff_, end_));
    file().write_at(0, reinterpret_cast<const std::byte*>(head.data()), static_cast<std::int64_t>(head.size()));
  }

  void choose_predictor(std::span<const std::byte> rows) {
    codec_.differences = differences_help(codec_, rows);
    if (codec_.differences) tiff_.predictor = 2;
  }

  void append(const void* bytes, std::size_t count) {
    file().write(bytes, static_cast<std::int64_t>(count));
    end_ += count;
  }

  std::int64_t row_bytes_;
  StripCodec codec_;
  WrittenTiff tiff_;
  std::uint64_t end_ = tiff_head_bytes;
};

}  // namespace

std::unique_ptr<SliceSink> create_tiff(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  const std::int64_t samples = checked_bytes(path, layout);
  if (layout.shape.x > INT32_MAX || layout.shape.y > INT32_MAX) {
    refuse("{}: got slices of {}, wanted edges below 2^31 for TIFF", path, to_string(layout.shape));
  }
  if (target.options.compress) return std::make_unique<CompressedTiffSink>(target, layout);
  const std::int64_t page = samples / layout.shape.z;
  const std::uint64_t end = tiff_head_bytes + static_cast<std::uint64_t>(samples);
  const std::uint64_t directories = (end + 15) / 16 * 16;
  const bool big = needs_big_tiff(layout, end, layout.shape.z);
  FlatRecipe recipe;
  recipe.big_endian = !native_little;
  recipe.head = tiff_head(big, directories);
  recipe.tail = [=](const std::optional<Display>& display) {
    WrittenTiff file;
    file.big = big;
    file.strip_rows = layout.shape.y;
    for (std::int64_t z = 0; z < layout.shape.z; ++z) {
      file.strip_offsets.push_back(tiff_head_bytes + static_cast<std::uint64_t>(z * page));
      file.strip_bytes.push_back(static_cast<std::uint64_t>(page));
    }
    return std::string(directories - end, '\0') + tiff_directories(layout, display, file, directories);
  };
  return create_flat(target, layout, std::move(recipe));
}

}  // namespace tamis::io
