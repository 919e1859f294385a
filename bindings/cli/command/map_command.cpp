#include "cli/command/map_command.hpp"

#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <tamis/tamis.hpp>

namespace tamis::cli {
namespace {

void run_map(const MapFlags& flags, Session& session, MapRun run) {
  const Context context = flags.compute.ready(session);
  Input input = open_input(flags.in, flags.input.read(), flags.region, session.cancel);
  Outputs outputs(session);
  outputs.protect(flags.in);
  if (flags.region.has_mask_file()) outputs.protect(flags.region.roi);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  const MapTold told = run(flags, context, input, outputs);
  nlohmann::ordered_json json{{"file", input.path}, {"shape", to_string(input.layout().shape)}};
  json.update(told.json);
  json["version"] = TAMIS_VERSION;
  if (!flags.json.empty()) outputs.write_text(flags.json, json_file(json));
  outputs.commit();
  session.progress.clear();
  if (flags.compute.quiet) return;
  fmt::print("{}", told.text);
  std::fflush(stdout);
  if (!told.warning.empty()) std::fputs(fmt::format("warning: {}: {}\n", input.path, told.warning).c_str(), stderr);
}

}  // namespace

void add_map_command(const Command& program, Session& session, const char* name, const char* json, MapRun run) {
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
  command.run([flags, run, &session] { run_map(*flags, session, run); });
}

}  // namespace tamis::cli
