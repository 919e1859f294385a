// NIfTI, versions 1 and 2: .nii, also within gzip, and .hdr with its samples in .img beside it.
// https://nifti.nimh.nih.gov
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/flat/flat.hpp"
#include "core/system/mapped_file.hpp"
#include "io/medical/medical.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t nifti1_bytes = 348;
constexpr std::int64_t nifti2_bytes = 540;
constexpr std::int64_t after_header = 4;  // bytes that say whether extensions follow
constexpr std::int64_t longest_edge = 32767;

struct TypeCode {
  Type type;
  std::int16_t code;
};
constexpr TypeCode types[] = {{Type::U8, 2},     {Type::I16, 4},   {Type::I32, 8},   {Type::F32, 16},
                              {Type::F64, 64},   {Type::I8, 256},  {Type::U16, 512}, {Type::U32, 768},
                              {Type::I64, 1024}, {Type::U64, 1280}};

/// Where the fields lie that matter here.
struct Offsets {
  std::size_t magic, dim, datatype, bitpix, pixdim, vox_offset, slope, intercept, units, qform_code, sform_code,
      quaternion, rows;
};
constexpr Offsets nifti1{344, 40, 70, 72, 76, 108, 112, 116, 123, 252, 254, 256, 280};
constexpr Offsets nifti2{4, 16, 12, 14, 104, 168, 176, 184, 500, 344, 348, 352, 400};

struct Header {
  int version = 1;
  bool swapped = false;  ///< in the byte order of the other kind of machines
  std::string magic;     ///< "n+1", "ni1", "n+2" or "ni2"
  std::array<std::int64_t, 8> dim{};
  std::array<double, 8> pixdim{};
  int datatype = 0;
  int bits = 0;
  double vox_offset = 0;
  double slope = 0;
  double intercept = 0;
  int units = 0;
  int qform_code = 0;                    ///< above 0: a turn says where the voxels lie, in the world of this number
  int sform_code = 0;                    ///< above 0: a matrix says so
  std::array<double, 6> quaternion{};    ///< b, c, d, and the place of the first voxel
  std::array<double, 12> rows{};         ///< the matrix

  [[nodiscard]] bool placed() const { return qform_code > 0 || sform_code > 0; }
  [[nodiscard]] bool alone() const { return magic.starts_with("n+"); }  ///< header and samples in one file
  [[nodiscard]] std::int64_t bytes() const { return version == 1 ? nifti1_bytes : nifti2_bytes; }
};

/// The versions have the same fields as numbers of other types.
template <class Count, class Real, class Code, class Units, class Offset>
Header fields(const std::string& bytes, bool swapped, const Offsets& at) {
  Header header;
  header.swapped = swapped;
  header.magic = bytes.substr(at.magic, 3);
  for (std::size_t i = 0; i < header.dim.size(); ++i) {
    header.dim[i] = number_at<Count>(bytes.data() + at.dim + i * sizeof(Count), swapped);
    header.pixdim[i] = number_at<Real>(bytes.data() + at.pixdim + i * sizeof(Real), swapped);
  }
  header.datatype = number_at<std::int16_t>(bytes.data() + at.datatype, swapped);
  header.bits = number_at<std::int16_t>(bytes.data() + at.bitpix, swapped);
  header.vox_offset = static_cast<double>(number_at<Offset>(bytes.data() + at.vox_offset, swapped));
  header.slope = number_at<Real>(bytes.data() + at.slope, swapped);
  header.intercept = number_at<Real>(bytes.data() + at.intercept, swapped);
  header.units = static_cast<int>(number_at<Units>(bytes.data() + at.units, swapped));
  header.qform_code = static_cast<int>(number_at<Code>(bytes.data() + at.qform_code, swapped));
  header.sform_code = static_cast<int>(number_at<Code>(bytes.data() + at.sform_code, swapped));
  const auto reals = [&](std::size_t first, auto& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = number_at<Real>(bytes.data() + first + i * sizeof(Real), swapped);
    }
  };
  reals(at.quaternion, header.quaternion);
  reals(at.rows, header.rows);
  return header;
}

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

bool is_nifti(std::string_view head) {
  constexpr std::array<std::string_view, 4> sizes{
      std::string_view("\x5c\x01\0\0", 4), std::string_view("\0\0\x01\x5c", 4), std::string_view("\x1c\x02\0\0", 4),
      std::string_view("\0\0\x02\x1c", 4)};
  return is_gzip(head) ||
         std::any_of(sizes.begin(), sizes.end(), [&](std::string_view size) { return head.starts_with(size); });
}

/// The first bytes of the header, decompressed.
std::string head_bytes(const MappedFile& file, std::int64_t count, const std::stop_token& cancel) {
  if (!is_gzip(file.text())) return std::string(file.text().substr(0, static_cast<std::size_t>(count)));
  std::string bytes(static_cast<std::size_t>(count), '\0');
  const auto got = StreamInflater(file, 0, cancel).read(reinterpret_cast<std::byte*>(bytes.data()), count);
  return bytes.substr(0, static_cast<std::size_t>(got));
}

Header read_header(const MappedFile& file, const std::stop_token& cancel) {
  const std::string bytes = head_bytes(file, nifti2_bytes, cancel);
  const auto got = static_cast<std::int64_t>(bytes.size());
  const auto require = [&](std::int64_t wanted) {
    if (got >= wanted) return;
    refuse("{}: truncated NIfTI header: got {} bytes, wanted {}", file.path(), got, wanted);
  };
  require(nifti1_bytes);
  Header header;
  for (const bool swapped : {false, true}) {
    const std::int64_t size = number_at<std::int32_t>(bytes.data(), swapped);
    if (size != nifti1_bytes && size != nifti2_bytes) continue;
    require(size);
    header = size == nifti1_bytes
                 ? fields<std::int16_t, float, std::int16_t, std::uint8_t, float>(bytes, swapped, nifti1)
                 : fields<std::int64_t, double, std::int32_t, std::int32_t, std::int64_t>(bytes, swapped, nifti2);
    header.version = size == nifti1_bytes ? 1 : 2;
  }
  const char version = header.version == 1 ? '1' : '2';
  if (header.magic == std::string("n+") + version || header.magic == std::string("ni") + version) return header;
  refuse(
      "{}: no NIfTI file (a header of {} bytes, magic \"{}\"); wanted 348 bytes and magic \"n+1\" or \"ni1\", or 540 "
      "bytes and \"n+2\" or \"ni2\"",
      file.path(), number_at<std::int32_t>(bytes.data(), header.swapped), shown(header.magic));
}

Type type_of(const std::string& path, const Header& header) {
  for (const TypeCode& known : types) {
    if (known.code != header.datatype) continue;
    if (header.bits == 8 * sample_bytes(known.type)) return known.type;
    refuse("{}: NIfTI of {} with {} bits a voxel, wanted {}", path, name(known.type), header.bits,
           8 * sample_bytes(known.type));
  }
  refuse("{}: NIfTI of datatype {} (RGB, complex or unknown); wanted one integer or float a voxel", path,
         header.datatype);
}

/// The fourth axis is time, or slices where that is asked for; those behind it have to be of 1.
void take_sizes(const Header& header, SamplePlace& place) {
  const std::int64_t rank = header.dim[0];
  if (rank < 1 || rank > 7) refuse("{}: corrupt NIfTI header: got {} dimensions, wanted 1..7", place.path, rank);
  std::vector<std::int64_t> sizes(header.dim.begin() + 1, header.dim.begin() + 1 + rank);
  const bool turns = rank >= 4 && sizes[2] == 1 && place.options.axes && *place.options.axes != AxesOrder::CYX;
  if (turns) std::swap(sizes[2], sizes[3]);
  const bool several =
      rank >= 4 && sizes[3] > 1 && std::all_of(sizes.begin() + 4, sizes.end(), [](auto n) { return n == 1; });
  if (several) place.times = std::exchange(sizes[3], 1);
  place.layout.shape = shape_of_sizes(place.path, "NIfTI", std::move(sizes));
  place.time = choose_time(place.path, place.times, place.options.time);
}

/// Where samples start, counted in the uncompressed file.
std::int64_t start_of_samples(const std::string& path, const Header& header) {
  const std::int64_t first = header.alone() ? header.bytes() + after_header : 0;
  constexpr double farthest = 1e9;
  const double offset = header.vox_offset;
  if (offset >= static_cast<double>(first) && offset < farthest && offset == std::floor(offset)) {
    return static_cast<std::int64_t>(offset);
  }
  refuse("{}: NIfTI with vox_offset {}; wanted a whole number from {} on", path, offset, first);
}

/// A slope of 0 means that there is none, whatever the intercept; neither is there where one of the two is no number.
void take_slope(const Header& header, SamplePlace& place) {
  if (!std::isfinite(header.slope) || !std::isfinite(header.intercept) || header.slope == 0) return;
  place.slope = header.slope;
  place.intercept = header.intercept;
}

/// The worlds of NIfTI by their numbers.
constexpr World worlds[] = {World::Own, World::Scanner, World::Aligned, World::Talairach, World::Mni};

/// The matrix counts where there are both, as for other programs.
std::optional<Affine> affine_of(const Header& header) {
  if (!header.placed()) return std::nullopt;
  Affine affine;
  if (header.sform_code > 0) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) affine.steps[axis][i] = header.rows[4 * i + axis];
      affine.origin[i] = header.rows[4 * i + 3];
    }
    return affine;
  }
  const auto& [b, c, d, x, y, z] = header.quaternion;
  affine.steps = axes_of({b, c, d, header.pixdim[0] < 0 ? -1.0 : 1.0});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (double& component : affine.steps[axis]) component *= header.pixdim[axis + 1];
  }
  affine.origin = {x, y, z};
  return affine;
}

/// Voxel sizes are always there. Ones without a unit and without a place in space are what a program writes that knows
/// none; all others without a unit are mm.
Spacing spacing_of(const Header& header, int rank) {
  constexpr int units_of_space = 7;
  enum : std::uint8_t { metres = 1, micrometres = 3 };
  const int unit = header.units & units_of_space;
  std::array<double, 3> edges{header.pixdim[1], header.pixdim[2], header.pixdim[3]};
  if (unit == 0 && !header.placed() && edges == std::array<double, 3>{1, 1, 1}) return {};
  const double millimetres = unit == metres ? 1e3 : unit == micrometres ? 1e-3 : 1;
  for (double& edge : edges) edge *= millimetres;
  Spacing spacing = spacing_of_lengths(edges, rank, "mm");
  if (std::optional<Affine> affine = affine_of(header)) {
    for (Vector* const vector : {&affine->steps[0], &affine->steps[1], &affine->steps[2], &affine->origin}) {
      for (double& component : *vector) component *= millimetres;
    }
    const int code = header.sform_code > 0 ? header.sform_code : header.qform_code;
    const World world = code < static_cast<int>(std::size(worlds)) ? worlds[code] : World::Aligned;
    spacing.placement = placement_of(turned(*affine), spacing, world);
  }
  return spacing;
}

/// The file with the samples of a header in a file of its own.
std::string samples_of(const std::string& path, const ReadOptions& options) {
  std::string name = fs::path(path).filename().replace_extension(".img").string();
  std::error_code error;
  if (!fs::exists(fs::path(path).replace_filename(name), error)) {
    const std::string compressed = name + ".gz";
    if (fs::exists(fs::path(path).replace_filename(compressed), error)) name = compressed;
  }
  return beside(path, name, options.follow);
}

std::unique_ptr<Source> open_nifti(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  const MappedFile file(path);
  const Header header = read_header(file, options.cancel);
  SamplePlace place;
  place.path = path;
  place.options = options;
  place.layout.type = type_of(path, header);
  take_sizes(header, place);
  place.data = header.alone() ? path : samples_of(path, options);
  // Samples alone may begin with any bytes, those of gzip too.
  if (header.alone() ? is_gzip(file.text()) : place.data.ends_with(".gz")) place.packing = Packing::Deflate;
  (place.packing == Packing::None ? place.offset : place.skipped) = start_of_samples(path, header);
  place.swapped = header.swapped && sample_bytes(place.layout.type) > 1;
  take_slope(header, place);
  place.layout.spacing = spacing_of(header, place.layout.shape.rank);
  place.description =
      fmt::format("NIfTI-{}, {}{}{}{}", header.version, place.packing == Packing::None ? "raw" : "gzip",
                  place.data == path ? "" : fmt::format(", samples in {}", place.data),
                  place.rescaled() ? fmt::format(", {}, rescaled", name(place.layout.type)) : "",
                  place.times > 1 ? fmt::format(" ({} times; this is time {})", place.times, place.time) : "");
  return open_place(std::move(place));
}

/// A file of samples stands for the header beside it. Other programs call raw files so too.
std::unique_ptr<Source> open_pair(const std::string& path, const ReadOptions& options, const SharedDecoder& decoder) {
  const fs::path header = fs::path(path).replace_extension(".hdr");
  std::error_code error;
  if (fs::exists(header, error)) return open_nifti(header.string(), options, decoder);
  if (options.shape) return raw_format.open(path, options, decoder);
  refuse("{}: got samples without a header, wanted the NIfTI header {} beside them, or a shape", path,
         header.filename().string());
}

/// A header for samples in this machine's byte order.
std::string header_of(const Layout& layout) {
  constexpr std::int64_t first_sample = nifti1_bytes + after_header;
  std::string header(static_cast<std::size_t>(first_sample), '\0');
  const auto put = [&](std::size_t at, auto value) { std::memcpy(header.data() + at, &value, sizeof value); };
  const Shape& s = layout.shape;
  const Type type = layout.type == Type::Bool ? Type::U8 : layout.type;
  const auto known = std::ranges::find(types, type, &TypeCode::type);
  put(0, static_cast<std::int32_t>(nifti1_bytes));
  const std::array<std::int64_t, 8> dim{s.rank, s.x, s.y, s.z, 1, 1, 1, 1};
  for (std::size_t i = 0; i < dim.size(); ++i) put(nifti1.dim + 2 * i, static_cast<std::int16_t>(dim[i]));
  put(nifti1.datatype, known->code);
  put(nifti1.bitpix, static_cast<std::int16_t>(8 * sample_bytes(type)));
  const std::vector<double> lengths = spacing_in_mm(layout);
  for (std::size_t i = 0; i < 8; ++i) {
    const bool given = i >= 1 && i <= lengths.size();
    put(nifti1.pixdim + 4 * i, given ? static_cast<float>(lengths[i - 1]) : 1.0F);
  }
  put(nifti1.vox_offset, static_cast<float>(first_sample));
  put(nifti1.slope, 1.0F);
  if (const std::optional<Affine> affine = affine_in_mm(layout)) {
    const auto& placement = *layout.spacing.placement;
    // A file has no coordinates of its own; those of another image are the next best.
    const auto world = static_cast<std::int16_t>(std::max<std::size_t>(
        static_cast<std::size_t>(placement.world), placement.world == World::Own ? std::size_t{2} : std::size_t{0}));
    const Affine ras = turned(*affine);
    put(nifti1.sform_code, world);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) put(nifti1.rows + 4 * (4 * i + axis), static_cast<float>(ras.steps[axis][i]));
      put(nifti1.rows + 4 * (4 * i + 3), static_cast<float>(ras.origin[i]));
    }
    if (const std::optional<Quaternion> turn = quaternion_of(turned({placement.axes, {}}).steps)) {
      put(nifti1.qform_code, world);
      put(nifti1.pixdim, static_cast<float>(turn->third));
      const std::array<double, 6> numbers{turn->b, turn->c, turn->d, ras.origin[0], ras.origin[1], ras.origin[2]};
      for (std::size_t i = 0; i < numbers.size(); ++i) put(nifti1.quaternion + 4 * i, static_cast<float>(numbers[i]));
    }
  }
  constexpr std::uint8_t millimetres = 2;
  put(nifti1.units, lengths.empty() ? std::uint8_t{0} : millimetres);
  header.replace(nifti1.magic, 3, "n+1");
  return header;
}

std::unique_ptr<SliceSink> create_nifti(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "NIfTI", layout);
  const Shape& s = layout.shape;
  if (std::max({s.x, s.y, s.z}) > longest_edge) {
    refuse("{}: NIfTI-1 holds edges up to {}, got {}; wanted .nrrd, .mha or .tif", path, longest_edge, to_string(s));
  }
  if (lower_case(path).ends_with(".gz")) return create_gzip(target, layout, header_of(layout));
  FlatRecipe recipe;
  recipe.head = header_of(layout);
  recipe.big_endian = !native_little;
  return create_flat(target, layout, std::move(recipe));
}

}  // namespace

extern const Format nifti_format{"NIfTI", {".nii", ".nii.gz"}, is_nifti, open_nifti, create_nifti, false, false, true};
extern const Format nifti_pair_format{"NIfTI", {".hdr", ".img"}, nullptr, open_pair, nullptr, false, false, true};

}  // namespace tamis::io
