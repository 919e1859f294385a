// Every command adds itself to the program: its options, its help, and what it does.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/session.hpp"

namespace tamis::cli {

void add_granulometry(CLI::App& program, Session& session);
void add_threshold(CLI::App& program, Session& session);
void add_info(CLI::App& program, Session& session);
void add_convert(CLI::App& program, Session& session);
void add_phantom(CLI::App& program, Session& session);
void add_devices(CLI::App& program, Session& session);
void add_orientation(CLI::App& program, Session& session);
/// Every operation that makes an image of an image.
void add_filters(CLI::App& program, Session& session);
/// Has no answer for some pages: Session::exit_code.
void add_deskew(CLI::App& program, Session& session);
void add_element_command(CLI::App& program, Session& session);
void add_operations(CLI::App& program);

}  // namespace tamis::cli
