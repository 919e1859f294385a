// NRRD (.nrrd, and .nhdr with its data beside it), https://teem.sourceforge.net/nrrd/format.html
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "io/flat/flat.hpp"
#include "core/system/mapped_file.hpp"
#include "io/medical/medical.hpp"
#include "io/refuse.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

constexpr std::string_view magic = "NRRD000";

struct TypeWords {
  Type type;
  std::array<std::string_view, 8> words;  ///< the first is the one we write
};
constexpr std::array<TypeWords, 10> types{
    {{Type::U8, {"uint8", "uchar", "unsigned char", "uint8_t"}},
     {Type::I8, {"int8", "signed char", "int8_t"}},
     {Type::U16, {"uint16", "ushort", "unsigned short", "unsigned short int", "uint16_t"}},
     {Type::I16, {"int16", "short", "short int", "signed short", "signed short int", "int16_t"}},
     {Type::U32, {"uint32", "uint", "unsigned int", "uint32_t"}},
     {Type::I32, {"int32", "int", "signed int", "int32_t"}},
     {Type::U64, {"uint64", "ulonglong", "unsigned long long", "unsigned long long int", "uint64_t"}},
     {Type::I64,
      {"int64", "longlong", "long long", "long long int", "signed long long", "signed long long int", "int64_t"}},
     {Type::F32, {"float"}},
     {Type::F64, {"double"}}}};

// The fields that are looked at. Some are spelled without their blank too ("datafile").
constexpr std::string_view field_names[] = {
    "type",        "dimension", "sizes",     "encoding",  "endian",   "kinds", "spacings", "space directions",
    "space units", "units",     "data file", "line skip", "byte skip", "space",   "space origin"};

struct Header {
  HeaderFields fields;
  std::int64_t end = 0;  // where attached samples start; the file's length if there are none

  [[nodiscard]] std::string_view get(const char* name) const { return fields.get(name); }
};

void keep(const std::string& path, std::string_view key, std::string_view value, Header& header) {
  std::string word = lower_case(key);
  if (word == "datafile" || word == "lineskip" || word == "byteskip") word.insert(4, " ");
  if (std::ranges::find(field_names, word) != std::end(field_names)) header.fields.add(path, word, value);
}

/// "key: value" lines up to an empty line or the end of the file; comments and "key:=value" are left out.
Header parse(const MappedFile& file) {
  Header header;
  const std::string_view text = head_of(file);
  std::size_t at = text.find('\n');
  while (at != std::string_view::npos) {
    const std::size_t start = at + 1;
    at = text.find('\n', start);
    if (at == std::string_view::npos && file.size() > longest_header) header_too_long(file.path(), "NRRD");
    const std::string_view raw = text.substr(start, at == std::string_view::npos ? at : at - start);
    const std::string_view line = trimmed(raw);
    if (line.empty()) {
      header.end = at == std::string_view::npos ? file.size() : static_cast<std::int64_t>(at) + 1;
      return header;
    }
    const std::size_t colon = line.find(':');
    if (line.front() == '#' || line.substr(std::min(colon, line.size())).starts_with(":=")) continue;
    if (colon == std::string_view::npos) {
      refuse("{}: corrupt NRRD header: got the line \"{}\", wanted \"field: value\"", file.path(), shown(line));
    }
    keep(file.path(), trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)), header);
    if (header.get("data file").starts_with("LIST")) break;  // names of files follow
  }
  header.end = file.size();
  return header;
}

Type type_of(const std::string& path, std::string_view text) {
  const std::string word = lower_case(text);
  for (const TypeWords& known : types) {
    if (!word.empty() && std::find(known.words.begin(), known.words.end(), word) != known.words.end()) {
      return known.type;
    }
  }
  refuse("{}: NRRD of type \"{}\"; wanted an integer of 1 to 8 bytes, float or double", path, shown(text));
}

Packing packing_of(const std::string& path, std::string_view encoding) {
  const std::string word = lower_case(encoding);
  if (word == "raw") return Packing::None;
  if (word == "gzip" || word == "gz") return Packing::Deflate;
  if (word == "bzip2" || word == "bz2") return Packing::Bzip2;
  refuse("{}: NRRD with encoding \"{}\"; wanted raw, gzip or bzip2", path, shown(encoding));
}

/// Every axis has to be one of space (or of time): colours and vectors are kinds of axes as well.
void require_space_axes(const std::string& path, std::string_view kinds) {
  for (std::string_view rest = trimmed(kinds); !rest.empty(); rest = trimmed(rest)) {
    const std::string_view kind = rest.substr(0, rest.find_first_of(" \t"));
    const std::string word = lower_case(kind);
    if (word != "domain" && word != "space" && word != "time" && word != "none" && word != "???") {
      refuse("{}: NRRD with an axis of kind {}; wanted axes of space only, one number a voxel", path, shown(kind));
    }
    rest.remove_prefix(kind.size());
  }
}

/// The unit of all axes: mm where the header has none, empty where it is unknown or differs.
std::string unit_in(std::string_view text) {
  std::string unit;
  for (std::size_t open = text.find('"'); open != std::string_view::npos;) {
    const std::size_t close = text.find('"', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view word = text.substr(open + 1, close - open - 1);
    open = text.find('"', close + 1);
    if (word.empty() || word == "???") continue;
    const std::string one = unit_of(word);
    if (one.empty() || (!unit.empty() && one != unit)) return {};
    unit = one;
  }
  return unit.empty() ? "mm" : unit;
}

/// Behind `lines` lines of text from `start` on, which are a header of another format and not longer than one.
std::int64_t behind_lines(const MappedFile& data, std::int64_t start, std::int64_t lines) {
  const auto longest = static_cast<std::size_t>(longest_header);
  const std::string_view text = data.text().substr(static_cast<std::size_t>(start), longest);
  std::size_t at = 0;
  for (; lines > 0; --lines) {
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string_view::npos) {
      refuse("{}: got fewer lines than the header skips, {} more wanted within {} MiB", data.path(), lines,
             longest_header >> 20);
    }
    at = newline + 1;
  }
  return start + static_cast<std::int64_t>(at);
}

/// The sample at which "line skip" and "byte skip" end.
std::int64_t skipped_to(const MappedFile& data, std::int64_t start, const Header& header, const SamplePlace& place) {
  const auto number = [&](const char* name) {
    const std::string_view text = header.get(name);
    return text.empty() ? 0 : whole_number(place.path, name, text);
  };
  const std::int64_t lines = number("line skip");
  const std::int64_t bytes = number("byte skip");
  if (lines < 0 || bytes < -1 || (place.packing != Packing::None && (lines != 0 || bytes != 0))) {
    refuse(
        "{}: NRRD with a line skip of {} and a byte skip of {}; wanted none before compressed samples, 0 or more "
        "before raw ones",
        place.path, lines, bytes);
  }
  start = behind_lines(data, start, lines);
  if (bytes == -1) return start_from_end(place, data.size(), start);
  const Checked end = Checked(start) + bytes;
  return end.at_most(data.size()) ? end.value_or(0) : data.size();
}

/// A vector "(1,0,0)" of up to three numbers, which goes from the text with it; nothing where there is none.
std::optional<Vector> next_vector(std::string_view& text) {
  text = trimmed(text);
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) return std::nullopt;
  Vector vector{};
  std::size_t count = 0;
  for (std::size_t at = 0; at < close; at = std::min(text.find(',', at + 1), close), ++count) {
    if (count == vector.size()) return std::nullopt;
    const std::string_view word = trimmed(text.substr(at + 1, close - at - 1));
    const std::size_t sign = word.starts_with('+') ? 1 : 0;
    if (std::from_chars(word.data() + sign, word.data() + word.size(), vector[count]).ec != std::errc()) return std::nullopt;
  }
  text.remove_prefix(close + 1);
  return vector;
}

/// Which way x and y of the world run, as factors that make them LPS, and which world it is.
struct Space {
  double x = 1;
  double y = 1;
  World world = World::Own;
};

Space space_of(std::string_view text) {
  const std::string word = lower_case(text);
  if (word == "left-posterior-superior" || word == "lps") return {1, 1, World::Scanner};
  if (word == "right-anterior-superior" || word == "ras") return {-1, -1, World::Scanner};
  if (word == "left-anterior-superior" || word == "las") return {1, -1, World::Scanner};
  return {};
}

/// "spacings" are numbers, "space directions" vectors. NRRD itself writes nan where the size of a voxel is not known.
Spacing spacing_of(const Header& header, int rank) {
  const std::string_view units = header.get("space units").empty() ? header.get("units") : header.get("space units");
  if (const std::string_view spacings = header.get("spacings"); !spacings.empty()) {
    return spacing_of_lengths(lengths(spacings, rank), rank, unit_in(units));
  }
  Affine affine{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}};
  Vector edges{1, 1, 1};
  std::string_view rest = header.get("space directions");
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) {
    const std::optional<Vector> step = next_vector(rest);
    if (!step) return {};
    affine.steps[axis] = *step;
    edges[axis] = std::hypot((*step)[0], (*step)[1], (*step)[2]);
  }
  Spacing spacing = spacing_of_lengths(edges, rank, unit_in(units));
  std::string_view origin = header.get("space origin");
  if (const std::optional<Vector> first = next_vector(origin); first && rank == 3) {
    affine.origin = *first;
    const Space space = space_of(header.get("space"));
    for (Vector* const vector : {&affine.steps[0], &affine.steps[1], &affine.steps[2], &affine.origin}) {
      (*vector)[0] *= space.x;
      (*vector)[1] *= space.y;
    }
    spacing.placement = placement_of(affine, spacing, space.world);
  }
  return spacing;
}

/// Sizes of voxels in mm, and where they lie: fields that stand side by side.
std::string place_in_space(const Layout& layout) {
  const std::vector<double> lengths = spacing_in_mm(layout);
  if (lengths.empty()) return {};
  const std::optional<Affine> affine = affine_in_mm(layout);
  std::string units;
  for (std::size_t d = 0; d < lengths.size(); ++d) units += " \"mm\"";
  if (!affine) return fmt::format("\nspacings: {}\nunits:{}", fmt::join(lengths, " "), units);
  const auto vector = [](const Vector& v) { return fmt::format("({},{},{})", v[0], v[1], v[2]); };
  const bool own = layout.spacing.placement->world == World::Own;
  return fmt::format("\n{}\nspace directions: {} {} {}\nspace units:{}\nspace origin: {}",
                     own ? "space dimension: 3" : "space: left-posterior-superior", vector(affine->steps[0]),
                     vector(affine->steps[1]), vector(affine->steps[2]), units, vector(affine->origin));
}

void find_samples(const MappedFile& file, const Header& header, SamplePlace& place, bool follow) {
  const std::string_view data = header.get("data file");
  if (data.empty()) {
    place.data = place.path;
    place.offset = skipped_to(file, header.end, header, place);
    return;
  }
  if (data.starts_with("LIST") || data.find('%') != std::string_view::npos) {
    refuse("{}: NRRD with its samples in several files (data file: {}); wanted one", place.path, shown(data));
  }
  place.data = beside(place.path, data, follow);
  place.offset = skipped_to(MappedFile(place.data), 0, header, place);
}

std::unique_ptr<Source> open_nrrd(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  const MappedFile file(path);
  const Header header = parse(file);
  SamplePlace place;
  place.path = path;
  place.options = options;
  place.layout.type = type_of(path, header.get("type"));
  require_space_axes(path, header.get("kinds"));
  place.layout.shape = shape_of_fields(path, "NRRD", header.fields, "dimension", "sizes");
  place.packing = packing_of(path, header.get("encoding"));
  const std::string endian = lower_case(header.get("endian"));
  if (sample_bytes(place.layout.type) > 1 && endian != "little" && endian != "big") {
    refuse("{}: NRRD with endian \"{}\"; wanted little or big", path, shown(endian));
  }
  place.swapped = is_swapped(place.layout.type, endian == "little");
  place.layout.spacing = spacing_of(header, place.layout.shape.rank);
  find_samples(file, header, place, options.follow);
  place.description = fmt::format("NRRD, {}{}", lower_case(header.get("encoding")),
                                  place.data == path ? "" : fmt::format(", samples in {}", place.data));
  return open_place(std::move(place));
}

std::unique_ptr<SliceSink> create_nrrd(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "NRRD", layout);
  if (!lower_case(path).ends_with(".nrrd")) {
    refuse("{}: a header with its samples in another file is only read; wanted .nrrd", path);
  }
  const Type type = layout.type == Type::Bool ? Type::U8 : layout.type;
  const auto known = std::ranges::find(types, type, &TypeWords::type);
  const Shape& s = layout.shape;
  FlatRecipe recipe;
  recipe.head = fmt::format("NRRD0004\ntype: {}\ndimension: {}\nsizes: {} {}", known->words[0], s.rank, s.x, s.y);
  if (s.rank == 3) recipe.head += fmt::format(" {}", s.z);
  if (sample_bytes(type) > 1) recipe.head += "\nendian: little";
  recipe.head += "\nencoding: raw";
  recipe.head += place_in_space(layout);
  recipe.head += "\n\n";
  return create_flat(target, layout, std::move(recipe));
}

bool is_nrrd(std::string_view head) { return head.starts_with(magic); }

}  // namespace

extern const Format nrrd_format{"NRRD", {".nrrd", ".nhdr"}, is_nrrd, open_nrrd, create_nrrd, false, false, false, ".nhdr"};

}  // namespace tamis::io
