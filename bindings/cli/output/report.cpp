#include "cli/output/report.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "cli/option/parameters.hpp"

namespace tamis::cli {

std::string labelled(std::string_view label, std::string_view text, int column) {
  return fmt::format("  {:<{}}{}\n", label, column, text);
}

std::string times_text(const StageSeconds& times) {
  std::vector<std::string> parts;
  for (const auto& [stage, seconds] : times) parts.push_back(fmt::format("{} {:.4f} s", hyphened(stage), seconds));
  return list_of(parts);
}

std::string times_text(const StageSeconds& times, double total) {
  std::string text;
  for (const auto& [stage, seconds] : times) text += fmt::format("{} {:.3f} s, ", stage, seconds);
  return text + fmt::format("total {:.3f} s", total);
}

std::string list_of(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::string short_name(const std::string& file) {
  const std::filesystem::path path(file);
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

std::string json_file(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace tamis::cli
