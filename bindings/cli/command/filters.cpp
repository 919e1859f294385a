// A command for each filter, from what the filter says of itself.
#include <fmt/format.h>

#include <tamis/operations.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/filter.hpp"
#include "cli/option/parameters.hpp"

namespace tamis::cli {
namespace {

struct FilterCommand {
  FilterFlags files;
  Arguments arguments;
};

void add_filter(CLI::App& program, Session& session, const OperationDescription& operation) {
  const auto command = std::make_shared<FilterCommand>();
  command->arguments = operation.defaults;
  CLI::App& app = *program.add_subcommand(operation.name, operation.text);
  command->files.add_files_to(app, operation);
  add_parameters(app, operation, command->arguments, session);
  command->files.add_to(app, session);
  app.footer(examples_text(operation));
  app.callback([command, &session, &operation] {
    run_filter(command->files, session, operation, command->arguments);
  });
}

}  // namespace

void add_filters(CLI::App& program, Session& session) {
  for (const OperationDescription& operation : operations()) {
    if (operation.filter) add_filter(program, session, operation);
  }
}

}  // namespace tamis::cli
