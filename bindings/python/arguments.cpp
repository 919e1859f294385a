#include "python/arguments.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

namespace tamis::python {
namespace {

std::string text(nb::handle string) { return nb::cast<std::string>(string); }

std::optional<std::vector<double>> numbers(nb::handle object) {
  std::vector<double> values;
  if (PyUnicode_Check(object.ptr()) || !nb::try_cast(object, values)) return std::nullopt;
  return values;
}

[[noreturn]] void refuse_type(std::string_view name, nb::handle value, const char* wanted) {
  throw nb::type_error((std::string(name) + "=" + text_of(value) + ": wanted " + wanted).c_str());
}

Spacing spacing_of_numbers(const std::vector<double>& lengths, std::string_view unit, int rank) {
  // In the order of the axes, so that spacing and shape read alike; one number is every edge.
  if (lengths.size() != 1 && lengths.size() != static_cast<std::size_t>(rank)) {
    throw InputError("wanted one length, or one for each of the " + std::to_string(rank) + " axes");
  }
  std::string words;
  for (std::size_t i = lengths.size(); i-- > 0;) {
    words += nb::cast<std::string>(nb::repr(nb::float_(lengths[i]))) + (i > 0 ? "x" : "");
  }
  return spacing_of_rank(parse_spacing(words + std::string(unit)), rank);
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

std::optional<double> number_of(nb::handle object) {
  if (PyBool_Check(object.ptr()) || PyNumber_Check(object.ptr()) != 1) return std::nullopt;
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return value;
}

std::string_view text_argument(nb::handle value, std::string_view name) {
  if (!PyUnicode_Check(value.ptr())) refuse_type(name, value, "a text");
  return nb::cast<std::string_view>(value);
}

int whole_argument(nb::handle value, std::string_view name) {
  int number = 0;
  if (PyBool_Check(value.ptr()) || !nb::try_cast(value, number)) refuse_type(name, value, "a whole number");
  return number;
}

bool flag_argument(nb::handle value, std::string_view name) {
  if (!PyBool_Check(value.ptr())) refuse_type(name, value, "True or False");
  return value.is(nb::bool_(true));
}

std::optional<Spacing> spacing_of(nb::handle spacing, std::string_view unit, int rank, std::string_view keyword) {
  if (spacing.is_none()) {
    if (!unit.empty()) throw InputError("unit='" + std::string(unit) + "' without spacing; wanted both");
    return std::nullopt;
  }
  return about_argument(keyword, spacing, [&]() -> Spacing {
    if (PyUnicode_Check(spacing.ptr())) {
      const Spacing told = parse_spacing(text(spacing));
      if (told.known() && !unit.empty())
        throw InputError("and unit='" + std::string(unit) + "': the unit is given twice; wanted it once");
      return spacing_of_rank(unit.empty() ? told : parse_spacing(text(spacing) + std::string(unit)), rank);
    }
    if (const std::optional<double> length = number_of(spacing)) return spacing_of_numbers({*length}, unit, rank);
    const auto lengths = numbers(spacing);
    if (!lengths) throw InputError("wanted a text such as '2.5um', a number, or numbers in the order of the axes");
    return spacing_of_numbers(*lengths, unit, rank);
  });
}

std::string unit_of(const Spacing& spacing) { return scales(spacing) ? length_unit(spacing) : ""; }

Type type_of(nb::handle dtype, std::string_view keyword) {
  // numpy.uint8 is a class, numpy.dtype("u1") an object; both have the name in the end. Texts are ours: "u8" is not
  // NumPy's u8, which has eight bytes.
  std::string word;
  if (PyUnicode_Check(dtype.ptr())) {
    word = text(dtype);
  } else {
    word = text(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"));
  }
  try {
    return parse_type(word);
  } catch (const InputError& error) {
    throw InputError(std::string(keyword) + "=" + word + ": " + error.what());
  }
}

std::int64_t bytes_of(nb::handle bytes, std::string_view keyword) {
  if (PyLong_Check(bytes.ptr())) {
    std::int64_t count = 0;
    if (nb::try_cast(bytes, count) && count >= 0) return count;
  }
  return about_argument(keyword, bytes, [&]() -> std::int64_t {
    if (!PyUnicode_Check(bytes.ptr())) throw InputError("wanted a number of bytes, or a text such as '4G'");
    return parse_bytes(text(bytes));
  });
}

}  // namespace tamis::python
