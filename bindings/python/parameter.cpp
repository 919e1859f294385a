#include "python/parameter.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "python/arguments.hpp"
#include "python/object/element.hpp"

namespace tamis::python {
namespace {

/// How Python has the values of a kind.
struct Form {
  const char* type;
  const char* documented;
  const char* remark = "";
};

Form form_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::Flag:
      return {"bool", "bool"};
    case ParameterKind::Integer:
      return {"int", "int"};
    case ParameterKind::Number:
      return {"float", "float"};
    case ParameterKind::Numbers:
      return {"float | collections.abc.Sequence[float]", "float or sequence of float"};
    case ParameterKind::Interval:
      return {"str | tuple[float, float]", "(float, float) or str"};
    case ParameterKind::Element:
      return {
          "str | Element | numpy.typing.ArrayLike | collections.abc.Sequence[tuple[numpy.typing.ArrayLike, int]]",
          "str, Element or array",
          "A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a sequence of (mask, n)."};
    case ParameterKind::Family:
      return {"str | Element", "str or Element", "A text, or `disk(5)`."};
    case ParameterKind::Edges:
    case ParameterKind::Extent:
      return {"int | str | tuple[int, ...]", "int, str or tuple of int",
              "A tuple is in the order of the axes, (z, y, x) or (y, x); a text such as '7x3' has x first."};
    case ParameterKind::Threshold:
      return {"float | str | tuple[float, float]", "float, str or (float, float)"};
    case ParameterKind::Bytes:
      return {"int | str", "int or str"};
    case ParameterKind::Choice:
    case ParameterKind::Border:
    case ParameterKind::Text:
    case ParameterKind::Length:
      break;
  }
  return {"str", "str"};
}

/// A text as Python writes it.
std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool has_words(const Parameter& parameter) {
  const bool words = parameter.kind == ParameterKind::Choice || parameter.kind == ParameterKind::Border;
  return words && !parameter.choices.empty();
}

std::string quoted_list(const Parameter& parameter) {
  std::string list;
  for (const std::string& choice : parameter.choices) list += (list.empty() ? "" : ", ") + quoted(choice);
  return list;
}

using Text = std::optional<std::string>;

Text text_of_whole(nb::handle value) {
  if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) != 1) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) {  // an array of several
    PyErr_Clear();
    return std::nullopt;
  }
  return nb::cast<std::string>(nb::str(number));
}

/// As short as it can be, and the same number when it is read again.
Text text_of_number(nb::handle value) {
  const std::optional<double> number = number_of(value);
  if (!number) return std::nullopt;
  return fmt::format("{}", *number);
}

Text text_of_flag(nb::handle value) {
  if (!PyBool_Check(value.ptr())) return std::nullopt;
  return value.is(nb::bool_(true)) ? "true" : "false";
}

/// Edges in the order of the axes become a text, in which x is first.
Text text_of_edges(nb::handle value) {
  if (const Text edge = text_of_whole(value)) return edge;
  if (PySequence_Check(value.ptr()) != 1 || nb::len(value) < 2) return std::nullopt;
  std::string edges;
  for (const nb::handle axis : value) {
    const Text edge = text_of_whole(axis);
    if (!edge) return std::nullopt;
    edges = edges.empty() ? *edge : *edge + "x" + edges;
  }
  return edges;
}

Text text_of_numbers(nb::handle value, const char* between, std::size_t least, std::size_t most) {
  std::vector<double> numbers;
  if (!nb::try_cast(value, numbers) || numbers.size() < least || numbers.size() > most) return std::nullopt;
  return fmt::format("{}", fmt::join(numbers, between));
}

Text text_of_value(ParameterKind kind, nb::handle value) {
  constexpr std::size_t any = SIZE_MAX;
  const bool text = PyUnicode_Check(value.ptr());
  switch (kind) {
    case ParameterKind::Flag:
      return text_of_flag(value);
    case ParameterKind::Integer:
      return text_of_whole(value);
    case ParameterKind::Number:
      return text_of_number(value);
    case ParameterKind::Numbers:
      if (text) return std::nullopt;
      if (Text one = text_of_number(value)) return one;
      return text_of_numbers(value, ",", 0, any);
    case ParameterKind::Interval:
      return text ? nb::cast<std::string>(value) : text_of_numbers(value, ":", 2, 2);
    case ParameterKind::Threshold:
      if (text) return nb::cast<std::string>(value);
      if (Text one = text_of_number(value)) return one;
      return text_of_numbers(value, ":", 2, 2);
    case ParameterKind::Edges:
    case ParameterKind::Extent:
      return text ? nb::cast<std::string>(value) : text_of_edges(value);
    case ParameterKind::Family:
      return text || nb::isinstance<ElementObject>(value) ? Text(element_spec_of(value, "element")) : std::nullopt;
    case ParameterKind::Element:
    case ParameterKind::Choice:
    case ParameterKind::Border:
    case ParameterKind::Text:
    case ParameterKind::Length:
    case ParameterKind::Bytes:
      break;
  }
  return text ? Text(nb::cast<std::string>(value)) : std::nullopt;
}

/// What is wanted of a value that has no text. Of what may be given in several forms it is no wrong type but a wrong
/// value.
[[noreturn]] void refuse(const Parameter& parameter, nb::handle value) {
  const std::string got = parameter.name + "=" + text_of(value) + ": wanted ";
  switch (parameter.kind) {
    case ParameterKind::Edges:
    case ParameterKind::Extent:
      throw InputError(got + "an edge length, edges (z, y, x) or (y, x), or a text such as '7x3', x first");
    case ParameterKind::Numbers:
      throw InputError(got + "a number, or a sequence of numbers");
    case ParameterKind::Interval:
      throw InputError(got + "two numbers, (first, last), or a text such as '0:10'");
    case ParameterKind::Threshold:
      throw InputError(got + "a number, (LO, HI), or the name of a method");
    case ParameterKind::Family:
      throw InputError(got + "a text such as 'disk:5' or tamis.disk(5)");
    case ParameterKind::Flag:
      throw nb::type_error((got + "True or False").c_str());
    case ParameterKind::Integer:
    case ParameterKind::Number:
    case ParameterKind::Choice:
    case ParameterKind::Text:
    case ParameterKind::Element:
    case ParameterKind::Border:
    case ParameterKind::Length:
    case ParameterKind::Bytes:
      break;
  }
  throw nb::type_error((got + parameter.wanted).c_str());
}

}  // namespace

std::string type_of(const Parameter& parameter) {
  if (!has_words(parameter)) return form_of(parameter.kind).type;
  // "constant:V" stands for many.
  const bool open = std::any_of(parameter.choices.begin(), parameter.choices.end(),
                                [](const std::string& word) { return word.find(':') != std::string::npos; });
  return open ? "str" : "typing.Literal[" + quoted_list(parameter) + "]";
}

std::string initial_of(const Parameter& parameter) {
  if (parameter.kind == ParameterKind::Flag) return "False";
  const std::string& initial = parameter.initial;
  if (initial.empty()) return parameter.kind == ParameterKind::Text ? "''" : "None";
  const bool number = finite_number(initial).has_value();
  const bool whole = number && whole_number(initial).has_value();
  if (parameter.kind == ParameterKind::Number) return whole ? initial + ".0" : initial;
  const std::size_t colon = initial.find(':');
  if (parameter.kind == ParameterKind::Interval)
    return "(" + initial.substr(0, colon) + ", " + initial.substr(colon + 1) + ")";
  return number ? initial : quoted(initial);
}

std::string documented_type(const Parameter& parameter) {
  return has_words(parameter) ? "{" + quoted_list(parameter) + "}" : form_of(parameter.kind).documented;
}

std::string remark_of(const Parameter& parameter) { return form_of(parameter.kind).remark; }

void give(Arguments& arguments, const Parameter& parameter, nb::handle value) {
  if (parameter.kind == ParameterKind::Element) {
    arguments.set_element(parameter.name, structuring_element_of(value, parameter.name));
    return;
  }
  const Text text = text_of_value(parameter.kind, value);
  if (!text) refuse(parameter, value);
  about_argument(parameter.name, value, [&] { arguments.set(parameter.name, *text); });
}

}  // namespace tamis::python
