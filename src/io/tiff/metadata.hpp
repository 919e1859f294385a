// What ImageJ, OME and the resolution tags say about a TIFF stack: which image is which, and how large a voxel is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "io/tiff/directory.hpp"
#include "io/tiff/page.hpp"

namespace tamis::io {

/// The images of a file as slices, channels and times. A plane is (time, slice, channel), counted with the channel
/// fastest.
struct TiffSeries {
  std::int64_t slices = 1;
  std::int64_t channels = 1;  ///< that have images of their own; samples of a pixel are not among them
  std::int64_t times = 1;
  /// The image of each plane; empty where they stand in the file in the order of the planes.
  std::vector<std::int64_t> image;
  /// All images lie behind the samples of the only page, without directories of their own.
  bool one_page = false;
  Spacing spacing_2d;
  Spacing spacing_3d;

  [[nodiscard]] std::int64_t planes() const { return slices * channels * times; }
  /// Times or channels as slices, where that is asked for; the planes stay in their order. Throws InputError where there
  /// are slices already.
  void turn(const std::string& path, const std::optional<AxesOrder>& axes);
};

/// What is known of a file when its description is read.
struct TiffPages {
  const TiffDirectory& first;        ///< directory of the first image
  const TiffPage& page;              ///< the first image
  std::int64_t images = 1;           ///< pages that are no thumbnails nor masks
  std::int64_t directories = 1;      ///< all of them
  std::optional<std::int64_t> flat;  ///< offset of the samples of the first image, if it is nothing but them
};

/// Reads the description of the first image; without one every image is a slice. Throws InputError where the
/// description contradicts the file. `image` counts directories for OME.
[[nodiscard]] TiffSeries tiff_series(const TiffPages& pages);

/// The two kinds of description; nothing where it is another.
[[nodiscard]] std::optional<TiffSeries> imagej_series(const TiffPages& pages);
[[nodiscard]] std::optional<TiffSeries> ome_series(const TiffPages& pages);

/// The edge of a pixel by XResolution or YResolution, in the unit that goes with it.
[[nodiscard]] std::optional<double> resolution_edge(const TiffDirectory& directory, std::uint16_t tag);

}  // namespace tamis::io
