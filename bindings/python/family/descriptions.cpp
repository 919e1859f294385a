// tamis.operations.
#include <nanobind/nanobind.h>

#include <string>

#include <nlohmann/json.hpp>

#include "describe/operations.hpp"
#include "python/family/families.hpp"
#include "python/function.hpp"

namespace nb = nanobind;

namespace tamis::python {
namespace {

const char* const operations_doc = R"(What every operation says of itself, for programs that make dialogs or widgets of it.

Returns
-------
dict
    `operations` is a list of dict, each with `name`, `text`, `details`, `parameters`, what it `takes` and `gives`, and
    more; a parameter has `name`, `type`, `default`, `range`, `choices`, `unit`, `text` and `example`. `running` are the
    parameters that say where and how all of them run. It is what `tamis operations --json` prints, without how the
    program reads files, and each call gives a new one.

Examples
--------
>>> import tamis
>>> [operation["text"] for operation in tamis.operations()["operations"] if operation["name"] == "median"]
['the median, or another percentile, of a window, everywhere']
)";

nb::object described() {
  const std::string text = described_operations().dump();
  return nb::module_::import_("json").attr("loads")(nb::str(text.data(), text.size()));
}

}  // namespace

void add_descriptions(nb::module_& module) {
  add_function(module, Signature("operations", {}, "dict[str, list[dict[str, typing.Any]]]"), operations_doc,
               [](const Values&) -> nb::object { return described(); });
}

}  // namespace tamis::python
