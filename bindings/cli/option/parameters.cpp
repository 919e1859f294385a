#include "cli/option/parameters.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <tamis/element_shapes.hpp>

#include "cli/command/filter.hpp"
#include "cli/option/options.hpp"

namespace tamis::cli {
namespace {

/// What stands for the value in the help; the shell completes its words in lower case.
std::string placeholder_of(const Parameter& parameter) {
  if (!parameter.placeholder.empty()) return parameter.placeholder;
  if (!parameter.choices.empty()) return fmt::format("{}", fmt::join(parameter.choices, "|"));
  switch (parameter.kind) {
    case ParameterKind::Flag:
      return {};
    case ParameterKind::Integer:
      return "N";
    case ParameterKind::Number:
      return "V";
    case ParameterKind::Numbers:
      return "V[,V...]";
    case ParameterKind::Interval:
      return "LO:HI";
    case ParameterKind::Element:
    case ParameterKind::Family:
      return "SPEC";
    case ParameterKind::Edges:
      return "N|WxH|WxHxD";
    case ParameterKind::Extent:
      return "N|WxHxD";
    case ParameterKind::Threshold:
      return "V|LO:HI|METHOD";
    case ParameterKind::Length:
      return "LENGTH";
    case ParameterKind::Bytes:
      return "SIZE";
    case ParameterKind::Choice:
    case ParameterKind::Border:
    case ParameterKind::Text:
      break;
  }
  return "TEXT";
}

std::string help_of(const Parameter& parameter) {
  if (parameter.kind != ParameterKind::Element) return with_flags(parameter.text);
  return with_flags(parameter.text) + ": " + element_examples();
}

}  // namespace

std::string hyphened(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string flag_of(const std::string& parameter) { return "--" + hyphened(parameter); }

std::string with_flags(std::string_view message) {
  std::string text = spelled(message, [](std::string_view name, std::string_view value) {
    return flag_of(std::string(name)) + (value.empty() ? "" : " ") + std::string(value);
  });
  text = ' ' + text + ' ';
  for (const OperationDescription& operation : operations()) {  // the library writes remove_outliers, people remove-outliers
    for (const char after : {' ', ':'}) {
      const std::string word = ' ' + operation.name + after;
      const std::size_t at = text.find(word);
      if (at != std::string::npos) text.replace(at, word.size(), hyphened(word));
    }
  }
  return text.substr(1, text.size() - 2);
}

std::string examples_text(const OperationDescription& operation) {
  return fmt::format("{}", fmt::join(operation.examples, "\n"));
}

void ElementTexts::parse_into(Arguments& arguments, const ReadOptions& read) const {
  for (const auto& [name, text] : given) {
    about_option(flag_of(name), text, [&] { arguments.set_element(name, parse_element(text, read)); });
  }
}

void add_parameter(const Command& command, const Parameter& parameter, Arguments& arguments, ElementTexts* elements) {
  const std::string flag = flag_of(parameter.name);
  if (parameter.kind == ParameterKind::Element) {
    command.add_option({flag, placeholder_of(parameter), help_of(parameter), parameter.section, parameter.initial},
                       [elements, name = parameter.name](const std::string& text) {
                         elements->given.emplace_back(name, text);
                       });
    return;
  }
  const auto set = [&arguments, flag, name = parameter.name](const std::string& text) {
    about_option(flag, text, [&] { arguments.set(name, text); });
  };
  if (parameter.kind == ParameterKind::Flag) {
    command.add_flag({flag, "", help_of(parameter), parameter.section}, [set](bool on) { set(on ? "true" : "false"); });
    return;
  }
  command.add_option({flag, placeholder_of(parameter), help_of(parameter), parameter.section, parameter.initial}, set);
}

void add_parameters(const Command& command, const OperationDescription& operation, Arguments& arguments,
                    ElementTexts* elements) {
  for (const Parameter& parameter : operation.parameters) {
    add_parameter(command, parameter, arguments, elements);
    for (const std::string& other : parameter.excludes) command.exclude(flag_of(parameter.name), flag_of(other));
  }
}

}  // namespace tamis::cli
