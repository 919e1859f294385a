// What the reports of all commands are written with, for people and as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace tamis::cli {

/// Seconds of each stage.
using StageSeconds = std::vector<std::pair<std::string, double>>;

/// "  ran on            CPU": what stands behind the label begins in column `column`.
[[nodiscard]] std::string labelled(std::string_view label, std::string_view text, int column = 18);
/// "reading 0.0012 s, open 0.0300 s".
[[nodiscard]] std::string times_text(const StageSeconds& times);
/// The same in milliseconds, and their total: "reading 0.001 s, total 0.031 s".
[[nodiscard]] std::string times_text(const StageSeconds& times, double total);
/// "a.csv, a.json".
[[nodiscard]] std::string list_of(const std::vector<std::string>& names);
/// The name of a file without its folders; of a folder of slices, which may be written with a slash at its end, its
/// own.
[[nodiscard]] std::string short_name(const std::string& file);

template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
/// null where nothing is said.
[[nodiscard]] nlohmann::ordered_json or_null(const std::string& text);
/// What a file of JSON holds: names of files need not be UTF-8, JSON has to be.
[[nodiscard]] std::string json_file(const nlohmann::ordered_json& json);

}  // namespace tamis::cli
