// What tamis asks of ITK, and how it travels to the process that asks (process.cpp).
//
// A process of its own, beside the one for pictures, because ITK takes 20 ms to load.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <tamis/image.hpp>

#include "io/confined/wire.hpp"

namespace tamis::io {

/// What ITK understood of a DICOM file.
struct ItkHeader {
  Type type = Type::U8;
  std::array<std::int64_t, 3> sizes{1, 1, 1};  ///< x first
  std::array<double, 3> spacing{1, 1, 1};      ///< mm, x first
  // Empty where the file does not say.
  std::string series;       ///< (0020,000E)
  std::string number;       ///< (0020,0013), the place in the series
  std::string position;     ///< (0020,0032), "x\y\z" of the first voxel's centre in mm
  std::string orientation;  ///< (0020,0037), the directions of a row and of a column
};

/// Header: path; the answer is a header. Samples: also the type and sizes that the header had; the answer
/// is all samples of the file, dense, native byte order, rescaled as the file says.
enum class ItkQuestion : std::uint8_t { Header, Samples };
[[nodiscard]] inline bool put(const Wire& wire, const ItkHeader& h) {
  return wire.put(h.type) && wire.put(h.sizes) && wire.put(h.spacing) && wire.put(h.series) && wire.put(h.number) &&
         wire.put(h.position) && wire.put(h.orientation);
}
[[nodiscard]] inline bool get(const Wire& wire, ItkHeader& h) {
  return wire.get(h.type) && wire.get(h.sizes) && wire.get(h.spacing) && wire.get(h.series) && wire.get(h.number) &&
         wire.get(h.position) && wire.get(h.orientation) && h.type <= Type::F64;
}

}  // namespace tamis::io
