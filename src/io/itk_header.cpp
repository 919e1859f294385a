// What the headers of NRRD, MetaImage and NIfTI have in common.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include <tamis/error.hpp>

#include "io/itk_place.hpp"
#include "io/samples.hpp"
#include "io/units.hpp"

namespace tamis::io {

namespace {
constexpr std::string_view blanks = " \t\r\n\v\f";
constexpr std::int64_t longest_edge = 0x7fffffff;  // MetaIO counts with int
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

std::vector<std::int64_t> whole_numbers(const std::string& path, std::string_view key, std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::string_view rest = trimmed(text); !rest.empty(); rest = trimmed(rest)) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    const auto length = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || (length < rest.size() && blanks.find(rest[length]) == std::string_view::npos)) {
      throw InputError(fmt::format("{}: got \"{}: {}\" in the header, wanted whole numbers", path, key, shown(text)));
    }
    numbers.push_back(value);
    rest.remove_prefix(length);
  }
  return numbers;
}

std::int64_t whole_number(const std::string& path, std::string_view key, std::string_view text) {
  const std::vector<std::int64_t> numbers = whole_numbers(path, key, text);
  if (numbers.size() == 1) return numbers.front();
  throw InputError(fmt::format("{}: got \"{}: {}\" in the header, wanted one whole number", path, key, shown(text)));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string beside(const std::string& path, std::string_view name) {
  return (std::filesystem::path(path).parent_path() / std::filesystem::path(name)).string();
}

bool is_swapped(Type type, bool little) { return sample_bytes(type) > 1 && little != native_little; }

std::string shown(std::string_view word) {
  std::string result(word.substr(0, 60));
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 32 || c > 126; }, '?');
  return result;
}

std::vector<double> spacing_in_mm(const Layout& layout) {
  const std::optional<double> unit = micrometres(layout.spacing.unit);
  if (!unit) return {};
  std::vector<double> lengths{layout.spacing.x, layout.spacing.y};
  if (layout.shape.rank == 3) lengths.push_back(layout.spacing.z);
  for (double& length : lengths) length = length * *unit / 1000;
  return lengths;
}

}  // namespace tamis::io
