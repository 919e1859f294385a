#include "cli/output/files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis::cli {

std::string plain_name(const std::string& input) {
  // What stands behind a colon is inside a file.
  const std::size_t inside = input.find(":/");
  const std::filesystem::path path(input.substr(0, inside));
  const std::filesystem::path last = path.has_filename() ? path.filename() : path.parent_path().filename();
  std::string name = last.stem().string();
  if (last.extension() == ".gz") name = std::filesystem::path(name).stem().string();
  if (inside != std::string::npos) {
    std::string dataset = input.substr(inside + 2);
    std::replace(dataset.begin(), dataset.end(), '/', '_');
    name += '_' + dataset;
  }
  return name;
}

std::string filled_in(std::string path, const ResultName& result) {
  for (const auto& [placeholder, text] :
       {std::pair{std::string_view("{name}"), &result.name}, {std::string_view("{phase}"), &result.phase}}) {
    for (std::size_t at = path.find(placeholder); at != std::string::npos; at = path.find(placeholder, at)) {
      path.replace(at, placeholder.size(), *text);
      at += text->size();  // a name may have braces of its own
    }
  }
  return path;
}

bool has_placeholder(std::string_view path, std::string_view placeholder) {
  return path.find(placeholder) != std::string_view::npos;
}

void require_shared_name(const char* option, const std::string& path) {
  for (const char* const placeholder : {"{name}", "{phase}"}) {
    if (!has_placeholder(path, placeholder)) continue;
    throw InputError(
        fmt::format("{} {}: holds all files and phases; wanted a name without {}", option, path, placeholder));
  }
}

void require_own_name(const char* option, const std::string& path, std::size_t files, bool both) {
  if (path.empty()) return;
  if (files > 1 && !has_placeholder(path, "{name}")) {
    throw InputError(fmt::format("{} {}: holds one file, got {}; wanted {{name}} in it, as in {{name}}_map.tif", option,
                                 path, files));
  }
  if (both && !has_placeholder(path, "{phase}")) {
    throw InputError(
        fmt::format("{} {}: holds one phase, got both; wanted {{phase}} in it, as in map_{{phase}}.tif", option, path));
  }
}

}  // namespace tamis::cli
