// What the headers of NRRD, MetaImage and NIfTI have in common.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/follow.hpp"
#include "io/medical/place.hpp"
#include "io/samples.hpp"
#include "io/units.hpp"

namespace tamis::io {

namespace {
constexpr std::int64_t longest_edge = 0x7fffffff;  // other programs count with int
}  // namespace

Shape shape_of_sizes(const std::string& path, std::string_view format, std::vector<std::int64_t> sizes) {
  while (sizes.size() > 3 && sizes.back() == 1) sizes.pop_back();
  if (sizes.size() < 2 || sizes.size() > 3) {
    throw InputError(fmt::format("{}: {} of {} dimensions ({}); wanted 2 or 3, one number a voxel", path, format,
                                 sizes.size(), fmt::join(sizes, "x")));
  }
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > longest_edge) {
      throw InputError(fmt::format("{}: {} of edges {}; wanted each within 1..{}", path, format, fmt::join(sizes, "x"),
                                   longest_edge));
    }
  }
  return {sizes.size() == 3 ? sizes[2] : 1, sizes[1], sizes[0], static_cast<int>(sizes.size())};
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
  wrong_length(place, fmt::format("{} bytes of samples", (Checked(length) - first).value_or(0)), wanted);
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

}  // namespace tamis::io
