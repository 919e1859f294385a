#include "python/signature.hpp"

#include <nanobind/stl/string.h>

#include <utility>

namespace nb = nanobind;

namespace tamis::python {

Signature::Signature(std::string function, std::vector<Keyword> keywords, std::string result)
    : function_(std::move(function)), keywords_(std::move(keywords)), result_(std::move(result)) {
  for (const Keyword& keyword : keywords_) {
    if (keyword.by_position) ++by_position_;
    names_.push_back(nb::steal(PyUnicode_InternFromString(keyword.name.c_str())));
  }
}

std::string Signature::text() const {
  std::string words = "def " + function_ + "(";
  for (std::size_t i = 0; i < keywords_.size(); ++i) {
    const Keyword& keyword = keywords_[i];
    if (i > 0) words += ", ";
    if (i == by_position_) words += "*, ";
    const bool none = keyword.initial == "None";
    words += keyword.name + ": " + keyword.type + (none ? " | None" : "");
    if (!keyword.initial.empty()) words += " = " + keyword.initial;
  }
  return words + ") -> " + result_;
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

Values Signature::bind(const nb::args& args, const nb::kwargs& kwargs) const {
  Values given(keywords_.size());
  const std::size_t count = args.size();
  if (count > by_position_) {
    refuse(std::to_string(count) + " arguments by position; wanted at most " + std::to_string(by_position_) +
           ", and by name " + names_from(by_position_));
  }
  for (std::size_t i = 0; i < count; ++i) given[i] = PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i));
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs.ptr(), &at, &name, &value) != 0;) {
    const std::size_t i = place_of(name);
    if (i == keywords_.size()) {
      refuse("unexpected keyword '" + nb::cast<std::string>(nb::handle(name)) + "'; wanted " + names_from(0));
    }
    if (given[i].is_valid()) refuse(keywords_[i].name + " by position and by name; wanted it once");
    given[i] = value;
  }
  for (std::size_t i = 0; i < keywords_.size(); ++i) {
    if (keywords_[i].initial.empty() && !given[i].is_valid()) refuse(keywords_[i].name + " is missing");
  }
  return given;
}

}  // namespace tamis::python
