#include "io/medical/medical.hpp"

#include <algorithm>
#include <cmath>

#include "io/units.hpp"

namespace tamis::io {
namespace {

bool all_finite(const Vector& vector) {
  return std::all_of(vector.begin(), vector.end(), [](double number) { return std::isfinite(number); });
}

}  // namespace

std::optional<Placement> placement_of(const Affine& affine, const Spacing& edges, World world) {
  if (!edges.known() || !all_finite(affine.origin)) return std::nullopt;
  Placement placement{affine.origin, affine.steps, world};
  const Vector lengths{edges.x, edges.y, edges.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!all_finite(affine.steps[axis])) return std::nullopt;
    for (double& component : placement.axes[axis]) component /= lengths[axis];
  }
  return placement;
}

std::optional<Affine> affine_in_mm(const Layout& layout) {
  const Spacing& spacing = layout.spacing;
  const std::optional<double> unit = micrometres(spacing.unit);
  if (layout.shape.rank != 3 || !spacing.placement || !unit) return std::nullopt;
  const double millimetres = *unit / 1000;
  Affine affine{spacing.placement->axes, spacing.placement->origin};
  const Vector lengths{spacing.x, spacing.y, spacing.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (double& component : affine.steps[axis]) component *= lengths[axis] * millimetres;
    affine.origin[axis] *= millimetres;
  }
  return affine;
}

Affine turned(Affine affine) {
  for (Vector* const vector : {&affine.steps[0], &affine.steps[1], &affine.steps[2], &affine.origin}) {
    (*vector)[0] = 0 - (*vector)[0];  // no -0
    (*vector)[1] = 0 - (*vector)[1];
  }
  return affine;
}

std::array<Vector, 3> axes_of(const Quaternion& turn) {
  const auto [b, c, d, third] = turn;
  const double a = std::sqrt(std::max(0.0, 1 - b * b - c * c - d * d));
  std::array<Vector, 3> axes{{{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)},
                              {2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)},
                              {2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - c * c - b * b}}};
  for (double& component : axes[2]) component *= third;
  return axes;
}

std::optional<Quaternion> quaternion_of(const std::array<Vector, 3>& axes) {
  constexpr double tolerance = 1e-5;
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(dot(axes[i], axes[i]) - 1) > tolerance || std::abs(dot(axes[i], axes[(i + 1) % 3])) > tolerance)
      return {};
  }
  Quaternion turn;
  Vector z = axes[2];
  if (dot(cross(axes[0], axes[1]), z) < 0) {
    turn.third = -1;
    for (double& component : z) component = -component;
  }
  // The largest of the four parts is found first: dividing by a small one would lose digits.
  const Vector &x = axes[0], &y = axes[1];
  const std::array<double, 4> squares{1 + x[0] + y[1] + z[2], 1 + x[0] - y[1] - z[2], 1 - x[0] + y[1] - z[2],
                                      1 - x[0] - y[1] + z[2]};
  const auto largest = std::max_element(squares.begin(), squares.end());
  const double four = 2 * std::sqrt(*largest);
  double a = 0;
  switch (largest - squares.begin()) {
    case 0:
      a = four / 4;
      turn.b = (y[2] - z[1]) / four, turn.c = (z[0] - x[2]) / four, turn.d = (x[1] - y[0]) / four;
      break;
    case 1:
      a = (y[2] - z[1]) / four;
      turn.b = four / 4, turn.c = (y[0] + x[1]) / four, turn.d = (z[0] + x[2]) / four;
      break;
    case 2:
      a = (z[0] - x[2]) / four;
      turn.b = (y[0] + x[1]) / four, turn.c = four / 4, turn.d = (z[1] + y[2]) / four;
      break;
    default:
      a = (x[1] - y[0]) / four;
      turn.b = (z[0] + x[2]) / four, turn.c = (z[1] + y[2]) / four, turn.d = four / 4;
  }
  if (a < 0) turn.b = -turn.b, turn.c = -turn.c, turn.d = -turn.d;
  return turn;
}

}  // namespace tamis::io
