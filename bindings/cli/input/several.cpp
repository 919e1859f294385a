#include "cli/input/several.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/io.hpp>

namespace tamis::cli {

void add_keep_going(const Command& command, bool& target) {
  command.add_flag(
      {"--keep-going", "",
       "a file that cannot be used does not end the run: the others are done and written, it is told at the "
       "end, and the exit code is 2",
       "Running"},
      target);
}

void note_slices(Session& session, const std::vector<std::string>& files, const std::vector<Shape>& shapes,
                 const char* command) {
  const std::string folder = std::filesystem::path(files.front()).parent_path().string();
  const bool slices =
      files.size() > 2 && shapes.size() == files.size() && !folder.empty() && !numbers_in_names(files).empty();
  const auto is_slice = [&](const Shape& shape) { return shape.rank == 2 && shape == shapes.front(); };
  if (!slices || !std::all_of(shapes.begin(), shapes.end(), is_slice)) return;
  session.notes.push_back(
      fmt::format("{} numbered pictures of one size, each measured by itself; where they are slices, the folder "
                  "is the volume: tamis {} {}",
                  files.size(), command, folder));
}

void note_failure(Session& session, const std::string& file, const std::string& message) {
  session.failures.push_back({file, message.starts_with(file) ? message : file + ": " + message});
}

void add_failures(nlohmann::ordered_json& json, const Session& session) {
  for (const auto& [file, message] : session.failures) json["failed"].push_back({{"file", file}, {"error", message}});
}

}  // namespace tamis::cli
