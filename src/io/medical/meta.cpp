// MetaImage (.mha, and .mhd with its data beside it), as MetaIO documents it.
#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "io/flat/flat.hpp"
#include "core/system/mapped_file.hpp"
#include "io/medical/medical.hpp"
#include "io/refuse.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

struct TypeWord {
  Type type;
  std::string_view word;
};
// MET_LONG is left out: 4 bytes or 8, as the machine that wrote it had it.
constexpr TypeWord types[] = {{Type::U8, "MET_UCHAR"},       {Type::I8, "MET_CHAR"},       {Type::U16, "MET_USHORT"},
                              {Type::I16, "MET_SHORT"},      {Type::U32, "MET_UINT"},      {Type::I32, "MET_INT"},
                              {Type::U64, "MET_ULONG_LONG"}, {Type::I64, "MET_LONG_LONG"}, {Type::F32, "MET_FLOAT"},
                              {Type::F64, "MET_DOUBLE"}};

constexpr std::string_view field_names[] = {"NDims",
                                            "DimSize",
                                            "ElementType",
                                            "ElementNumberOfChannels",
                                            "BinaryData",
                                            "BinaryDataByteOrderMSB",
                                            "ElementByteOrderMSB",
                                            "ElementToIntensityFunctionSlope",
                                            "ElementToIntensityFunctionOffset",
                                            "HeaderSize",
                                            "CompressedData",
                                            "CompressedDataSize",
                                            "ElementSpacing",
                                            "ElementSize",
                                            "DistanceUnits",
                                            "TransformMatrix",
                                            "Rotation",
                                            "Orientation",
                                            "Offset",
                                            "Position",
                                            "Origin",
                                            "ElementDataFile"};

struct Header {
  HeaderFields fields;
  std::int64_t end = 0;  // where samples in the same file start

  [[nodiscard]] std::string_view get(const char* name) const { return fields.get(name); }
  [[nodiscard]] bool is_true(const char* name) const {
    const std::string_view word = get(name);
    return !word.empty() && (word.front() == 'T' || word.front() == 't' || word.front() == '1');
  }
};

/// "key = value" lines up to ElementDataFile, which is the last.
Header parse(const MappedFile& file) {
  constexpr std::size_t longest_line = 65536;
  Header header;
  const std::string_view text = head_of(file);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t newline = text.find('\n', start);
    if (newline == std::string_view::npos && file.size() > longest_header) header_too_long(file.path(), "MetaImage");
    const std::string_view line = text.substr(start, newline == std::string_view::npos ? newline : newline - start);
    const std::size_t equals = line.substr(0, longest_line).find('=');
    if (equals == std::string_view::npos && trimmed(line.substr(0, longest_line)).empty()) {
      start = newline == std::string_view::npos ? text.size() : newline + 1;
      continue;
    }
    if (equals == std::string_view::npos) {
      refuse("{}: corrupt MetaImage header: got the line \"{}\", wanted \"key = value\"", file.path(), shown(line));
    }
    const std::string_view key = trimmed(line.substr(0, equals));
    if (std::ranges::find(field_names, key) != std::end(field_names)) {
      header.fields.add(file.path(), key, trimmed(line.substr(equals + 1, longest_line)));
    }
    start = newline == std::string_view::npos ? text.size() : newline + 1;
    if (key == "ElementDataFile") {
      header.end = static_cast<std::int64_t>(start);
      return header;
    }
  }
  if (file.size() > longest_header) header_too_long(file.path(), "MetaImage");
  refuse("{}: truncated MetaImage header: it ends after {} bytes without ElementDataFile", file.path(), file.size());
}

Type type_of(const std::string& path, std::string_view word) {
  for (const TypeWord& known : types) {
    if (known.word == word) return known.type;
  }
  refuse("{}: MetaImage of ElementType {}; wanted MET_UCHAR, MET_SHORT ... or MET_DOUBLE", path, shown(word));
}

/// What would make the samples something else than one plain number a voxel.
void require_plain(const std::string& path, const Header& header) {
  const std::string_view channels = header.get("ElementNumberOfChannels");
  if (!channels.empty() && whole_number(path, "ElementNumberOfChannels", channels) != 1) {
    refuse("{}: MetaImage with {} channels; wanted one number a voxel", path, shown(channels));
  }
  if (const std::string_view binary = header.get("BinaryData"); !binary.empty() && !header.is_true("BinaryData")) {
    refuse("{}: MetaImage with samples as text; wanted BinaryData = True", path);
  }
  for (const auto& [key, neutral] :
       {std::pair("ElementToIntensityFunctionSlope", 1.0), std::pair("ElementToIntensityFunctionOffset", 0.0)}) {
    const std::string_view text = header.get(key);
    double value = 0;
    const bool read = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
    if (!text.empty() && (!read || value != neutral)) {
      refuse("{}: MetaImage with {} = {}; wanted {} or none", path, key, shown(text), neutral);
    }
  }
}

/// The first of several names of a field that is there.
std::string_view any_of(const Header& header, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (const std::string_view text = header.get(name); !text.empty()) return text;
  }
  return {};
}

/// Exactly so many numbers, of any sign; nothing for anything else.
template <std::size_t count>
std::optional<std::array<double, count>> numbers_in(std::string_view text) {
  std::array<double, count> numbers{};
  for (double& number : numbers) {
    text = trimmed(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return trimmed(text).empty() ? std::optional(numbers) : std::nullopt;
}

/// The matrix has a row for each axis of the image. Coordinates are those that ITK takes them for.
std::optional<Placement> placement_of(const Header& header, const Spacing& spacing) {
  const auto rows = numbers_in<9>(any_of(header, {"TransformMatrix", "Rotation", "Orientation"}));
  const auto origin = numbers_in<3>(any_of(header, {"Offset", "Position", "Origin"}));
  if (!rows || !origin) return std::nullopt;
  Affine affine{{}, *origin};
  const Vector edges{spacing.x, spacing.y, spacing.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < 3; ++i) affine.steps[axis][i] = (*rows)[3 * axis + i] * edges[axis];
  }
  return placement_of(affine, spacing, World::Scanner);
}

/// ElementSpacing counts where both are there.
Spacing spacing_of(const Header& header, int rank) {
  const std::string_view edges = header.get("ElementSpacing");
  const std::string_view unit = header.get("DistanceUnits");
  Spacing spacing = spacing_of_lengths(lengths(edges.empty() ? header.get("ElementSize") : edges, rank), rank,
                                       unit.empty() ? "mm" : unit_of(unit));
  if (rank == 3) spacing.placement = placement_of(header, spacing);
  return spacing;
}

void find_samples(const MappedFile& file, const Header& header, SamplePlace& place, bool follow) {
  const std::string_view data = header.get("ElementDataFile");
  const std::string_view skip_text = header.get("HeaderSize");
  const std::int64_t skip = skip_text.empty() ? 0 : whole_number(place.path, "HeaderSize", skip_text);
  const bool local = data == "LOCAL" || data == "Local" || data == "local";
  const bool several = data.starts_with("LIST") || data.find('%') != std::string_view::npos;
  if (data.empty() || several) {
    refuse("{}: MetaImage with {}ElementDataFile = {}; wanted LOCAL or the name of one file", place.path,
           several ? "its samples in several files, " : "", shown(data));
  }
  if (skip < -1 || (skip != 0 && (local || place.packing != Packing::None))) {
    refuse("{}: MetaImage with HeaderSize = {}; wanted 0 with LOCAL or compressed samples, -1 or more otherwise",
           place.path, skip);
  }
  place.data = local ? place.path : beside(place.path, data, follow);
  place.offset = local ? header.end : skip;
  const std::int64_t length = local ? file.size() : file_length(place.data);
  if (skip == -1) place.offset = start_from_end(place, length, 0);
  const std::string_view packed_text = header.get("CompressedDataSize");
  if (place.packing == Packing::None || packed_text.empty()) return;
  const std::int64_t packed = whole_number(place.path, "CompressedDataSize", packed_text);
  const Checked left = Checked(length) - place.offset;
  if (!left.is(packed)) {
    refuse("{}: got {} bytes of compressed samples, wanted {} (CompressedDataSize)", place.data, left.value_or(0),
           packed);
  }
}

std::unique_ptr<Source> open_meta(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  const MappedFile file(path);
  const Header header = parse(file);
  require_plain(path, header);
  SamplePlace place;
  place.path = path;
  place.options = options;
  place.layout.type = type_of(path, header.get("ElementType"));
  place.layout.shape = shape_of_fields(path, "MetaImage", header.fields, "NDims", "DimSize");
  if (header.is_true("CompressedData")) place.packing = Packing::Deflate;
  const bool big = header.is_true("BinaryDataByteOrderMSB") || header.is_true("ElementByteOrderMSB");
  place.swapped = is_swapped(place.layout.type, !big);
  place.layout.spacing = spacing_of(header, place.layout.shape.rank);
  find_samples(file, header, place, options.follow);
  place.description = fmt::format("MetaImage, {}{}", place.packing == Packing::None ? "raw" : "zlib",
                                  place.data == path ? "" : fmt::format(", samples in {}", place.data));
  return open_place(std::move(place));
}

std::unique_ptr<SliceSink> create_meta(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "MetaImage", layout);
  if (!lower_case(path).ends_with(".mha")) {
    refuse("{}: a header with its samples in another file is only read; wanted .mha", path);
  }
  const Type type = layout.type == Type::Bool ? Type::U8 : layout.type;
  const auto known = std::ranges::find(types, type, &TypeWord::type);
  const Shape& s = layout.shape;
  FlatRecipe recipe;
  recipe.head = fmt::format(
      "ObjectType = Image\nNDims = {}\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\n"
      "DimSize = {} {}",
      s.rank, s.x, s.y);
  if (s.rank == 3) recipe.head += fmt::format(" {}", s.z);
  if (const std::vector<double> lengths = spacing_in_mm(layout); !lengths.empty()) {
    recipe.head += fmt::format("\nElementSpacing = {}", fmt::join(lengths, " "));
  }
  if (const std::optional<Affine> affine = affine_in_mm(layout)) {
    const auto& [x, y, z] = layout.spacing.placement->axes;
    recipe.head += fmt::format("\nTransformMatrix = {} {} {}\nOffset = {}", fmt::join(x, " "), fmt::join(y, " "),
                               fmt::join(z, " "), fmt::join(affine->origin, " "));
  }
  recipe.head += fmt::format("\nElementType = {}\nElementDataFile = LOCAL\n", known->word);
  return create_flat(target, layout, std::move(recipe));
}

}  // namespace

extern const Format meta_format{"MetaImage", {".mha", ".mhd"}, nullptr, open_meta, create_meta, false, false, false,
                                ".mhd"};

}  // namespace tamis::io
