// The module tamis._native. tamis/__init__.py shows its contents as those of the package.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <string_view>

#include <tamis/version.hpp>

#include "python/array/result/calibrated.hpp"
#include "python/family/families.hpp"
#include "python/function.hpp"

namespace {

/// What tamis/__init__.py takes over, without a list there: all but what only the package itself asks for.
void add_public_names(nanobind::module_& module) {
  nanobind::list names;
  for (const nanobind::handle name : nanobind::module_::import_("builtins").attr("sorted")(module.attr("__dict__"))) {
    const std::string_view word = nanobind::cast<std::string_view>(name);
    if (!word.starts_with('_') && word != "element_shapes") names.append(name);
  }
  module.attr("__all__") = names;
}

}  // namespace

NB_MODULE(_native, module) {
  using namespace tamis::python;
  module.doc() = "The compiled part of tamis.";
  module.attr("__version__") = TAMIS_VERSION;
  add_errors(module);
  add_calibration(module);
  add_threshold(module);
  add_convert(module);
  add_resample(module);
  add_distance(module);
  add_sizes(module);
  add_granulometry(module);
  add_granulometry_of_parts(module);
  add_tallies(module);
  add_porosimetry(module);
  add_element(module);
  add_filters(module);
  add_orientation(module);
  add_deskew(module);
  add_phantom(module);
  add_devices(module);
  add_descriptions(module);
  add_files(module);
  add_public_names(module);
}
