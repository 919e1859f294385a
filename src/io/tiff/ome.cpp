// OME-XML in a TIFF's description: sizes, order and places of the planes.
#include <tiff.h>

#include <array>
#include <utility>

#include "io/checked.hpp"
#include "io/header_text.hpp"
#include "io/tiff/tiff.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

/// One <TiffData>: which planes stand in which directories.
struct Block {
  std::optional<std::int64_t> directory;
  std::optional<std::int64_t> count;
  std::int64_t z = 0;
  std::int64_t c = 0;
  std::int64_t t = 0;
};

class OmeReader {
 public:
  explicit OmeReader(const TiffPages& pages) : pages_(pages), path_(pages.first.file().path()) {}

  /// False where the text is no OME-XML.
  bool read(std::string_view text);
  [[nodiscard]] TiffSeries series() const;

 private:
  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> what, Values&&... values) const {
    refuse("{}: its OME header {}", path_, fmt::vformat(what, fmt::make_format_args(values...)));
  }
  void take(const XmlTag& tag);
  void take_file(const XmlTag& uuid);
  void require_slices(const XmlTag& pixels) const;
  [[nodiscard]] std::vector<std::int64_t> place_slices() const;
  [[nodiscard]] std::optional<std::int64_t> number(const XmlTag& tag, const char* name) const;
  [[nodiscard]] std::int64_t size(const char* name) const;
  void check_pixels() const;
  void place_planes(TiffSeries& series) const;
  [[nodiscard]] Spacing spacing(int rank) const;

  const TiffPages& pages_;
  std::string path_;
  std::optional<XmlTag> pixels_;  ///< of the first image
  std::int64_t images_ = 0;
  std::vector<Block> blocks_;
  std::string_view own_uuid_;  ///< of this file
};

bool OmeReader::read(std::string_view text) {
  XmlTags tags(text);
  std::optional<XmlTag> tag = tags.next();
  if (!tag || tag->name != "OME") return false;
  own_uuid_ = tag->attribute("UUID").value_or("");
  std::int64_t skipped = 0;  // depth of <StructuredAnnotations>, where any XML may stand
  while ((tag = tags.next())) {
    if (skipped > 0 && tag->closes && tag->depth == skipped) {
      skipped = 0;
    } else if (skipped == 0 && tag->opens) {
      if (tag->name == "StructuredAnnotations" && !tag->closes) skipped = tag->depth;
      take(*tag);
    }
  }
  if (!tags.whole()) fail("is damaged XML; wanted it whole");
  return true;
}

void OmeReader::take(const XmlTag& tag) {
  if (tag.name == "BinaryOnly") {
    fail("lies in another file, {}; wanted it in this one", tag.attribute("MetadataFile").value_or("without a name"));
  }
  if (tag.name == "Pixels") {
    if (!pixels_) pixels_ = tag;
    if (++images_ > 1) require_slices(tag);
  } else if (tag.name == "TiffData") {
    blocks_.push_back({number(tag, "IFD"), number(tag, tag.attribute("PlaneCount") ? "PlaneCount" : "NumPlanes"),
                       number(tag, "FirstZ").value_or(0), number(tag, "FirstC").value_or(0),
                       number(tag, "FirstT").value_or(0)});
  } else if (tag.name == "UUID" && !blocks_.empty()) {
    take_file(tag);
  }
}

/// Programs that write a stack slice by slice make an image of each.
void OmeReader::require_slices(const XmlTag& pixels) const {
  for (const char* const edge : {"SizeX", "SizeY", "SizeC", "SizeZ", "SizeT", "Type"}) {
    const auto first = pixels_->attribute(edge);
    const bool deep = edge == std::string_view("SizeZ") || edge == std::string_view("SizeT");
    if (pixels.attribute(edge) != first || (deep && first.value_or("1") != "1")) {
      fail("speaks of several images; wanted one, or slices of one size and type");
    }
  }
}

/// The directories of images that are slices, in the order of the images.
std::vector<std::int64_t> OmeReader::place_slices() const {
  if (static_cast<std::int64_t>(blocks_.size()) != images_ || size("SizeC") != pages_.page.samples) {
    fail("speaks of {} images with {} places of planes; wanted one for each, of one channel", images_, blocks_.size());
  }
  std::vector<std::int64_t> directories;
  std::vector<bool> taken(static_cast<std::size_t>(pages_.directories));
  for (const Block& block : blocks_) {
    const std::int64_t directory = block.directory.value_or(0);
    if (directory >= pages_.directories || taken[static_cast<std::size_t>(directory)]) {
      fail("has an image on page {}; wanted another page of {} for each", directory + 1, pages_.directories);
    }
    taken[static_cast<std::size_t>(directory)] = true;
    directories.push_back(directory);
  }
  return directories;
}

/// A file that was renamed is known by its UUID; without one of its own it is the only one that the header names.
void OmeReader::take_file(const XmlTag& uuid) {
  const std::string_view name = uuid.attribute("FileName").value_or("");
  const std::string_view text = trimmed(uuid.text);
  const std::string_view own_name = std::string_view(path_).substr(path_.rfind('/') + 1);
  if (own_uuid_.empty()) own_uuid_ = text;
  if (text == own_uuid_ || name == own_name || (text.empty() && name.empty())) return;
  fail("says that planes lie in another file, {}; wanted all in this one", name.empty() ? text : name);
}

std::optional<std::int64_t> OmeReader::number(const XmlTag& tag, const char* name) const {
  const std::optional<std::string_view> text = tag.attribute(name);
  if (!text) return std::nullopt;
  const std::optional<std::int64_t> value = whole_number(*text);
  if (!value || *value < 0) fail("has {}=\"{}\"; wanted a whole number", name, text->substr(0, 40));
  return value;
}

std::int64_t OmeReader::size(const char* name) const {
  const std::optional<std::int64_t> value = number(*pixels_, name);
  if (!value || *value == 0) fail("has no {}; wanted 1 or more", name);
  return *value;
}

/// Throws where the header speaks of another image than the pages.
void OmeReader::check_pixels() const {
  static constexpr std::array<std::pair<std::string_view, Type>, 8> types{{{"int8", Type::I8},
                                                                           {"int16", Type::I16},
                                                                           {"int32", Type::I32},
                                                                           {"uint8", Type::U8},
                                                                           {"uint16", Type::U16},
                                                                           {"uint32", Type::U32},
                                                                           {"float", Type::F32},
                                                                           {"double", Type::F64}}};
  const TiffPage& page = pages_.page;
  const std::string_view type = pixels_->attribute("Type").value_or("");
  for (const auto& [word, meant] : types) {
    if (type == word && meant != page.type) fail("says {}, its pages are {}", word, name(page.type));
  }
  if (size("SizeX") != page.width || size("SizeY") != page.height) {
    fail("says {}x{} pixels, its pages have {}x{}", size("SizeX"), size("SizeY"), page.width, page.height);
  }
  if (size("SizeC") % page.samples != 0) {
    fail("says {} channels, its pages have {} samples a pixel", size("SizeC"), page.samples);
  }
}

void OmeReader::place_planes(TiffSeries& series) const {
  struct Axis {
    char letter;
    std::int64_t edge;
    std::int64_t step;  ///< in the order of the series: (time, slice, channel)
  };
  const std::array<Axis, 3> axes{{{'Z', series.slices, series.channels},
                                  {'C', series.channels, 1},
                                  {'T', series.times, series.slices * series.channels}}};
  const std::string_view order = pixels_->attribute("DimensionOrder").value_or("XYCZT");
  std::array<std::size_t, 3> fastest{};
  if (!order.starts_with("XY") || order.size() != 5) fail("has no DimensionOrder that begins with XY");
  for (std::size_t i = 0; i < 3; ++i) {
    while (fastest[i] < 3 && axes[fastest[i]].letter != order[2 + i]) ++fastest[i];
  }
  if (fastest[0] + fastest[1] + fastest[2] != 3 || fastest[0] == fastest[1] || fastest[1] == fastest[2]) {
    fail("has a DimensionOrder of {}; wanted X, Y, Z, C and T", order);
  }
  series.image.assign(static_cast<std::size_t>(series.planes()), -1);
  for (const Block& block : blocks_.empty() ? std::vector<Block>(1) : blocks_) {
    if (block.z >= series.slices || block.c >= series.channels || block.t >= series.times) {
      fail("has a plane z {}, c {}, t {}; wanted planes within its sizes", block.z, block.c, block.t);
    }
    std::array<std::int64_t, 3> at{block.z, block.c, block.t};
    const std::int64_t directory = block.directory.value_or(0);
    const std::int64_t count = block.count.value_or(block.directory ? 1 : series.planes());
    for (std::int64_t i = 0; i < count; ++i) {
      if (directory + i >= pages_.directories) {
        fail("has a plane on page {}; got {} pages", directory + i + 1, pages_.directories);
      }
      std::int64_t plane = 0;
      for (std::size_t a = 0; a < 3; ++a) plane += at[a] * axes[a].step;
      std::int64_t& image = series.image[static_cast<std::size_t>(plane)];
      if (image >= 0) fail("has two pages, {} and {}, for one plane", image + 1, directory + i + 1);
      image = directory + i;
      std::size_t carry = 0;
      while (carry < 3 && ++at[fastest[carry]] == axes[fastest[carry]].edge) at[fastest[carry++]] = 0;
      if (carry == 3) break;  // that was the last plane
    }
  }
  for (const std::int64_t image : series.image) {
    if (image < 0) fail("has planes without a page; wanted one for each");
  }
}

Spacing OmeReader::spacing(int rank) const {
  const auto edge = [&](const char* axis) -> Edge {
    const std::string name = std::string("PhysicalSize") + axis;
    const auto word = pixels_->attribute(name + "Unit");
    return {positive_number(pixels_->attribute(name).value_or("")).value_or(0), word ? unit_of(*word) : "um"};
  };
  const Edge x = edge("X");
  return spacing_of(rank == 2 ? Edge{1, x.unit} : edge("Z"), edge("Y"), x);
}

TiffSeries OmeReader::series() const {
  TiffSeries series;
  series.slices = pages_.images;
  if (!pixels_) return series;
  series.spacing_2d = spacing(2);
  series.spacing_3d = spacing(3);
  // Some programs write a header of voxel sizes only.
  if (!pixels_->attribute("SizeZ") && !pixels_->attribute("SizeC") && !pixels_->attribute("SizeT")) return series;
  check_pixels();
  if (images_ > 1) {
    series.image = place_slices();
    series.slices = images_;
    return series;
  }
  series.slices = size("SizeZ");
  series.channels = size("SizeC") / pages_.page.samples;
  series.times = size("SizeT");
  if (!(Checked(series.slices) * series.channels * series.times).at_most(pages_.directories)) {
    fail("says {} slices x {} channels x {} times, got {} pages", series.slices, series.channels, series.times,
         pages_.directories);
  }
  place_planes(series);
  return series;
}

}  // namespace

std::optional<TiffSeries> ome_series(const TiffPages& pages) {
  OmeReader reader(pages);
  if (!reader.read(pages.first.text(TIFFTAG_IMAGEDESCRIPTION))) return std::nullopt;
  return reader.series();
}

}  // namespace tamis::io
