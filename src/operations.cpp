// The list of all operations: the families' own descriptions, in the order of the help.

#include <tamis/operations.hpp>

#include <iterator>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "operations.hpp"

namespace tamis {
namespace {

std::vector<OperationDescription> all() {
  std::vector<OperationDescription> list;
  const auto add = [&list](std::vector<OperationDescription> family) {
    std::move(family.begin(), family.end(), std::back_inserter(list));
  };
  add(describe_granulometry());
  add(describe_porosimetry());
  add(describe_distance());
  add(describe_thresholds());
  add(describe_convert());
  add(morphology_detail::describe_morphology());
  add(median_detail::describe_medians());
  add(describe_lines());
  add({describe_foam(), describe_octahedra()});
  return list;
}

}  // namespace

const std::vector<OperationDescription>& operations() {
  static const std::vector<OperationDescription> list = all();
  return list;
}

const OperationDescription& operation(std::string_view name) {
  for (const OperationDescription& operation : operations()) {
    if (operation.name == name) return operation;
  }
  throw InputError(fmt::format("{}: no such operation", name));
}

}  // namespace tamis
