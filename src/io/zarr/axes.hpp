// Which axes of an array are those of an image.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tamis/io.hpp>

#include "io/zarr/ome.hpp"

namespace tamis::io {

struct ImageAxes {
  std::optional<std::size_t> t, c, z, y, x;
  std::int64_t channel = 0;      ///< the first that is read
  bool one_channel = false;      ///< and the only one, because it was chosen
  std::vector<std::int64_t> at;  ///< of every axis: the sample of those that are no image's

  /// z, y and x, or y and x.
  [[nodiscard]] std::vector<std::size_t> space() const;
};

/// An array without a word about its axes: (y, x) or (z, y, x).
[[nodiscard]] ImageAxes plain_axes(const std::string& path, const std::vector<std::int64_t>& shape);

/// Axes by their names; of several times and of channels those that are asked for.
[[nodiscard]] ImageAxes image_axes(const std::string& path, const std::vector<std::int64_t>& shape,
                                   const std::vector<std::string>& names, const ReadOptions& options);

/// Before version 0.3 the last axes are those of the array.
void fit(OmeLevel& level, std::size_t rank);

}  // namespace tamis::io
