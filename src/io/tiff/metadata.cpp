#include "io/tiff/tiff.hpp"

#include <tiff.h>

#include <utility>

#include "io/refuse.hpp"
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

}  // namespace

void TiffSeries::turn(const std::string& path, const std::optional<AxesOrder>& axes) {
  if (!axes) return;
  const bool several_times = times > 1 && slices == 1;
  const AxesOrder which = *axes != AxesOrder::ZYX ? *axes : several_times ? AxesOrder::TYX : AxesOrder::CYX;
  if (*axes == AxesOrder::ZYX && slices > 1) return;
  if (slices > 1 || (which == AxesOrder::CYX && times > 1)) {
    refuse("{}: has {} slices, {} channels and {} times; wanted `axes` for a file with several of one of them", path,
           slices, channels, times);
  }
  slices = std::exchange(which == AxesOrder::TYX ? times : channels, 1);
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

}  // namespace tamis::io
