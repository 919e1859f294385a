#include "io/tiff_metadata.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "io/units.hpp"

namespace tamis::io {
namespace {

/// The value of `key=...` up to the end of its line.
std::string_view line_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == '=') {
      return line.substr(key.size() + 1);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return {};
}

/// The value of the first XML attribute `key="..."`.
std::string_view attribute(std::string_view text, const std::string& key) {
  const std::string opening = " " + key + "=\"";
  const std::size_t at = text.find(opening);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + opening.size());
  return rest.substr(0, rest.find('"'));
}

std::int64_t count_of(std::string_view text, std::int64_t missing) {
  const std::optional<double> value = positive_number(text);
  return value && *value < 1e15 ? static_cast<std::int64_t>(*value) : missing;
}

/// Pixels per unit, as the tags say; the file has a fraction, libtiff makes a float of it.
std::optional<double> edge(TiffFile& file, std::uint32_t tag) {
  float per_unit = 0;
  if (!TIFFGetField(file.handle(), tag, &per_unit) || !(per_unit > 0) || per_unit > 1e30F) return std::nullopt;
  return rounded_to_float(1.0 / static_cast<double>(per_unit));
}

Spacing imagej_spacing(TiffFile& file, std::string_view description, int rank) {
  const std::optional<double> x = edge(file, TIFFTAG_XRESOLUTION);
  const std::string unit = unit_of(line_value(description, "unit"));
  if (!x || unit.empty()) return {};
  // ImageJ leaves out a voxel depth of 1.
  const double z = rank == 2 ? 1.0 : positive_number(line_value(description, "spacing")).value_or(1.0);
  return {z, edge(file, TIFFTAG_YRESOLUTION).value_or(*x), *x, unit};
}

Spacing ome_spacing(std::string_view description, int rank) {
  const auto size = [&](const char* axis) {
    return positive_number(attribute(description, std::string("PhysicalSize") + axis));
  };
  const auto unit = [&](const char* axis) {
    const std::string_view word = attribute(description, std::string("PhysicalSize") + axis + "Unit");
    return word.empty() ? std::string("um") : unit_of(word);
  };
  const std::string common = unit("X");
  const auto x = size("X");
  const auto y = size("Y");
  const auto z = rank == 2 ? std::optional<double>(1.0) : size("Z");
  if (!x || !y || !z || common.empty() || unit("Y") != common || (rank == 3 && unit("Z") != common)) return {};
  return {*z, *y, *x, common};
}

/// Dots per inch describe paper; per centimetre a few microscopes mean it. Nothing is said of z.
Spacing resolution_spacing(TiffFile& file, int rank) {
  std::uint16_t unit = RESUNIT_NONE;
  TIFFGetField(file.handle(), TIFFTAG_RESOLUTIONUNIT, &unit);
  const std::optional<double> x = edge(file, TIFFTAG_XRESOLUTION);
  if (unit != RESUNIT_CENTIMETER || rank != 2 || !x) return {};
  const double y = edge(file, TIFFTAG_YRESOLUTION).value_or(*x);
  return {1.0, rounded_to_float(y * 1e4), rounded_to_float(*x * 1e4), "um"};
}

}  // namespace

TiffMetadata tiff_metadata(TiffFile& file, int rank) {
  const char* text = nullptr;
  const std::string_view description =
      TIFFGetField(file.handle(), TIFFTAG_IMAGEDESCRIPTION, &text) && text ? std::string_view(text) : "";
  TiffMetadata metadata;
  if (description.starts_with("ImageJ=")) {
    metadata.images = count_of(line_value(description, "images"), 0);
    // Where there is nothing but channels they are what Python's tifffile makes of the slices of a volume.
    const std::int64_t channels = count_of(line_value(description, "channels"), 1);
    if (channels < metadata.images) metadata.channels = channels;
    metadata.spacing = imagej_spacing(file, description, rank);
  } else if (description.find("PhysicalSizeX=") != std::string_view::npos) {
    metadata.spacing = ome_spacing(description, rank);
  }
  if (!metadata.spacing.known() && !description.starts_with("ImageJ=")) {
    metadata.spacing = resolution_spacing(file, rank);
  }
  return metadata;
}

}  // namespace tamis::io
