// Commands that say what there is: as text, and the same as JSON.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/option/options.hpp"
#include "cli/output/files.hpp"
#include "cli/output/report.hpp"

namespace tamis::cli {

/// `find(context)` gives the text and the JSON.
template <class Find>
void add_facts_command(const Command& program, Session& session, const std::string& name, const std::string& text,
                       Find find) {
  struct Flags {
    std::string json;
    ComputeFlags compute;
  };
  const auto flags = std::make_shared<Flags>();
  const Command command = program.add_command(name, text);
  add_output(command, "--json", flags->json, "the same as JSON");
  flags->compute.add_quiet_to(command);
  command.show_examples(fmt::format("tamis {0}\ntamis {0} --json {0}.json", name));
  command.run([flags, find, &session] {
    const Context context = flags->compute.context(session);
    Outputs outputs(session);
    if (!flags->json.empty()) outputs.declare("--json", flags->json);
    const auto [found, json] = find(context);
    if (!flags->json.empty()) outputs.write_text(flags->json, json_file(json));
    outputs.commit();
    if (!flags->compute.quiet) fmt::print("{}", found);
  });
}

}  // namespace tamis::cli
