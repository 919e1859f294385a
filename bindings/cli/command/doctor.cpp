// tamis doctor: what a report of a fault needs, in one piece.
#include <fmt/format.h>

#include <memory>

#include <nlohmann/json.hpp>

#include <tamis/operations/one_line.hpp>

#include "cli/command/commands.hpp"
#include "cli/doctor/facts.hpp"
#include "cli/option/options.hpp"
#include "cli/output/files.hpp"
#include "cli/page/app_tree.hpp"

namespace tamis::cli {
namespace {

struct DoctorFlags {
  std::string json;
  ComputeFlags compute;
};

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

std::string json_text(const std::vector<Section>& sections) {
  nlohmann::ordered_json json;
  for (const Section& section : sections) {
    nlohmann::ordered_json& facts = json[section.title] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : section.facts) facts[name] = value;
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void run(const DoctorFlags& flags, Session& session) {
  Outputs outputs(session);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  const std::vector<Section> sections = examine();
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(sections));
  outputs.commit();
  if (!flags.compute.quiet) fmt::print("{}", text_of(sections));
}

}  // namespace

void add_doctor(const Command& program, Session& session) {
  const auto flags = std::make_shared<DoctorFlags>();
  const Command command = program.add_command("doctor", "all that a report of a fault needs to say of this machine");
  add_output(command, "--json", flags->json, "the same as JSON");
  flags->compute.add_quiet_to(command);
  command.show_examples(
      "tamis doctor\n"
      "tamis doctor --json doctor.json");
  command.run([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
