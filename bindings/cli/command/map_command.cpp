#include "cli/command/filter.hpp"

#include <memory>

#include <tamis/tamis.hpp>

#include "cli/output/files.hpp"

namespace tamis::cli {

void add_map_command(const Command& program, Session& session, const char* name, const char* json,
                     void (*run)(const MapFlags&, Session&)) {
  const OperationDescription& described = operation(name);
  const auto flags = std::make_shared<MapFlags>();
  flags->arguments = described.defaults;
  const Command command = program.add_command(name, described.text);
  command.add_argument({"in", "FILE", "the image or volume"}, flags->in);
  command.add_argument({"out", "FILE", described.gives.front().text + "; the ending chooses the format"}, flags->out);
  add_parameters(command, described, flags->arguments);
  add_output(command, "--json", flags->json, json);
  flags->region.add_to(command);
  flags->input.add_to(command);
  flags->compute.add_to(command);
  add_writing(command, session);
  command.show_examples(examples_text(described));
  command.run([flags, run, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
