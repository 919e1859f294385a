#include "python/operation.hpp"

#include <cctype>
#include <string>

namespace tamis::python {
namespace {

/// The words in lines of a width, each after `indent` blanks.
std::string wrapped(std::string_view words, std::size_t indent) {
  constexpr std::size_t width = 116;  // a stub has four blanks before it
  const std::string start(indent, ' ');
  std::string text;
  std::string line = start;
  while (!words.empty()) {
    const std::size_t blank = words.find(' ');
    const std::string_view word = words.substr(0, blank);
    words.remove_prefix(blank == std::string_view::npos ? words.size() : blank + 1);
    if (line.size() > indent && line.size() + 1 + word.size() > width) {
      text += line + "\n";
      line = start;
    }
    if (line.size() > indent) line += ' ';
    line += word;
  }
  return text + line + "\n";
}

std::string title(const std::string& words) { return "\n" + words + "\n" + std::string(words.size(), '-') + "\n"; }

std::string parameters_text(const std::vector<Keyword>& keywords) {
  std::string text = title("Parameters");
  std::string names;
  for (const Keyword& keyword : keywords) {
    names += (names.empty() ? "" : ", ") + keyword.name;
    if (keyword.documented.empty()) continue;
    const bool optional = keyword.initial == "None";
    text += names + " : " + keyword.documented + (optional ? ", optional" : "") + "\n" + wrapped(keyword.text, 4);
    names.clear();
  }
  return text;
}

std::string see_also_text(const std::vector<std::string>& names) {
  std::string text = title("See Also");
  for (const std::string& name : names) text += name + " : " + operation(name).text + "\n";
  return text;
}

std::string references_text(const std::vector<std::string>& references) {
  std::string text;
  for (const std::string& reference : references) text += (text.empty() ? "" : " ") + reference;
  return title("References") + wrapped(text, 0);
}

}  // namespace

std::string sentence(std::string_view words) {
  std::string text(words);
  if (text.empty()) return text;
  const auto lower = [&](std::size_t i) { return i < text.size() && std::islower(static_cast<unsigned char>(text[i])); };
  // Names such as f32 stay as they are.
  if (lower(0) && (lower(1) || text[1] == ' ')) text[0] = static_cast<char>(std::toupper(text[0]));
  return text.ends_with('.') ? text : text + ".";
}

std::string docstring(const OperationDescription& operation, const std::vector<Keyword>& keywords,
                      const FunctionFacts& facts) {
  std::string text = wrapped(sentence(facts.text.empty() ? operation.text : facts.text), 0);
  if (!operation.details.empty()) text += "\n" + wrapped(operation.details, 0);
  text += parameters_text(keywords) + title("Returns") + facts.returns + "\n";
  text += title("Raises") + "InputError\n" + wrapped("For " + operation.refuses + ".", 4);
  if (!operation.see_also.empty()) text += see_also_text(operation.see_also);
  if (!operation.notes.empty()) text += title("Notes") + wrapped(operation.notes, 0);
  if (!operation.references.empty()) text += references_text(operation.references);
  if (!operation.python.empty()) text += title("Examples") + operation.python;
  return text;
}

}  // namespace tamis::python
