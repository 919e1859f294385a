// Every command adds itself to the program: its options, its help, and what it does.
#pragma once

#include <CLI/CLI.hpp>

#include "session.hpp"

namespace tamis::cli {

void add_granulometry(CLI::App& program, Session& session);
void add_threshold(CLI::App& program, Session& session);
void add_info(CLI::App& program, Session& session);
void add_convert(CLI::App& program, Session& session);
void add_phantom(CLI::App& program, Session& session);
void add_devices(CLI::App& program, Session& session);
void add_orientation(CLI::App& program, Session& session);
/// erode, dilate, open, close, gradient, tophat, bothat, hitmiss, asf.
void add_morphology(CLI::App& program, Session& session);
void add_reconstruct(CLI::App& program, Session& session);
/// median, smooth.
void add_medians(CLI::App& program, Session& session);
/// Has no answer for some pages: Session::exit_code.
void add_deskew(CLI::App& program, Session& session);
void add_element_command(CLI::App& program, Session& session);

}  // namespace tamis::cli
