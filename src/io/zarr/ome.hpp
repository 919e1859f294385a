// OME-Zarr: images of a group, of versions 0.1 to 0.5. The rules are those of bindings/python/tamis/_ome_zarr.py.
// https://ngff.openmicroscopy.org/0.5/index.html
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "io/zarr/json.hpp"

namespace tamis::io {

/// What an image says of one of its sizes.
struct OmeLevel {
  std::string array;                ///< where it lies, seen from the group
  std::vector<std::string> axes;    ///< "t", "c", "z", "y", "x"
  std::vector<std::string> units;   ///< of each axis, as the file spells them
  std::vector<double> scale;        ///< of each axis; empty: not known
  std::int64_t levels = 1;          ///< of the image
  std::string version;              ///< "0.4"; empty where it does not say
};

/// A level of the image that the attributes of a group describe, 0 the finest. Throws InputError for a level that there
/// is not, for a group that is no image, and for a description that is damaged.
[[nodiscard]] OmeLevel ome_level(const std::string& path, const Json& attributes, std::optional<std::int64_t> level);

/// Voxel sizes of the axes of space. Not known where a unit is missing or they differ, or where a size is none.
[[nodiscard]] Spacing spacing_of(const OmeLevel& level, const std::vector<std::size_t>& space);

/// The attributes of a group whose array "0" is an image of these axes.
[[nodiscard]] nlohmann::ordered_json ome_attributes(OmeZarrVersion version, const std::string& name,
                                                    const std::vector<std::string>& axes, const Spacing& spacing);

}  // namespace tamis::io
