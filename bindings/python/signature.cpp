#include "python/signature.hpp"

#include <nanobind/stl/string.h>

#include <utility>

#include <tamis/operations/parse.hpp>

#include "python/foreign_words.hpp"

namespace nb = nanobind;

namespace tamis::python {

Signature::Signature(std::string function, std::vector<Keyword> keywords, std::string result,
                     std::vector<Variant> variants)
    : function_(std::move(function)),
      keywords_(std::move(keywords)),
      result_(std::move(result)),
      variants_(std::move(variants)) {
  for (const Keyword& keyword : keywords_) {
    if (keyword.by_position) ++by_position_;
    names_.push_back(nb::steal(PyUnicode_InternFromString(keyword.name.c_str())));
  }
}

std::vector<std::string> Signature::declarations() const {
  if (variants_.empty()) return {declaration({{}, result_})};
  std::vector<std::string> all;
  for (const Variant& variant : variants_) all.push_back(declaration(variant));
  return all;
}

std::string Signature::declaration(const Variant& variant) const {
  std::string words = "def " + function_ + "(";
  for (std::size_t i = 0; i < keywords_.size(); ++i) {
    const Keyword& keyword = keywords_[i];
    std::string type = keyword.type + (keyword.initial == "None" ? " | None" : "");
    for (const auto& [name, own] : variant.types) {
      if (name == keyword.name) type = own;
    }
    if (i > 0) words += ", ";
    if (i == by_position_) words += "*, ";
    words += keyword.name + ": " + type;
    // What is False by default has to be given to be True.
    if (!keyword.initial.empty() && type != is_true) words += " = " + keyword.initial;
  }
  return words + ") -> " + variant.result;
}

std::string Signature::introspected() const {
  std::string words = function_ + "($module";
  for (std::size_t i = 0; i < keywords_.size(); ++i) {
    if (i == by_position_) words += ", *";
    words += ", " + keywords_[i].name;
    if (!keywords_[i].initial.empty()) words += "=" + keywords_[i].initial;
  }
  return words + ")\n--\n\n";
}

std::size_t Signature::place(std::string_view keyword) const {
  std::size_t i = 0;
  while (i < keywords_.size() && keywords_[i].name != keyword) ++i;
  return i;
}

/// Names in source code are interned, so that nearly always the first loop finds them.
std::size_t Signature::place_of(nb::handle name) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i].ptr() == name.ptr()) return i;
  }
  return place(nb::cast<std::string>(name));
}

std::string Signature::names_from(std::size_t first) const {
  std::string names;
  for (std::size_t i = first; i < keywords_.size(); ++i) names += (names.empty() ? "" : ", ") + keywords_[i].name;
  return names;
}

void Signature::refuse(const std::string& words) const { throw nb::type_error((function_ + "(): " + words).c_str()); }

/// The word comes first: a call has many, and a line has room for few.
void Signature::refuse_keyword(const std::string& word) const {
  std::vector<std::string_view> names;
  for (const Keyword& keyword : keywords_) names.push_back(keyword.name);
  const auto has = [&](std::string_view name) { return place(name) < keywords_.size(); };
  const KnownWord known = known_word(word, has);
  std::string advice;
  if (!known.keyword.empty()) {
    advice = "; tamis calls it " + std::string(known.keyword);
    if (!known.hint.empty()) advice += ", " + std::string(known.hint);
  } else {
    advice = suggestion(word, names);
  }
  if (advice.empty()) advice = "; wanted " + (names.empty() ? "none" : names_from(0));
  throw nb::type_error((word + ": " + function_ + "() has no such argument" + advice).c_str());
}

Values Signature::bind(const PassedArguments& passed) const {
  Values given(keywords_.size());
  if (passed.by_position > by_position_) {
    refuse(std::to_string(passed.by_position) + " arguments by position; wanted at most " +
           std::to_string(by_position_) + ", and by name " + names_from(by_position_));
  }
  for (std::size_t i = 0; i < passed.by_position; ++i) given[i] = passed.values[i];
  const Py_ssize_t named = passed.names == nullptr ? 0 : PyTuple_Size(passed.names);
  for (Py_ssize_t at = 0; at < named; ++at) {
    const nb::handle name = PyTuple_GetItem(passed.names, at);
    const std::size_t i = place_of(name);
    if (i == keywords_.size()) refuse_keyword(nb::cast<std::string>(name));
    if (given[i].is_valid()) refuse(keywords_[i].name + " by position and by name; wanted it once");
    given[i] = passed.values[passed.by_position + static_cast<std::size_t>(at)];
  }
  for (std::size_t i = 0; i < keywords_.size(); ++i) {
    if (keywords_[i].initial.empty() && !given[i].is_valid()) refuse(keywords_[i].name + " is missing");
  }
  return given;
}

}  // namespace tamis::python
