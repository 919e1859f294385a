// Where an image lies, as the headers of medical files say it. In memory the world is that of DICOM and ITK: x to the
// left, y to the back, z to the head (LPS); NIfTI's x and y run the other way (RAS).
#pragma once

#include <array>
#include <optional>

#include <tamis/image.hpp>

namespace tamis::io {

using Vector = std::array<double, 3>;

[[nodiscard]] inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
[[nodiscard]] inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Three columns, the steps from a voxel to the next along x, y and z, and where the first lies; all in the unit of the
/// edges.
struct Affine {
  std::array<Vector, 3> steps{};
  Vector origin{};
};

/// Nothing where a number is not finite, or an edge is not known.
[[nodiscard]] std::optional<Placement> placement_of(const Affine& affine, const Spacing& edges, World world);
/// Of a layout of three axes that has a placement, in mm.
[[nodiscard]] std::optional<Affine> affine_in_mm(const Layout& layout);
/// With x and y of the world turned round: from RAS to LPS, and back.
[[nodiscard]] Affine turned(Affine affine);

/// A turn of space as NIfTI has it: b, c and d of a unit quaternion (a is 0 or more), and -1 where the third axis is
/// turned round.
struct Quaternion {
  double b = 0;
  double c = 0;
  double d = 0;
  double third = 1;
};
/// The unit vectors of the axes.
[[nodiscard]] std::array<Vector, 3> axes_of(const Quaternion& turn);
/// Nothing for axes that are not at right angles.
[[nodiscard]] std::optional<Quaternion> quaternion_of(const std::array<Vector, 3>& axes);

}  // namespace tamis::io
