#include "python/arguments.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <vector>

#include <tamis/error.hpp>

// The shell and Python read the same texts.
#include "cli/option/parse.hpp"

namespace tamis::python {
namespace {

constexpr cli::Choice<Phase> phases[] = {{"bright", Phase::Bright}, {"dark", Phase::Dark}};
constexpr cli::Choice<Element> elements[] = {{"cross", Element::Cross},   {"cross:1", Element::Cross},
                                             {"cube", Element::Cube},     {"cube:3", Element::Cube},
                                             {"square", Element::Square}, {"square:3", Element::Square}};
constexpr cli::Choice<DomainBorder> borders[] = {{"background", DomainBorder::Background},
                                                 {"neutral", DomainBorder::Neutral}};
constexpr cli::Choice<Algorithm> algorithms[] = {{"recursion", Algorithm::Recursion}, {"paper", Algorithm::Paper}};

std::string text(nb::handle string) { return nb::cast<std::string>(string); }

/// Nothing if the object is not a number. A bool is one for Python, but none here.
std::optional<double> number(nb::handle object) {
  if (PyBool_Check(object.ptr()) || !(PyNumber_Check(object.ptr()) == 1)) return std::nullopt;
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return value;
}

std::optional<std::vector<double>> numbers(nb::handle object) {
  std::vector<double> values;
  if (PyUnicode_Check(object.ptr()) || !nb::try_cast(object, values)) return std::nullopt;
  return values;
}

constexpr const char* wanted_edges =
    "wanted an edge length, edges (z, y, x) or (y, x), or a text such as '7x3', x first";

/// The digits of a whole number, of any type that is one. A bool is one for Python, but none here.
std::optional<std::string> whole(nb::handle object) {
  if (PyBool_Check(object.ptr()) || !(PyIndex_Check(object.ptr()) == 1)) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) {  // an array of several
    PyErr_Clear();
    return std::nullopt;
  }
  return text(nb::str(number));
}

template <class Read>
auto about(std::string_view keyword, nb::handle value, Read read) {
  return about_keyword(std::string(keyword) + "=" + text_of(value), read);
}

template <class Value, std::size_t count>
Value choose(std::string_view keyword, std::string_view word, const cli::Choice<Value> (&choices)[count]) {
  return about_keyword(std::string(keyword) + "='" + std::string(word) + "'",
                       [&] { return cli::parse_choice(word, choices); });
}

Spacing spacing_of_numbers(const std::vector<double>& lengths, std::string_view unit, int rank) {
  // In the order of the axes, so that spacing and shape read alike; one number is every edge.
  if (lengths.size() != 1 && lengths.size() != static_cast<std::size_t>(rank)) {
    throw InputError("wanted one length, or one for each of the " + std::to_string(rank) + " axes");
  }
  if (unit.empty()) throw InputError("wanted a unit too: unit='um' (nm, um, mm, cm or m), or spacing='2.5um'");
  std::string words;
  for (std::size_t i = lengths.size(); i-- > 0;) {
    words += nb::cast<std::string>(nb::repr(nb::float_(lengths[i]))) + (i > 0 ? "x" : "");
  }
  return cli::parse_spacing(words + std::string(unit));
}

}  // namespace

std::string text_of(nb::handle object) {
  constexpr std::size_t longest = 60;
  std::string words = nb::cast<std::string>(nb::repr(object));
  for (char& letter : words) {
    if (letter == '\n') letter = ' ';  // errors are one line
  }
  if (words.size() <= longest) return words;
  std::size_t end = longest;
  while ((static_cast<unsigned char>(words[end]) & 0xC0U) == 0x80U) --end;  // not within a letter of several bytes
  return words.substr(0, end) + "...";
}

ThresholdOptions threshold_of(nb::handle threshold, std::string_view phase) {
  ThresholdOptions options;
  options.phase = choose("phase", phase, phases);
  if (threshold.is_none()) return options;
  if (const std::optional<double> value = number(threshold)) {
    options.method = ThresholdMethod::Value;
    options.value = *value;
    return options;
  }
  return about("threshold", threshold, [&] {
    const Phase side = options.phase;
    if (const auto band = numbers(threshold); band && band->size() == 2) {
      options.method = ThresholdMethod::Band;
      options.low = (*band)[0];
      options.high = (*band)[1];
      return options;
    }
    if (!PyUnicode_Check(threshold.ptr())) {
      throw InputError("wanted a number, (LO, HI) or one of " + threshold_method_names());
    }
    options = cli::parse_threshold(text(threshold));
    options.phase = side;
    return options;
  });
}

std::optional<Spacing> spacing_of(nb::handle spacing, std::string_view unit, int rank) {
  if (spacing.is_none()) {
    if (!unit.empty()) throw InputError("unit='" + std::string(unit) + "' without spacing; wanted both");
    return std::nullopt;
  }
  return about("spacing", spacing, [&]() -> Spacing {
    if (PyUnicode_Check(spacing.ptr())) return cli::parse_spacing(text(spacing) + std::string(unit));
    if (const std::optional<double> length = number(spacing)) return spacing_of_numbers({*length}, unit, rank);
    const auto lengths = numbers(spacing);
    if (!lengths) throw InputError("wanted a text such as '2.5um', a number, or numbers in the order of the axes");
    return spacing_of_numbers(*lengths, unit, rank);
  });
}

Element element_of(nb::handle element, int rank) {
  if (PyUnicode_Check(element.ptr())) return choose("element", text(element), elements);
  const nb::object spec = nb::module_::import_("tamis._elements").attr("unit_element_spec")(element, rank);
  return choose("element", text(spec), elements);
}

DomainBorder border_of(std::string_view border) { return choose("border", border, borders); }

Algorithm algorithm_of(std::string_view algorithm) { return choose("algorithm", algorithm, algorithms); }

Shape shape_of(nb::handle size) {
  return about("size", size, [&]() -> Shape {
    if (PyUnicode_Check(size.ptr())) return cli::parse_size(text(size));
    std::int64_t edge = 0;
    if (nb::try_cast(size, edge)) return {edge, edge, edge, 3};
    std::vector<std::int64_t> edges;
    if (!nb::try_cast(size, edges) || edges.size() < 2 || edges.size() > 3) {
      throw InputError("wanted an edge length, a shape (z, y, x) or (y, x), or a text such as '256x256x100', x first");
    }
    if (edges.size() == 2) return {1, edges[0], edges[1], 2};
    return {edges[0], edges[1], edges[2], 3};
  });
}

std::string edges_of(nb::handle size) {
  return about("size", size, [&] {
    std::string edges;
    if (PyUnicode_Check(size.ptr())) {
      edges = text(size);
    } else if (const std::optional<std::string> edge = whole(size)) {
      edges = *edge;
    } else if (PySequence_Check(size.ptr()) == 1) {
      for (const nb::handle axis : size) {
        const std::optional<std::string> length = whole(axis);
        if (!length) throw InputError(wanted_edges);
        edges = edges.empty() ? *length : *length + "x" + edges;
      }
      if (nb::len(size) < 2) throw InputError(wanted_edges);
    } else {
      throw InputError(wanted_edges);
    }
    return cli::parse_edges(edges);
  });
}

Type type_of(nb::handle dtype) {
  // numpy.uint8 is a class, numpy.dtype("u1") an object; both have the name in the end. Texts are ours: "u8" is not
  // NumPy's u8, which has eight bytes.
  std::string word;
  if (PyUnicode_Check(dtype.ptr())) {
    word = text(dtype);
  } else {
    word = text(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"));
  }
  return about_keyword("dtype=" + word, [&] { return cli::parse_type(word); });
}

Window window_of(nb::handle window) {
  return about("window", window, [&]() -> Window {
    if (PyUnicode_Check(window.ptr())) return cli::parse_range(text(window));
    const auto ends = numbers(window);
    if (!ends || ends->size() != 2) throw InputError("wanted (LO, HI) or 'LO:HI'");
    return {(*ends)[0], (*ends)[1]};
  });
}

std::int64_t bytes_of(nb::handle bytes, std::string_view keyword) {
  if (PyLong_Check(bytes.ptr())) {
    std::int64_t count = 0;
    if (nb::try_cast(bytes, count) && count >= 0) return count;
  }
  return about(keyword, bytes, [&]() -> std::int64_t {
    if (!PyUnicode_Check(bytes.ptr())) throw InputError("wanted a number of bytes, or a text such as '4G'");
    return cli::parse_bytes(text(bytes));
  });
}

}  // namespace tamis::python
