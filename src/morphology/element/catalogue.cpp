#include "morphology/element/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis::morphology_detail {
namespace {

// A set keeps one run a row: these limits keep it below some 100 MB.
constexpr std::int64_t largest_edge = 1'000'000;
constexpr std::int64_t largest_flat_radius = 100'000;
constexpr std::int64_t most_rows = 4'000'000;

ElementSize edge(std::string_view name, std::string_view letter, char before = ':') {
  return {name, letter, before, true, 1, largest_edge};
}
ElementSize whole_radius(std::int64_t largest) { return {"radius", "R", ':', true, 0, largest}; }
ElementSize radius(std::int64_t largest) { return {"radius", "R", ':', false, 0, largest}; }

ElementSize axis(std::string_view name, std::string_view letter, char before = ':') {
  return {name, letter, before, true, 0, largest_solid_radius};
}

OffsetSet checked_box(std::string_view shape, std::int64_t width, std::int64_t height, std::int64_t depth) {
  if (height * depth > most_rows) {
    throw InputError(fmt::format("{}: rows in all {}; wanted 1 to {}", shape, height * depth, most_rows));
  }
  return box_set(width, height, depth);
}

BuiltShape segment_in_space(ElementNumbers n) { return {3, line_set(n[0].value, n[1].value, n[2].value), -1, {}}; }

BuiltShape segment(ElementNumbers n) {
  if (n.size() == 3) return segment_in_space(n);
  return {2, line_set(n[0].value, n[1].value, 0), -1, StructuringElement::Segment{n[0].value, n[1].value}};
}

// Sets that nothing else needs stand here, the others in element_shapes.cpp.

/// A radius of an ellipsoid and where a row lies along it.
struct Along {
  std::int64_t radius;
  std::int64_t at;
  [[nodiscard]] std::int64_t radius_squared() const { return radius == 0 ? 1 : radius * radius; }
  [[nodiscard]] std::int64_t at_squared() const { return at * at; }
};

/// The largest x with (x/radius)^2 + (y/y.radius)^2 + (z/z.radius)^2 <= 1, -1 if there is none. Exact: all is
/// multiplied by the squares of the radii, and 64 bits hold that for radii of up to 1000.
std::int64_t ellipsoid_half_row(std::int64_t radius, const Along& y, const Along& z) {
  const std::int64_t whole = y.radius_squared() * z.radius_squared();
  const std::int64_t rest = whole - y.at_squared() * z.radius_squared() - z.at_squared() * y.radius_squared();
  if (rest < 0) return -1;
  const auto inside = [&](std::int64_t x) { return x * x * whole <= rest * radius * radius; };
  // Floating point only guesses.
  const double share = static_cast<double>(rest) / static_cast<double>(whole);
  auto x = std::min(radius, static_cast<std::int64_t>(static_cast<double>(radius) * std::sqrt(share)));
  while (x < radius && inside(x + 1)) ++x;
  while (x > 0 && !inside(x)) --x;
  return x;
}

/// A radius of 0 leaves only 0 along its axis.
OffsetSet ellipsoid_set(const Offset& radii) {
  std::vector<OffsetSet::Run> runs;
  for (std::int64_t z = -radii.z; z <= radii.z; ++z) {
    for (std::int64_t y = -radii.y; y <= radii.y; ++y) {
      const std::int64_t x = ellipsoid_half_row(radii.x, {radii.y, y}, {radii.z, z});
      if (x >= 0) runs.push_back(OffsetSet::Run{{z, y, -x}, 2 * x + 1});
    }
  }
  return OffsetSet(std::move(runs));
}

template <OffsetSet (*set)(double radius), int rank = 2>
BuiltShape of_radius(ElementNumbers n) {
  return {rank, set(n[0].value), -1, {}};
}

const NamedShape rows[] = {
    {{"square", "a square of edge N; the origin of an even edge is at index N/2", "square:5", 2, {edge("edge", "N")}},
     [](ElementNumbers n) {
       return BuiltShape{2, checked_box("square", n[0].whole, n[0].whole, 1), -1, {}};
     },
     "a size",
     {},
     {3, 2}},
    {{"rect", "a rectangle, W wide and H high", "rect:7x3", 2, {edge("width", "W"), edge("height", "H", 'x')}},
     [](ElementNumbers n) {
       return BuiltShape{2, checked_box("rect", n[0].whole, n[1].whole, 1), -1, {}};
     },
     "edges in whole numbers"},
    {{"cube", "a cube of edge N", "cube:5", 3, {edge("edge", "N")}},
     [](ElementNumbers n) {
       return BuiltShape{3, checked_box("cube", n[0].whole, n[0].whole, n[0].whole), -1, {}};
     },
     "a size",
     {},
     {3, 2}},
    {{"box",
      "a box, W wide, H high and D deep",
      "box:5x5x3",
      3,
      {edge("width", "W"), edge("height", "H", 'x'), edge("depth", "D", 'x')}},
     [](ElementNumbers n) {
       return BuiltShape{3, checked_box("box", n[0].whole, n[1].whole, n[2].whole), -1, {}};
     },
     "edges in whole numbers"},
    {{"cross",
      "|x|+|y|+|z| <= R: a diamond on images, an octahedron on volumes",
      "cross:2",
      0,
      {whole_radius(largest_flat_radius)}},
     [](ElementNumbers n) {
       return BuiltShape{0, OffsetSet(), n[0].whole, {}};
     },
     "a size",
     {},
     {1, 1}},
    {{"disk", "x^2+y^2 <= R^2", "disk:4", 2, {radius(largest_flat_radius)}},
     of_radius<disk_set>,
     "a size",
     "disk:4.5",
     {1, 1}},
    {{"ball", "x^2+y^2+z^2 <= R^2", "ball:4", 3, {radius(largest_solid_radius)}},
     of_radius<ball_set, 3>,
     "a size",
     {},
     {1, 1}},
    {{"ellipse",
      "x^2/A^2+y^2/B^2 <= 1, A and B whole",
      "ellipse:7x4",
      2,
      {axis("x_radius", "A"), axis("y_radius", "B", 'x')}},
     [](ElementNumbers n) {
       return BuiltShape{2, ellipsoid_set({0, n[1].whole, n[0].whole}), -1, {}};
     },
     "radii in whole numbers"},
    {{"ellipsoid",
      "x^2/A^2+y^2/B^2+z^2/C^2 <= 1, A, B and C whole",
      "ellipsoid:7x4x2",
      3,
      {axis("x_radius", "A"), axis("y_radius", "B", 'x'), axis("z_radius", "C", 'x')}},
     [](ElementNumbers n) {
       return BuiltShape{3, ellipsoid_set({n[2].whole, n[1].whole, n[0].whole}), -1, {}};
     },
     "radii in whole numbers"},
    {{"circle", "a ring: disk:R without disk:(R-1)", "circle:6", 2, {radius(largest_flat_radius)}},
     of_radius<ring_set>},
    {{"octagon", "|x|, |y| <= R and |x|+|y| <= floor(4R/3)", "octagon:6", 2, {whole_radius(largest_flat_radius)}},
     [](ElementNumbers n) {
       return BuiltShape{2, octagon_set(n[0].whole), -1, {}};
     },
     "a size",
     {},
     {1, 1}},
    {{"hexagon", "|y| <= R sqrt(3)/2 and |x|+|y|/sqrt(3) <= R", "hexagon:6", 2, {radius(largest_flat_radius)}},
     of_radius<hexagon_set>,
     "a size",
     {},
     {1, 1}},
    {{"line",
      "a digital segment of length L at A degrees, counter-clockwise as the picture is seen; in volumes risen by E "
      "degrees towards larger z",
      "line:21@30",
      2,
      {{"length", "L", ':', false, 1, largest_edge},
       {"azimuth", "A", '@', false, -1'000'000, 1'000'000},
       {"elevation", "E", ',', false, -90, 90, false}}},
     segment,
     "a length and angles in degrees",
     "line:21@30 or, in volumes, line:21@30,45"},
};

void require(std::string_view shape, const ElementSize& size, const ElementNumber& number) {
  // Written so that NaN is refused too.
  if (number.value >= static_cast<double>(size.lowest) && number.value <= static_cast<double>(size.highest)) return;
  const std::string got = size.whole ? fmt::format("{}", number.whole) : fmt::format("{}", number.value);
  throw InputError(fmt::format("{}: {} {}; wanted {} to {}", shape, size.name, got, size.lowest, size.highest));
}

constexpr std::string_view operations_on_elements = "; reflect(S), shift(S,dx,dy[,dz]), S+T";

}  // namespace

std::span<const NamedShape> named_shapes() { return rows; }

const NamedShape* find_shape(std::string_view name) {
  for (const NamedShape& row : rows) {
    if (row.shape.name == name) return &row;
  }
  return nullptr;
}

BuiltShape build_shape(const NamedShape& named, ElementNumbers numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) require(named.shape.name, named.shape.sizes[i], numbers[i]);
  return named.build(numbers);
}

}  // namespace tamis::morphology_detail

namespace tamis {

std::string ElementShape::form() const {
  std::string form(name);
  for (const ElementSize& size : sizes) {
    const std::string shown = size.before + std::string(size.letter);
    form += size.required ? shown : "[" + shown + "]";
  }
  return form;
}

const std::vector<ElementShape>& element_shapes() {
  static const std::vector<ElementShape> shapes = [] {
    std::vector<ElementShape> all;
    for (const morphology_detail::NamedShape& row : morphology_detail::rows) all.push_back(row.shape);
    return all;
  }();
  return shapes;
}

std::string element_forms() {
  std::string forms;
  for (const ElementShape& shape : element_shapes()) forms += shape.form() + ", ";
  return forms + "file:mask.png[@ox,oy[,oz]]" + std::string(morphology_detail::operations_on_elements);
}

std::string element_examples() {
  std::string examples;
  for (const ElementShape& shape : element_shapes()) examples += std::string(shape.example) + ", ";
  return examples + "file:mask.png" + std::string(morphology_detail::operations_on_elements);
}

std::string element_shape_names() {
  std::string names;
  for (const ElementShape& shape : element_shapes()) names += std::string(shape.name) + ", ";
  return names + "file";
}

}  // namespace tamis
