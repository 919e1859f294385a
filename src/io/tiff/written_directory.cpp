#include "io/tiff/written_directory.hpp"

#include <fmt/format.h>
#include <tiff.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include "io/samples.hpp"

namespace tamis::io {
namespace {

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

}  // namespace

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

std::string tiff_directories(const Layout& layout, const std::optional<Display>& display, const WrittenTiff& file,
                             std::uint64_t at) {
  std::string all;
  for (std::int64_t z = 0; z < layout.shape.z; ++z) all += directory(layout, display, file, z, at + all.size());
  return all;
}

bool needs_big_tiff(const Layout& layout, std::uint64_t strips_end, std::int64_t strips) {
  // A directory takes less than 512 bytes beside its strips, the colours of the first 1536 more.
  constexpr std::uint64_t classic_bytes = 3'900'000'000;
  const auto directories = static_cast<std::uint64_t>(512 * (layout.shape.z + 3) + 8 * strips);
  return strips_end + directories > classic_bytes;
}

}  // namespace tamis::io
