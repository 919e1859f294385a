// Every command adds itself to the program: its options, its help, and what it does.
#pragma once

#include "cli/option/command.hpp"
#include "cli/session.hpp"

namespace tamis::cli {

void add_granulometry(const Command& program, Session& session);
void add_distance(const Command& program, Session& session);
void add_porosimetry(const Command& program, Session& session);
void add_threshold(const Command& program, Session& session);
void add_info(const Command& program, Session& session);
void add_convert(const Command& program, Session& session);
void add_phantom(const Command& program, Session& session);
void add_devices(const Command& program, Session& session);
void add_doctor(const Command& program, Session& session);
/// Starts `python -m tamis.bench`: what it measures beside are packages of Python.
void add_bench(const Command& program);
void add_orientation(const Command& program, Session& session);
/// Every operation that makes an image of an image: those by structuring elements, and those of the samples in a
/// window.
void add_shape_filters(const Command& program, Session& session);
void add_window_filters(const Command& program, Session& session);
/// Has no answer for some pages: Session::exit_code.
void add_deskew(const Command& program, Session& session);
void add_element_command(const Command& program, Session& session);
void add_operations(const Command& program);

}  // namespace tamis::cli
