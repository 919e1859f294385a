#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/system/mapped_file.hpp"
#include "core/visit_type.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
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

}  // namespace tamis::io
