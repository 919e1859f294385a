// What resolution tags say, and ImageJ's description, lines of `key=value`.
#include "io/tiff/tiff.hpp"

#include <tiff.h>

#include <utility>

#include "io/checked.hpp"
#include "io/samples.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

/// Dots per inch describe paper; per centimetre a few microscopes mean it. Nothing is said of z.
Spacing resolution_spacing(const TiffDirectory& directory) {
  const std::optional<double> x = resolution_edge(directory, TIFFTAG_XRESOLUTION);
  if (!x || directory.number(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH) != RESUNIT_CENTIMETER) return {};
  const double y = resolution_edge(directory, TIFFTAG_YRESOLUTION).value_or(*x);
  return {1.0, rounded_to_float(y * 1e4), rounded_to_float(*x * 1e4), "um"};
}

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

std::int64_t count_of(std::string_view text, std::string_view key, std::int64_t missing) {
  const std::optional<double> value = positive_number(line_value(text, key));
  return value && *value >= 1 && *value < 1e15 ? static_cast<std::int64_t>(*value) : missing;
}

void read_spacing(const TiffDirectory& directory, std::string_view text, TiffSeries& series) {
  const std::optional<double> x = resolution_edge(directory, TIFFTAG_XRESOLUTION);
  const std::string unit = unit_of(line_value(text, "unit"));
  if (!x || unit.empty()) return;
  const double y = resolution_edge(directory, TIFFTAG_YRESOLUTION).value_or(*x);
  series.spacing_2d = {1.0, y, *x, unit};
  // ImageJ leaves out a voxel depth of 1.
  series.spacing_3d = {positive_number(line_value(text, "spacing")).value_or(1.0), y, *x, unit};
}

/// ImageJ writes stacks over 4 GB as one page whose samples go on with those of all other images.
void require_room(const TiffPages& pages, std::int64_t images) {
  const TiffFile& file = pages.first.file();
  const std::int64_t image = checked_bytes(file.path(), pages.page.layout());
  const std::int64_t room = file.size() - *pages.flat;
  const Checked wanted = Checked(images) * image;
  if (!wanted.at_most(room)) {
    refuse("{}: truncated TIFF: got {} bytes of samples, wanted {} ({} images, as the file says)", file.path(), room,
           wanted.value(file.path(), "the size of all images"), images);
  }
  const std::int64_t free = pages.first.free_until(*pages.flat) - *pages.flat;
  if (wanted.at_most(free)) return;
  refuse(
      "{}: got the samples of {} image(s) before the file goes on with other things, wanted {} as its ImageJ header "
      "says",
      file.path(), free / image, images);
}

/// Number of images, held against the file.
std::int64_t check_images(const TiffPages& pages, std::int64_t claimed, TiffSeries& series) {
  // With 1, or without a number, ImageJ too takes all pages.
  if (claimed <= 1 || claimed == pages.images) return pages.images;
  if (pages.images > 1 || !pages.flat) {
    refuse("{}: got {} pages, wanted {} as its ImageJ header says", pages.first.file().path(), pages.images, claimed);
  }
  require_room(pages, claimed);
  series.one_page = true;
  return claimed;
}

}  // namespace

void TiffSeries::turn(const std::string& path, const std::optional<AxesOrder>& axes) {
  if (!axes) return;
  const auto slow = axis_of_slices(path, "a file", *axes, slices, channels, times);
  if (slow) slices = std::exchange(*slow == AxesOrder::TYX ? times : channels, 1);
}

std::optional<double> resolution_edge(const TiffDirectory& directory, std::uint16_t tag) {
  const std::optional<double> per_unit = directory.fraction(tag);
  if (!per_unit || *per_unit > 1e30) return std::nullopt;
  return rounded_to_float(1.0 / *per_unit);
}

TiffSeries tiff_series(const TiffPages& pages) {
  if (std::optional<TiffSeries> series = imagej_series(pages)) return *series;
  TiffSeries series;
  series.slices = pages.images;
  if (std::optional<TiffSeries> ome = ome_series(pages)) series = *ome;
  if (!series.spacing_2d.known()) series.spacing_2d = resolution_spacing(pages.first);
  return series;
}

std::optional<TiffSeries> imagej_series(const TiffPages& pages) {
  const std::string_view text = pages.first.text(TIFFTAG_IMAGEDESCRIPTION);
  if (!text.starts_with("ImageJ=")) return std::nullopt;
  TiffSeries series;
  series.channels = count_of(text, "channels", 1);
  series.slices = count_of(text, "slices", 1);
  series.times = count_of(text, "frames", 1);
  const Checked planes = Checked(series.channels) * series.slices * series.times;
  const std::int64_t images = check_images(pages, count_of(text, "images", planes.value_or(1)), series);
  const std::string_view mode = line_value(text, "mode");
  // Where there is nothing but channels, and they are not shown as colours, they are what Python's tifffile makes of
  // the slices of a volume.
  const bool only_channels = series.channels == images && !mode.starts_with("composite") && !mode.starts_with("color");
  if (planes.is(1) || (only_channels && planes.is(images))) {
    series.channels = series.times = 1;
    series.slices = images;
  } else if (!planes.is(images)) {
    refuse("{}: got {} images, wanted {} channels x {} slices x {} frames as its ImageJ header says",
           pages.first.file().path(), images, series.channels, series.slices, series.times);
  }
  read_spacing(pages.first, text, series);
  return series;
}

}  // namespace tamis::io
