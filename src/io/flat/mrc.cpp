// MRC of microscopes and of IMOD: a header of 1024 bytes, an extended one, samples. Only read.
// https://www.ccpem.ac.uk/mrc_format/mrc2014.php, https://bio3d.colorado.edu/imod/doc/mrc_format.txt
#include <array>
#include <utility>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t header_bytes = 1024;

/// The numbers of a header, by the places of their bytes.
class Header {
 public:
  /// The bytes of a whole header, or more.
  Header(const char* bytes, bool swapped) : bytes_(bytes), swapped_(swapped) {}

  [[nodiscard]] std::int32_t whole(std::size_t at) const { return number_at<std::int32_t>(bytes_ + at, swapped_); }
  [[nodiscard]] double real(std::size_t at) const { return double{number_at<float>(bytes_ + at, swapped_)}; }
  [[nodiscard]] bool swapped() const { return swapped_; }
  [[nodiscard]] bool has_map() const { return std::string_view(bytes_ + 208, 3) == "MAP"; }

  /// Which of the axes of space, from 0 on, lies along columns, rows and sections; nothing where they are not all three.
  /// Some that begin as the standard says leave them out.
  [[nodiscard]] std::optional<std::array<std::size_t, 3>> axes() const {
    std::array<std::int32_t, 3> said{whole(64), whole(68), whole(72)};
    if (has_map() && said == std::array<std::int32_t, 3>{}) said = {1, 2, 3};
    unsigned seen = 0;
    std::array<std::size_t, 3> axes{};
    for (std::size_t i = 0; i < 3; ++i) {
      if (said[i] < 1 || said[i] > 3) return std::nullopt;
      axes[i] = static_cast<std::size_t>(said[i] - 1);
      seen |= 1U << axes[i];
    }
    return seen == 7 ? std::optional(axes) : std::nullopt;
  }

  /// In the right order of bytes all of this is small.
  [[nodiscard]] bool is_likely() const {
    for (const std::size_t edge : {0, 4, 8}) {
      if (whole(edge) < 1 || whole(edge) > (1 << 24)) return false;
    }
    return whole(12) >= 0 && whole(12) < 128 && axes() && whole(92) >= 0;
  }

 private:
  const char* bytes_;
  bool swapped_;
};

/// The stamp of the machine that wrote a file is missing or wrong in many, and the numbers tell its order of bytes.
std::optional<Header> header_of(std::string_view head) {
  if (head.size() < static_cast<std::size_t>(header_bytes)) return std::nullopt;
  for (const bool swapped : {!native_little, native_little}) {
    if (const Header header(head.data(), swapped); header.is_likely()) return header;
  }
  return std::nullopt;
}

/// Early files of IMOD have no "MAP".
bool is_mrc(std::string_view head) { return header_of(head).has_value(); }

struct Samples {
  Type type = Type::U8;
  bool halves = false;
  const char* words = "";
};

/// IMOD's stamp says whether bytes have a sign; the standard of 2014 says that they have.
Samples samples_of(const std::string& path, const Header& header) {
  constexpr std::int32_t imod_stamp = 1146047817;
  const std::int32_t mode = header.whole(12);
  const bool unsigned_bytes = header.whole(152) == imod_stamp && (header.whole(156) & 1) == 0;
  switch (mode) {
    case 0:
      return unsigned_bytes ? Samples{Type::U8, false, "unsigned bytes"} : Samples{Type::I8, false, "signed bytes"};
    case 1:
      return {Type::I16, false, "i16"};
    case 2:
      return {Type::F32, false, "f32"};
    case 6:
      return {Type::U16, false, "u16"};
    case 12:
      return {Type::U16, true, "half floats"};
    default:
      break;
  }
  const char* const known = mode == 3 || mode == 4 ? " (complex numbers)" : mode == 16 ? " (colours)" : mode == 101 ? " (4 bits)" : "";
  refuse("{}: MRC of mode {}{}; wanted 0, 1, 2, 6 or 12, one number a voxel", path, mode, known);
}

/// Edges of the cell over samples in it; columns, rows and sections may lie along any axes of space.
Spacing spacing_of(const Header& header, const std::array<std::size_t, 3>& axes) {
  const auto edge = [&](std::size_t axis) {
    const std::size_t at = 4 * axes[axis];
    const std::int32_t samples = header.whole(28 + at);
    return Edge{samples > 0 ? rounded_to_float(header.real(40 + at) / samples) : 0, "A"};
  };
  return io::spacing_of(edge(2), edge(1), edge(0));
}

std::unique_ptr<Source> open_mrc(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const std::optional<Header> header = header_of(file.text());
  if (!header) refuse("{}: no header of MRC; wanted {} bytes of one, with sizes from 1 on", path, header_bytes);
  const Samples samples = samples_of(path, *header);
  const std::array<std::size_t, 3> axes = *header->axes();
  const std::int64_t sections = header->whole(8);
  Layout layout{samples.type, {sections, header->whole(4), header->whole(0), sections > 1 ? 3 : 2}, 1, {}};
  layout.spacing = spacing_of(*header, axes);
  const std::int64_t bytes = checked_bytes(path, layout);
  const Checked begin = Checked(header->whole(92)) + header_bytes;
  const Checked wanted = begin + bytes;
  if (!wanted.is(file.size())) {
    refuse("{}: got {} bytes, wanted {} (a header of {}, {} {})", path, file.size(),
           wanted.value(path, "the end of its samples"), begin.value_or(0), to_string(layout.shape), samples.words);
  }
  std::string description = fmt::format("MRC, {}{}", samples.words, header->swapped() == native_little ? ", big endian" : "");
  if (axes != std::array<std::size_t, 3>{0, 1, 2}) {
    description += fmt::format(", columns along {}, rows along {}", "xyz"[axes[0]], "xyz"[axes[1]]);
  }
  const bool swapped = header->swapped() && sample_bytes(layout.type) > 1;
  auto source = open_flat(std::move(file), {begin.value_or(0), bytes / sections, swapped}, layout, std::move(description),
                          options.cancel);
  source->halves = samples.halves;
  return source;
}

}  // namespace

extern const Format mrc_format{"MRC", {".mrc", ".map", ".rec", ".mrcs"}, is_mrc, open_mrc, nullptr};

}  // namespace tamis::io
