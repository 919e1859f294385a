// The program `tamis`.
#include <fmt/format.h>

#include <malloc.h>

#include <cstdio>

#include "cli/command/commands.hpp"
#include "cli/page/app_tree.hpp"
#include "cli/program.hpp"

namespace tamis::cli {
namespace {

void add_commands(CLI::App& app, Session& session) {
  const Command program(app);
  const Command sizes = program.under("Sizes of pores and grains");
  add_granulometry(sizes, session);
  add_porosimetry(sizes, session);
  add_distance(sizes, session);
  const Command images = program.under("Images and their files");
  add_info(images, session);
  add_convert(images, session);
  add_threshold(images, session);
  add_phantom(images, session);
  const Command shapes = program.under("Filters by the shape of things");
  add_shape_filters(shapes, session);
  add_element_command(shapes, session);
  add_window_filters(program.under("Noise and backgrounds"), session);
  const Command lines = program.under("Lines and pages");
  add_orientation(lines, session);
  add_deskew(lines, session);
  const Command help = program.under("This machine and this program");
  add_devices(help, session);
  add_doctor(help, session);
  add_bench(help);
  add_operations(help);
  // For the build: the pages that go with the program.
  app.add_subcommand("man", "print the manual page")->group("")->callback([&app] { fmt::print("{}", man_page(app)); });
  CLI::App* const completion = app.add_subcommand("completion", "print a completion script")->group("");
  completion->require_subcommand(1);
  completion->add_subcommand("bash", "for bash")->callback([&app] { fmt::print("{}", bash_completion(app)); });
}

const Program program{"tamis", "mathematical morphology: filters, and sizes of pores and grains, exact and fast",
                      "tamis granulometry foam.tif --threshold otsu --csv foam.csv --plot foam.svg\n"
                      "tamis open scan.tif clean.tif --element disk:5\n"
                      "tamis element octagon:6",
                      add_commands};

}  // namespace
}  // namespace tamis::cli

int main(int argc, char** argv) {
  // What is freed goes back at once: otherwise every thread keeps some slabs, and a limit of memory is not kept.
  static_cast<void>(::mallopt(M_MMAP_THRESHOLD, 1 << 20));
  try {
    const tamis::cli::SignalWatch signals;
    return tamis::cli::run(tamis::cli::program, signals, argc, argv);
  } catch (const std::exception& error) {  // before there is a command: no thread that watches for signals, no memory
    std::fputs(fmt::format("tamis: {}\n", error.what()).c_str(), stderr);
    return 2;
  }
}
