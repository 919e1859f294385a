// NIfTI-1 (.nii, .nii.gz), https://nifti.nimh.nih.gov/nifti-1
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include <tamis/error.hpp>

#include "io/flat/flat.hpp"
#include "io/inflater.hpp"
#include "io/itk/place.hpp"
#include "io/mapped_file.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t header_bytes = 348;
constexpr std::int64_t first_sample = 352;  // the header and four bytes that say whether extensions follow
constexpr std::int32_t nifti2_bytes = 540;
constexpr std::int64_t longest_edge = 32767;

struct TypeCode {
  Type type;
  std::int16_t code;
};
constexpr std::array<TypeCode, 10> types{{{Type::U8, 2},
                                          {Type::I16, 4},
                                          {Type::I32, 8},
                                          {Type::F32, 16},
                                          {Type::F64, 64},
                                          {Type::I8, 256},
                                          {Type::U16, 512},
                                          {Type::U32, 768},
                                          {Type::I64, 1024},
                                          {Type::U64, 1280}}};

// Offsets of the fields that matter here.
enum : std::size_t {
  at_dim = 40,
  at_datatype = 70,
  at_bitpix = 72,
  at_pixdim = 76,
  at_vox_offset = 108,
  at_slope = 112,
  at_intercept = 116,
  at_units = 123,
  at_qform_code = 252,
  at_sform_code = 254,
  at_magic = 344
};

/// The first bytes of a file, in the byte order of this machine or the other.
class Header {
 public:
  explicit Header(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
    swapped_ = get<std::int32_t>(0) != header_bytes && get<std::int32_t>(0) != nifti2_bytes;
  }

  template <class T>
  [[nodiscard]] T get(std::size_t at) const {
    std::array<std::byte, sizeof(T)> field;
    std::memcpy(field.data(), bytes_.data() + at, sizeof(T));
    if (swapped_) std::reverse(field.begin(), field.end());
    T value;
    std::memcpy(&value, field.data(), sizeof(T));
    return value;
  }
  [[nodiscard]] std::int64_t dim(std::size_t i) const { return get<std::int16_t>(at_dim + 2 * i); }
  [[nodiscard]] bool swapped() const { return swapped_; }
  [[nodiscard]] std::string_view magic() const { return {reinterpret_cast<const char*>(bytes_.data()) + at_magic, 4}; }

 private:
  std::vector<std::byte> bytes_;
  bool swapped_ = false;
};

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

bool is_nifti(std::string_view head) {
  constexpr std::array<std::string_view, 4> sizes{
      std::string_view("\x5c\x01\0\0", 4), std::string_view("\0\0\x01\x5c", 4), std::string_view("\x1c\x02\0\0", 4),
      std::string_view("\0\0\x02\x1c", 4)};
  return is_gzip(head) ||
         std::any_of(sizes.begin(), sizes.end(), [&](std::string_view size) { return head.starts_with(size); });
}

Header read_header(const MappedFile& file, const std::stop_token& cancel) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(header_bytes));
  std::int64_t got = std::min(file.size(), header_bytes);
  if (is_gzip(file.text())) {
    got = StreamInflater(file, 0, cancel).read(bytes.data(), header_bytes);
  } else {
    std::copy_n(file.data(), got, bytes.begin());
  }
  if (got < header_bytes) {
    throw InputError(
        fmt::format("{}: truncated NIfTI header: got {} bytes, wanted {}", file.path(), got, header_bytes));
  }
  Header header(std::move(bytes));
  const auto size = header.get<std::int32_t>(0);
  if (size == nifti2_bytes) throw InputError(fmt::format("{}: a NIfTI-2 file; wanted NIfTI-1", file.path()));
  if (size != header_bytes || header.magic() != std::string_view("n+1\0", 4)) {
    throw InputError(
        fmt::format("{}: no NIfTI-1 file with header and samples in one (a header of {} bytes, magic "
                    "\"{}\"); wanted 348 bytes, magic \"n+1\"",
                    file.path(), size, shown(header.magic().substr(0, 3))));
  }
  return header;
}

Type type_of(const std::string& path, const Header& header) {
  const auto code = header.get<std::int16_t>(at_datatype);
  for (const TypeCode& known : types) {
    if (known.code != code) continue;
    const auto bits = header.get<std::int16_t>(at_bitpix);
    if (bits == 8 * sample_bytes(known.type)) return known.type;
    throw InputError(fmt::format("{}: NIfTI of {} with {} bits a voxel, wanted {}", path, name(known.type), bits,
                                 8 * sample_bytes(known.type)));
  }
  throw InputError(fmt::format(
      "{}: NIfTI of datatype {} (RGB, complex or unknown); wanted one integer or float a voxel", path, code));
}

Shape shape_of(const std::string& path, const Header& header) {
  const std::int64_t rank = header.dim(0);
  if (rank < 1 || rank > 7) {
    throw InputError(fmt::format("{}: corrupt NIfTI header: got {} dimensions, wanted 1..7", path, rank));
  }
  std::vector<std::int64_t> sizes;
  for (std::int64_t d = 1; d <= rank; ++d) sizes.push_back(header.dim(static_cast<std::size_t>(d)));
  return shape_of_sizes(path, "NIfTI", std::move(sizes));
}

/// Where samples start, counted in the uncompressed file.
std::int64_t start_of_samples(const std::string& path, const Header& header) {
  const auto offset = header.get<float>(at_vox_offset);
  if (offset >= static_cast<float>(first_sample) && offset < 1e9F && offset == std::floor(offset)) {
    return static_cast<std::int64_t>(offset);
  }
  throw InputError(
      fmt::format("{}: NIfTI with vox_offset {}; wanted a whole number from {} on", path, offset, first_sample));
}

/// A slope of 0 means that there is none; neither is there where one of the two is no number.
void take_slope(const Header& header, ItkPlace& place) {
  const auto slope = header.get<float>(at_slope);
  const auto intercept = header.get<float>(at_intercept);
  if (!std::isfinite(slope) || !std::isfinite(intercept) || slope == 0) return;
  place.slope = slope;
  place.intercept = intercept;
}

/// Voxel sizes are always there. Ones without a unit and without a place in space are what a program writes that knows
/// none; ITK takes all others without a unit for mm, and turns other units into mm.
bool is_spaced(const Header& header, int rank) {
  for (int axis = 1; axis <= rank; ++axis) {
    const auto length = header.get<float>(at_pixdim + 4 * static_cast<std::size_t>(axis));
    if (!std::isfinite(length) || length <= 0) return false;  // ITK would make 1 of it
  }
  constexpr std::uint8_t units_of_space = 7;
  if ((header.get<std::uint8_t>(at_units) & units_of_space) != 0) return true;
  if (header.get<std::int16_t>(at_qform_code) > 0 || header.get<std::int16_t>(at_sform_code) > 0) return true;
  return header.get<float>(at_pixdim + 4) != 1 || header.get<float>(at_pixdim + 8) != 1 ||
         header.get<float>(at_pixdim + 12) != 1;
}

std::unique_ptr<Source> open_nifti(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  const MappedFile file(path);
  const Header header = read_header(file, options.cancel);
  ItkPlace place;
  place.format = ItkFormat::Nifti;
  place.path = place.data = path;
  place.options = options;
  place.layout.type = type_of(path, header);
  place.layout.shape = shape_of(path, header);
  place.deflated = is_gzip(file.text());
  (place.deflated ? place.skipped : place.offset) = start_of_samples(path, header);
  place.swapped = header.swapped() && sample_bytes(place.layout.type) > 1;
  take_slope(header, place);
  place.spaced = is_spaced(header, place.layout.shape.rank);
  place.description = fmt::format("NIfTI-1, {}{}", place.deflated ? "gzip" : "raw",
                                  place.rescaled() ? fmt::format(", {}, rescaled", name(place.layout.type)) : "");
  return open_place(std::move(place));
}

/// A header for samples in this machine's byte order.
std::string header_of(const Layout& layout) {
  std::string header(static_cast<std::size_t>(first_sample), '\0');
  const auto put = [&](std::size_t at, auto value) { std::memcpy(header.data() + at, &value, sizeof value); };
  const Shape& s = layout.shape;
  const Type type = layout.type == Type::Bool ? Type::U8 : layout.type;
  const auto known = std::find_if(types.begin(), types.end(), [&](const TypeCode& t) { return t.type == type; });
  put(0, static_cast<std::int32_t>(header_bytes));
  const std::array<std::int64_t, 8> dim{s.rank, s.x, s.y, s.z, 1, 1, 1, 1};
  for (std::size_t i = 0; i < dim.size(); ++i) put(at_dim + 2 * i, static_cast<std::int16_t>(dim[i]));
  put(at_datatype, known->code);
  put(at_bitpix, static_cast<std::int16_t>(8 * sample_bytes(type)));
  const std::vector<double> lengths = spacing_in_mm(layout);
  for (std::size_t i = 0; i < 8; ++i) {
    const bool given = i >= 1 && i <= lengths.size();
    put(at_pixdim + 4 * i, given ? static_cast<float>(lengths[i - 1]) : 1.0F);
  }
  put(at_vox_offset, static_cast<float>(first_sample));
  put(at_slope, 1.0F);
  constexpr std::uint8_t millimetres = 2;
  put(at_units, lengths.empty() ? std::uint8_t{0} : millimetres);
  header.replace(at_magic, 3, "n+1");
  return header;
}

std::unique_ptr<SliceSink> create_nifti(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "NIfTI", layout);
  if (!lower_case(path).ends_with(".nii")) {
    throw InputError(fmt::format("{}: compressed NIfTI is only read; wanted .nii", path));
  }
  const Shape& s = layout.shape;
  if (std::max({s.x, s.y, s.z}) > longest_edge) {
    throw InputError(fmt::format("{}: NIfTI-1 holds edges up to {}, got {}; wanted .nrrd, .mha or .tif", path,
                                 longest_edge, to_string(s)));
  }
  FlatRecipe recipe;
  recipe.head = header_of(layout);
  recipe.big_endian = !native_little;
  return create_flat(target, layout, std::move(recipe));
}

}  // namespace

extern const Format nifti_format{"NIfTI", {".nii", ".nii.gz"}, is_nifti, open_nifti, create_nifti};

}  // namespace tamis::io
