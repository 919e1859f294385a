// A command for each filter, from what the filter says of itself.
#include <fmt/format.h>

#include <algorithm>

#include <tamis/operations.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/filter.hpp"
#include "cli/input/image.hpp"
#include "cli/option/parameters.hpp"

namespace tamis::cli {
namespace {

struct FilterCommand {
  FilterFlags files;
  Arguments arguments;
  ElementTexts elements;
};

void add_filter(const Command& program, Session& session, const OperationDescription& operation) {
  const auto filter = std::make_shared<FilterCommand>();
  filter->arguments = operation.defaults;
  const Command command = program.add_command(hyphened(operation.name), operation.text);
  filter->files.add_files_to(command, operation);
  add_parameters(command, operation, filter->arguments, &filter->elements);
  filter->files.add_to(command, operation);
  add_writing(command, session);
  command.show_examples(examples_text(operation));
  command.run([filter, &session, &operation] {
    filter->elements.parse_into(filter->arguments, for_any_file(filter->files.input.read(), session.cancel));
    run_filter(filter->files, session, operation, filter->arguments);
  });
}

/// It takes the size of a window; other filters take an element, or grow a marker.
bool has_window(const OperationDescription& operation) {
  return std::any_of(operation.parameters.begin(), operation.parameters.end(),
                     [](const Parameter& parameter) { return parameter.name == "size"; });
}

void add_filters(const Command& program, Session& session, bool windows) {
  for (const OperationDescription& operation : operations()) {
    if (operation.filter && has_window(operation) == windows) add_filter(program, session, operation);
  }
}

}  // namespace

void add_shape_filters(const Command& program, Session& session) { add_filters(program, session, false); }
void add_window_filters(const Command& program, Session& session) { add_filters(program, session, true); }

}  // namespace tamis::cli
