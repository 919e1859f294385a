// tamis doctor: what a report of a fault needs, in one piece.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/operations/one_line.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/facts_command.hpp"
#include "cli/doctor/facts.hpp"
#include "cli/page/app_tree.hpp"

namespace tamis::cli {
namespace {

std::vector<Section> examine() {
  return {
      {"tamis", build_facts()},      {"machine", machine_facts()},         {"gpus", gpu_facts()},
      {"decoders", decoder_facts()}, {"environment", environment_facts()}, {"loaded libraries", loaded_libraries()}};
}

std::string text_of(const std::vector<Section>& sections) {
  constexpr std::size_t indent = 22;
  constexpr std::size_t width = 110;
  std::string text;
  for (const Section& section : sections) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", section.title);
    if (section.facts.empty()) text += "  nothing that matters is set\n";
    for (const auto& [name, value] : section.facts)
      text += fmt::format("  {:<19} {}\n", name, wrapped(one_line(value), indent, width));
  }
  return text;
}

nlohmann::ordered_json json_of(const std::vector<Section>& sections) {
  nlohmann::ordered_json json;
  for (const Section& section : sections) {
    nlohmann::ordered_json& facts = json[section.title] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : section.facts) facts[name] = value;
  }
  return json;
}

}  // namespace

void add_doctor(const Command& program, Session& session) {
  add_facts_command(program, session, "doctor", "all that a report of a fault needs to say of this machine",
                    [](const Context&) {
                      const std::vector<Section> sections = examine();
                      return std::pair{text_of(sections), json_of(sections)};
                    });
}

}  // namespace tamis::cli
