// tamis_run() and what needs no context.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tamis/operations/parse.hpp>
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

/// Those that the library does where images lie on a GPU; filters all.
constexpr std::pair<std::string_view, Body> bodies_on_gpu[] = {
    {"granulometry", run_granulometry_on_gpu}, {"size_map", run_size_map_on_gpu},
    {"thickness", run_thickness_on_gpu},       {"distance", run_distance_on_gpu},
    {"threshold", run_threshold_on_gpu},       {"threshold_value", run_threshold_value_on_gpu}};

Body body_of(const OperationDescription& operation) {
  if (operation.filter) return run_filter;
  for (const auto& [name, body] : bodies) {
    if (name == operation.name) return body;
  }
  throw std::logic_error(operation.name + ": the C interface has no body for it");
}

Body body_on_gpu_of(const OperationDescription& operation, int gpu) {
  if (operation.filter) return run_filter_on_gpu;
  for (const auto& [name, body] : bodies_on_gpu) {
    if (name == operation.name) return body;
  }
  throw InputError(operation.takes.front().name + ": in " + place(gpu) + ", where " + operation.name +
                   " does not run yet; wanted " + place({}));
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
  shared.emplace_back("writing", &writing());
#endif
  for (const auto& [key, description] : shared) {
    json[key] = nlohmann::ordered_json::array();
    for (const Parameter& parameter : description->parameters) json[key].push_back(json_of(parameter));
  }
  return json.dump(2);
}

void run(const tamis_context* caller, const OperationDescription& operation, const char* const* texts,
         const tamis_view* views, std::size_t count, const tamis_view* to, std::size_t to_count, tamis_result& result) {
  const CallContext context(caller);
  const Parameters parameters = read_parameters(operation, texts, context.get().cancel);
  const Images images(operation, views, count);
  Outputs outputs(operation, to, to_count, images.gpu());
  result.figures["operation"] = operation.name;
  const Body body = images.gpu() ? body_on_gpu_of(operation, *images.gpu()) : body_of(operation);
  body(Call{operation, context.get(), parameters, images, outputs, result});
  outputs.require_all_written();
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
    run(context, operation_called(operation), parameters, images, image_count, nullptr, 0, *made);
    *result = made.release();
  });
}

tamis_status tamis_run_into(const tamis_context* context, const char* operation, const char* const* parameters,
                            const tamis_view* images, size_t image_count, const tamis_view* outputs,
                            size_t output_count, tamis_result** result) {
  return guarded([&] {
    auto made = std::make_unique<tamis_result>();
    run(context, operation_called(operation), parameters, images, image_count, outputs, output_count, *made);
    if (result) *result = made.release();
  });
}
