// The module tamis._native. tamis/__init__.py shows its contents as those of the package.
#include <nanobind/nanobind.h>

#include <tamis/version.hpp>

#include "python/errors.hpp"
#include "python/family/families.hpp"

NB_MODULE(_native, module) {
  using namespace tamis::python;
  module.doc() = "The compiled part of tamis.";
  module.attr("__version__") = TAMIS_VERSION;
  add_errors(module);
  add_threshold(module);
  add_convert(module);
  add_sizes(module);
  add_granulometry(module);
  add_element(module);
  add_morphology(module);
  add_morphology_chains(module);
  add_medians(module);
  add_orientation(module);
  add_deskew(module);
  add_phantom(module);
  add_devices(module);
}
