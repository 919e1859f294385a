#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/system/mapped_file.hpp"
#include "core/visit_type.hpp"
#include "io/flat/flat.hpp"
#include "io/medical/medical.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t longest_edge = 0x7fffffff;  // other programs count with int

std::unique_ptr<Source> open_samples(MappedFile file, const SamplePlace& place) {
  const std::int64_t volume = checked_bytes(place.path, place.layout);
  const Checked all = Checked(volume) * place.times;
  const std::int64_t wanted = (all + place.skipped).value(place.path, "the length of its samples");
  if (place.packing != Packing::None) {
    const std::int64_t skipped = place.skipped + place.time * volume;
    return open_stream(std::move(file), {place.offset, skipped, wanted, place.packing, place.swapped}, place.layout,
                       place.description, place.options.cancel);
  }
  const Checked left = Checked(file.size()) - place.offset;
  if (!left.is(wanted)) wrong_length(place, left.value_or(0), wanted);
  const FlatPlace flat{place.offset + place.time * volume, volume / place.layout.shape.z, place.swapped};
  return open_flat(std::move(file), flat, place.layout, place.description, place.options.cancel);
}

template <class From, class To>
bool convert(const std::byte* from, std::int64_t count, double slope, double intercept, std::byte* to) {
  bool all_fit = true;
  for (std::int64_t i = 0; i < count; ++i) {
    From sample;
    std::memcpy(&sample, from + i * static_cast<std::int64_t>(sizeof sample), sizeof sample);
    const double value = slope * static_cast<double>(sample) + intercept;
    bool fits = true;
    if constexpr (std::is_integral_v<To>) {
      fits = value >= std::numeric_limits<To>::min() && value <= std::numeric_limits<To>::max();
    }
    all_fit = all_fit && fits;
    const To result = fits ? static_cast<To>(value) : To{};
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof result), &result, sizeof result);
  }
  return all_fit;
}

bool all_finite(const Vector& vector) {
  return std::all_of(vector.begin(), vector.end(), [](double number) { return std::isfinite(number); });
}

}  // namespace

std::unique_ptr<Source> open_place(SamplePlace place) {
  std::unique_ptr<Source> samples = open_samples(MappedFile(place.data), place);
  if (place.rescaled()) samples = open_rescaled(std::move(samples), place.slope, place.intercept);
  samples->also_reads({place.path, place.data});
  return samples;
}

void wrong_length(const SamplePlace& place, std::int64_t got, std::int64_t wanted) {
  const std::string times = place.times > 1 ? fmt::format(", {} times", place.times) : "";
  refuse("{}: got {} bytes of samples, wanted {} ({} {}{})", place.data, got, wanted, to_string(place.layout.shape),
         name(place.layout.type), times);
}

Shape shape_of_sizes(const std::string& path, std::string_view format, std::vector<std::int64_t> sizes) {
  while (sizes.size() > 3 && sizes.back() == 1) sizes.pop_back();
  if (sizes.size() < 2 || sizes.size() > 3) {
    refuse("{}: {} of {} dimensions ({}); wanted 2 or 3, one number a voxel", path, format, sizes.size(),
           fmt::join(sizes, "x"));
  }
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > longest_edge) {
      refuse("{}: {} of edges {}; wanted each within 1..{}", path, format, fmt::join(sizes, "x"), longest_edge);
    }
  }
  return {sizes.size() == 3 ? sizes[2] : 1, sizes[1], sizes[0], static_cast<int>(sizes.size())};
}

Shape shape_of_fields(const std::string& path, std::string_view format, const HeaderFields& fields,
                      std::string_view dimension, std::string_view sizes) {
  std::vector<std::int64_t> edges = whole_numbers(path, sizes, fields.get(sizes));
  const std::int64_t dimensions = whole_number(path, dimension, fields.get(dimension));
  if (dimensions == static_cast<std::int64_t>(edges.size())) return shape_of_sizes(path, format, std::move(edges));
  refuse("{}: {} of {} {}, got {} sizes, wanted as many", path, format, dimension, dimensions, edges.size());
}

Spacing spacing_of_lengths(const std::optional<std::array<double, 3>>& lengths, int rank, const std::string& unit) {
  if (!lengths || unit.empty()) return {};
  for (int axis = 0; axis < rank; ++axis) {
    const double length = (*lengths)[static_cast<std::size_t>(axis)];
    if (!std::isfinite(length) || length <= 0) return {};
  }
  const auto& [x, y, z] = *lengths;
  return {rank == 3 ? rounded_to_float(z) : 1, rounded_to_float(y), rounded_to_float(x), unit};
}

std::string beside(const std::string& path, std::string_view name, bool follow) {
  std::string data = (std::filesystem::path(path).parent_path() / std::filesystem::path(name)).string();
  require_followed(path, data, follow);
  return data;
}

std::int64_t start_from_end(const SamplePlace& place, std::int64_t length, std::int64_t first) {
  const std::int64_t wanted = checked_bytes(place.path, place.layout);
  const Checked start = Checked(length) - wanted;
  if ((start - first).ok()) return start.value_or(0);
  wrong_length(place, (Checked(length) - first).value_or(0), wanted);
}

bool is_swapped(Type type, bool little) { return sample_bytes(type) > 1 && little != native_little; }

std::vector<double> spacing_in_mm(const Layout& layout) {
  const std::optional<double> unit = micrometres(layout.spacing.unit);
  if (!unit) return {};
  std::vector<double> lengths{layout.spacing.x, layout.spacing.y};
  if (layout.shape.rank == 3) lengths.push_back(layout.spacing.z);
  for (double& length : lengths) length = length * *unit / 1000;
  return lengths;
}

Type float_for(Type type) { return sample_bytes(type) <= 2 || type == Type::F32 ? Type::F32 : Type::F64; }

bool rescale(Type from, const std::byte* samples, std::int64_t count, double slope, double intercept, Type to,
             std::byte* out) {
  return visit_type(from, [&](auto sample) {
    using From = decltype(sample);
    if (to == Type::I16) return convert<From, std::int16_t>(samples, count, slope, intercept, out);
    if (to == Type::F32) return convert<From, float>(samples, count, slope, intercept, out);
    return convert<From, double>(samples, count, slope, intercept, out);
  });
}

std::unique_ptr<Source> open_rescaled(std::unique_ptr<Source> samples, double slope, double intercept) {
  Layout layout = samples->layout();
  const Type from = std::exchange(layout.type, float_for(layout.type));
  const std::int64_t in_slice = layout.shape.y * layout.shape.x;
  return remade(std::move(samples), layout, [=](const std::byte* slice, std::byte* out) {
    static_cast<void>(rescale(from, slice, in_slice, slope, intercept, layout.type, out));
  });
}

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
