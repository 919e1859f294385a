#include "io/header_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "io/refuse.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";
constexpr std::size_t most_numbers = 16;  // NRRD has no more axes, NIfTI and MetaImage have fewer

}  // namespace

std::string_view head_of(const MappedFile& file) {
  return file.text().substr(0, static_cast<std::size_t>(longest_header));
}

void header_too_long(const std::string& path, std::string_view format) {
  refuse("{}: corrupt {} header: got more than {} MiB without an end, wanted less", path, format, longest_header >> 20);
}

void HeaderFields::add(const std::string& path, std::string_view name, std::string_view value) {
  if (fields_.emplace(name, value).second) return;
  refuse("{}: corrupt header: got the field \"{}\" twice, wanted it once", path, shown(name));
}

std::string_view HeaderFields::get(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::int64_t> whole_numbers(const std::string& path, std::string_view key, std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::string_view rest = trimmed(text); !rest.empty(); rest = trimmed(rest)) {
    if (numbers.size() == most_numbers) {
      refuse("{}: got \"{}: {}\" in the header, wanted {} numbers at most", path, key, shown(text), most_numbers);
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    const auto length = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || (length < rest.size() && blanks.find(rest[length]) == std::string_view::npos)) {
      refuse("{}: got \"{}: {}\" in the header, wanted whole numbers", path, key, shown(text));
    }
    numbers.push_back(value);
    rest.remove_prefix(length);
  }
  return numbers;
}

std::int64_t whole_number(const std::string& path, std::string_view key, std::string_view text) {
  const std::vector<std::int64_t> numbers = whole_numbers(path, key, text);
  if (numbers.size() == 1) return numbers.front();
  refuse("{}: got \"{}: {}\" in the header, wanted one whole number", path, key, shown(text));
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

std::string shown(std::string_view word) {
  std::string result(word.substr(0, 60));
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 32 || c > 126; }, '?');
  return result;
}

std::optional<std::array<double, 3>> lengths(std::string_view text, int count) {
  std::array<double, 3> result{1, 1, 1};
  std::string_view rest = trimmed(text);
  for (int i = 0; i < count; ++i, rest = trimmed(rest)) {
    const std::string_view word = rest.substr(0, rest.find_first_of(blanks));
    const std::optional<double> length = positive_number(word.substr(word.starts_with('+') ? 1 : 0));
    if (!length) return std::nullopt;
    result.at(static_cast<std::size_t>(i)) = *length;
    rest.remove_prefix(word.size());
  }
  return result;
}

}  // namespace tamis::io
