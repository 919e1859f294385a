// Every filter of the library as a function, from what the filter says of itself.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/operations/masked.hpp>

#include "python/arguments.hpp"
#include "python/family/families.hpp"
#include "python/family/filter/filter.hpp"
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
  return order + (takes_a_mask(operation) ? "mask " : "") + "as_type batch channel_axis out";
}

/// One that filters take.
Type sample_type_of(nb::handle as_type) {
  const Type type = type_of(as_type, "as_type");
  if (type == Type::U8 || type == Type::U16 || type == Type::I16 || type == Type::F32) return type;
  throw InputError("as_type=" + text_of(as_type) + ": wanted 'u8', 'u16', 'i16' or 'f32'");
}

FilterArguments arguments_of(const OperationDescription& operation, const Given& given) {
  FilterArguments arguments;
  for (std::size_t i = 0; i < operation.takes.size(); ++i) {
    arguments.images.push_back({given.at(i), operation.takes[i].name});
  }
  arguments.batch = given.flag("batch");
  arguments.channel_axis = given.channel_axis();
  arguments.out = given["out"];
  if (takes_a_mask(operation)) arguments.mask = given["mask"];
  arguments.as_type.offered = true;
  const nb::handle as_type = given["as_type"];
  if (!as_type.is_none()) arguments.as_type.type = sample_type_of(as_type);
  return arguments;
}

/// All images have this type of samples, and the caller wants no other.
Variant variant(const OperationDescription& operation, const std::string& images, const std::string& result) {
  Variant made{{{"as_type", "None"}}, result};
  for (const Data& image : operation.takes) made.types.emplace_back(image.name, images);
  return made;
}

void add_filter(nb::module_& module, const OperationDescription& operation) {
  const std::string floats = operation.gives_new_values ? "; float32 of what goes as float32" : "; float32 of float64";
  FunctionFacts facts{
      order_of(operation), {}, any_array, "array, type and shape of the " + operation.takes.back().name + floats};
  facts.variants = {variant(operation, same_array, same_array),
                    variant(operation, "numpy.typing.NDArray[numpy.float64]", "numpy.typing.NDArray[numpy.float32]"),
                    {{}, any_array}};
  add_operation(module, operation, facts, [&operation](Call& call, const Given& given) {
    const Arguments parameters = given.arguments();
    return filter_arrays(call, arguments_of(operation, given), operation, parameters).value;
  });
}

/// How far a filter looks along each axis of an array of this type and shape, None where it has to see the whole axis.
/// `batch`: the first axis counts images.
nb::tuple reach_of(const std::string& name, nb::handle dtype, const std::vector<std::int64_t>& edges, bool batch,
                   const nb::dict& keywords) {
  const OperationDescription& filter = operation(name);
  if (!filter.filter) throw InputError(name + ": no filter; wanted one");
  const std::size_t rank = edges.size();
  if (rank != 2 && rank != 3) throw InputError("an array of " + std::to_string(rank) + " axes; wanted 2 or 3");
  const Shape shape{rank == 3 ? edges[0] : 1, edges[rank - 2], edges[rank - 1], rank == 2 || batch ? 2 : 3};
  const Type inside = std::min(type_of(dtype), Type::F32);
  const Offset reach = filter.filter.reach(arguments_in(filter, keywords), inside, shape);
  const auto known = [](std::int64_t samples) { return samples == whole_axis ? nb::none() : nb::object(nb::int_(samples)); };
  if (rank == 2) return nb::make_tuple(known(reach.y), known(reach.x));
  return nb::make_tuple(batch ? nb::object(nb::int_(0)) : known(reach.z), known(reach.y), known(reach.x));
}

}  // namespace

void add_filters(nb::module_& module) {
  module.def("_reach_of", reach_of, nb::arg("name"), nb::arg("dtype"), nb::arg("shape"), nb::arg("batch"),
             nb::arg("keywords"));
  nb::dict images;  // what each filter takes
  for (const OperationDescription& operation : operations()) {
    if (!operation.filter) continue;
    add_filter(module, operation);
    nb::list names;
    for (const Data& image : operation.takes) names.append(image.name);
    images[operation.name.c_str()] = nb::tuple(names);
  }
  module.attr("_filters") = images;
}

}  // namespace tamis::python
