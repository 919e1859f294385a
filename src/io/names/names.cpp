#include "io/names/names.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <tamis/operations/parse.hpp>

namespace tamis::io {
namespace {

/// Takes the digits in front, without leading zeros.
std::string_view take_number(std::string_view& text) {
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  text.remove_prefix(digits.size());
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

bool digit_first(std::string_view text) { return !text.empty() && text.front() >= '0' && text.front() <= '9'; }

/// The names in a folder: of a large one the first that the system tells, for this is only help.
std::vector<std::string> names_in(const std::filesystem::path& folder) {
  constexpr std::size_t most = 20000;
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder.empty() ? std::filesystem::path(".") : folder, error);
  for (; !error && entry != std::filesystem::directory_iterator() && names.size() < most; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (digit_first(x) && digit_first(y)) {
      const std::string_view m = take_number(x);
      const std::string_view n = take_number(y);
      if (m.size() != n.size()) return m.size() < n.size();  // any length, so no overflow
      if (m != n) return m < n;
    } else {
      if (x.front() != y.front()) return x.front() < y.front();
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

std::string near_name(const std::string& path) {
  const std::filesystem::path missing(path);
  const std::string name = missing.filename().string();
  const std::vector<std::string> names = names_in(missing.parent_path());
  std::vector<std::string_view> same_stem;
  for (const std::string& other : names) {
    if (std::filesystem::path(other).stem() == missing.stem()) same_stem.push_back(other);
  }
  if (std::string meant = suggestion(name, same_stem); !meant.empty()) return meant;
  if (same_stem.size() == 1) return "; did you mean " + std::string(same_stem.front()) + "?";
  return suggestion(name, std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace tamis::io
