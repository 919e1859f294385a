#include "io/names/near_name.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

#include <tamis/operations/parse.hpp>

namespace tamis::io {
namespace {

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
