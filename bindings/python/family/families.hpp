// What each binding file adds to the module. A new family needs a line here and one in python/module.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace tamis::python {

void add_threshold(nanobind::module_& module);
void add_convert(nanobind::module_& module);
void add_distance(nanobind::module_& module);
void add_sizes(nanobind::module_& module);
void add_granulometry(nanobind::module_& module);
void add_granulometry_of_parts(nanobind::module_& module);
void add_tallies(nanobind::module_& module);
void add_porosimetry(nanobind::module_& module);
void add_resample(nanobind::module_& module);
void add_phantom(nanobind::module_& module);
void add_element(nanobind::module_& module);
void add_filters(nanobind::module_& module);
void add_orientation(nanobind::module_& module);
void add_deskew(nanobind::module_& module);
void add_devices(nanobind::module_& module);
void add_descriptions(nanobind::module_& module);
void add_files(nanobind::module_& module);
void add_writing(nanobind::module_& module);

}  // namespace tamis::python
