#include "c/call.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <tamis/element.hpp>
#include <tamis/error.hpp>
#include <tamis/io.hpp>
#include <tamis/operations/parse.hpp>

#include "c/error.hpp"
#include "c/interface.hpp"

namespace tamis::c {
namespace {

const Parameter* find(const std::vector<Parameter>& parameters, std::string_view name) {
  const auto at = std::find_if(parameters.begin(), parameters.end(),
                               [&](const Parameter& parameter) { return parameter.name == name; });
  return at == parameters.end() ? nullptr : &*at;
}

[[noreturn]] void refuse_name(std::string_view whose, const std::vector<Parameter>& all, std::string_view name) {
  std::vector<std::string_view> words;
  for (const Parameter& parameter : all) words.push_back(parameter.name);
  if (words.empty()) throw InputError(fmt::format("{}: {} has no parameters", name, whose));
  throw InputError(fmt::format("{}: {} has no such parameter; wanted {}{}", name, whose, alternatives(words),
                               suggestion(name, words)));
}

void require_one_of(const OperationDescription& operation, const Arguments& arguments) {
  for (const Parameter& parameter : operation.parameters) {
    for (const std::string& other : parameter.excludes) {
      if (!arguments.given(parameter.name) || !arguments.given(other)) continue;
      throw InputError(fmt::format("{} and {}; wanted one of them", other, parameter.name));
    }
  }
}

/// Masks of files are read where there are files.
StructuringElement element_of(std::string_view text, [[maybe_unused]] const std::stop_token& cancel) {
#ifdef TAMIS_FILES
  ReadOptions options;
  options.cancel = cancel;
  return {text, [&](const std::string& path) { return read(path, options); }};
#else
  return StructuringElement(text);
#endif
}

void set_known(const Parameter& parameter, Arguments& arguments, std::string_view text, const std::stop_token& cancel) {
  about_text(parameter.name, text, [&] {
    if (parameter.kind != ParameterKind::Element) return arguments.set(parameter.name, text);
    arguments.set_element(parameter.name, element_of(text, cancel));
  });
}

}  // namespace

std::string_view Parameters::text(std::string_view name) const {
  for (const auto& [key, value] : own) {
    if (key == name) return value;
  }
  return {};
}

void set_parameter(const OperationDescription& description, std::string_view whose, Arguments& arguments,
                   std::string_view name, std::string_view text, const std::stop_token& cancel) {
  const Parameter* const parameter = find(description.parameters, name);
  if (!parameter) refuse_name(whose, description.parameters, name);
  set_known(*parameter, arguments, text, cancel);
}

Parameters read_parameters(const OperationDescription& operation, const char* const* texts,
                           const std::stop_token& cancel) {
  Parameters parameters{operation.defaults, {}};
  if (!texts) return parameters;
  const std::vector<Parameter> own = own_parameters(operation);
  std::vector<std::string_view> given;
  for (; *texts; texts += 2) {
    const std::string_view name = texts[0];
    if (!texts[1]) throw InputError(fmt::format("{}: a null pointer; wanted its value", name));
    if (std::find(given.begin(), given.end(), name) != given.end()) {
      throw InputError(fmt::format("{}: given twice", name));
    }
    given.push_back(name);
    const std::string_view text = texts[1];
    if (const Parameter* const parameter = find(own, name)) {
      about_text(name, text, [&] { check_own(*parameter, text); });
      parameters.own.emplace_back(name, text);
    } else if (const Parameter* const known = find(operation.parameters, name)) {
      set_known(*known, parameters.arguments, text, cancel);
    } else {
      std::vector<Parameter> all = operation.parameters;
      all.insert(all.end(), own.begin(), own.end());
      refuse_name(operation.name, all, name);
    }
  }
  require_one_of(operation, parameters.arguments);
  return parameters;
}

}  // namespace tamis::c
