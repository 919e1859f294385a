// Every filter of the library as a function, from what the filter says of itself.
#include "python/family/families.hpp"
#include "python/family/filter.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

/// Arrays, what may be given without its name, what only this filter has, the rest.
std::string order_of(const OperationDescription& operation) {
  std::string order;
  const auto add = [&](bool positional, bool early) {
    for (const Parameter& parameter : operation.parameters) {
      if (parameter.positional == positional && parameter.early == early) order += parameter.name + " ";
    }
  };
  for (const Data& image : operation.takes) order += image.name + " ";
  add(true, false);
  order += "* ";
  add(false, true);
  add(false, false);
  return order + "batch channel_axis out";
}

FilterArguments arguments_of(const OperationDescription& operation, const Given& given) {
  FilterArguments arguments;
  for (std::size_t i = 0; i < operation.takes.size(); ++i) {
    arguments.images.push_back({given.at(i), operation.takes[i].name});
  }
  arguments.batch = given.flag("batch");
  arguments.channel_axis = given.channel_axis();
  arguments.out = given["out"];
  return arguments;
}

void add_filter(nb::module_& module, const OperationDescription& operation) {
  FunctionFacts facts{
      order_of(operation), {}, any_array, "array, type and shape of the " + operation.takes.back().name};
  Variant of_arrays{{}, same_array};
  for (const Data& image : operation.takes) of_arrays.types.emplace_back(image.name, same_array);
  facts.variants = {of_arrays, {{}, any_array}};
  add_operation(module, operation, facts, [&operation](Call& call, const Given& given) {
    const Arguments parameters = given.arguments();
    return filter_arrays(call, arguments_of(operation, given), operation.filter, parameters).value;
  });
}

}  // namespace

void add_filters(nb::module_& module) {
  for (const OperationDescription& operation : operations()) {
    if (operation.filter) add_filter(module, operation);
  }
}

}  // namespace tamis::python
