// tamis_run() and what needs no context.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tamis/parse.hpp>
#include <tamis/version.hpp>

#include "c/call.hpp"
#include "c/context.hpp"
#include "c/error.hpp"
#include "c/interface.hpp"
#include "describe/operations.hpp"

namespace tamis::c {
namespace {

using Body = void (*)(const Call&);

/// Operations that make no image of an image; a filter needs no line here.
constexpr std::pair<std::string_view, Body> bodies[] = {{"granulometry", run_granulometry},
                                                        {"size_map", run_size_map},
                                                        {"thickness", run_thickness},
                                                        {"porosimetry", run_porosimetry},
                                                        {"distance", run_distance},
                                                        {"threshold", run_threshold},
                                                        {"threshold_value", run_threshold_value},
                                                        {"convert", run_convert},
                                                        {"resample", run_resample},
                                                        {"orientation", run_orientation},
                                                        {"deskew", run_deskew},
                                                        {"skew", run_skew},
                                                        {"rotate", run_rotate},
                                                        {"phantom foam", run_foam},
                                                        {"phantom octahedra", run_octahedra}};

Body body_of(const OperationDescription& operation) {
  if (operation.filter) return run_filter;
  for (const auto& [name, body] : bodies) {
    if (name == operation.name) return body;
  }
  throw std::logic_error(operation.name + ": the C interface has no body for it");
}

const OperationDescription& operation_called(const char* name) {
  require_pointer(name, "operation", "the name of one");
  std::vector<std::string_view> words;
  for (const OperationDescription& operation : operations()) {
    if (operation.name == name) return operation;
    words.push_back(operation.name);
  }
  const std::string meant = suggestion(name, words);
  throw InputError(std::string(name) + ": no such operation" +
                   (meant.empty() ? "; tamis_operations() lists them" : meant));
}

std::string all_described() {
  nlohmann::ordered_json json;
  json["operations"] = nlohmann::ordered_json::array();
  for (const OperationDescription& operation : operations()) json["operations"].push_back(described(operation));
  std::vector<std::pair<const char*, const OperationDescription*>> shared{{"running", &running()}};
#ifdef TAMIS_FILES
  shared.emplace_back("reading", &reading());
#endif
  for (const auto& [key, description] : shared) {
    json[key] = nlohmann::ordered_json::array();
    for (const Parameter& parameter : description->parameters) json[key].push_back(json_of(parameter));
  }
  return json.dump(2);
}

void run(const tamis_context* caller, const OperationDescription& operation, const char* const* texts,
         const tamis_view* views, std::size_t count, tamis_result& result) {
  const CallContext context(caller);
  const Parameters parameters = read_parameters(operation, texts, context.get().cancel);
  const Images images(operation, views, count);
  result.figures["operation"] = operation.name;
  body_of(operation)(Call{operation, context.get(), parameters, images, result});
  context.require_wanted();
  result.finish();
}

}  // namespace
}  // namespace tamis::c

using namespace tamis;
using namespace tamis::c;

int tamis_abi(void) { return TAMIS_ABI; }

const char* tamis_version(void) { return TAMIS_VERSION; }

const char* tamis_message(void) { return message(); }

const char* tamis_operations(void) {
  const char* words = nullptr;
  const tamis_status status = guarded([&] {
    static const std::string text = all_described();
    words = text.c_str();
  });
  return status == TAMIS_OK ? words : nullptr;
}

tamis_status tamis_run(const tamis_context* context, const char* operation, const char* const* parameters,
                       const tamis_view* images, size_t image_count, tamis_result** result) {
  return guarded([&] {
    require_pointer(result, "result", "the address of a tamis_result*");
    auto made = std::make_unique<tamis_result>();
    run(context, operation_called(operation), parameters, images, image_count, *made);
    *result = made.release();
  });
}
