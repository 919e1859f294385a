#include "cli/input/several.hpp"

#include <nlohmann/json.hpp>

namespace tamis::cli {

void add_keep_going(const Command& command, bool& target) {
  command.add_flag(
      {"--keep-going", "",
       "a file that cannot be used does not end the run: the others are done and written, it is told at the "
       "end, and the exit code is 2",
       "Running"},
      target);
}

void note_failure(Session& session, const std::string& file, const std::string& message) {
  session.failures.push_back({file, message.starts_with(file) ? message : file + ": " + message});
}

void add_failures(nlohmann::ordered_json& json, const Session& session) {
  for (const auto& [file, message] : session.failures) json["failed"].push_back({{"file", file}, {"error", message}});
}

}  // namespace tamis::cli
