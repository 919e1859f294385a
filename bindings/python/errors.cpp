#include "python/function.hpp"

#include <exception>
#include <new>
#include <regex>
#include <string>

#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

namespace nb = nanobind;

namespace tamis::python {
namespace {

/// The exception class of the module under a name; the module keeps it.
nb::object add_class(nb::module_& module, const char* name, PyObject* base, const char* doc) {
  const std::string full = std::string("tamis.") + name;
  nb::object made = nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr));
  if (!made.is_valid()) throw nb::python_error();
  module.attr(name) = made;
  return made;
}

/// Names and texts of the caller's may have anything in them.
std::string one_line(std::string_view message) {
  constexpr std::size_t longest = 2000;
  std::string words;
  for (const char letter : message.substr(0, longest)) {
    const auto code = static_cast<unsigned char>(letter);
    if (code >= 0x20 && code != 0x7f) {
      words += letter;
    } else if (letter == '\n') {
      words += "\\n";
    } else {
      constexpr std::string_view digits = "0123456789abcdef";
      words += std::string("\\x") + digits[code / 16] + digits[code % 16];
    }
  }
  return message.size() > longest ? words + "..." : words;
}

/// Where a sample lies is said x first by the library, and as an index of the array by Python.
std::string in_order_of_axes(const std::string& message) {
  static const auto& place = *new std::regex("\\bx (\\d+), y (\\d+)(?:, z (\\d+))?");
  std::string text;
  auto rest = message.cbegin();
  for (std::smatch found; std::regex_search(rest, message.cend(), found, place); rest = found.suffix().first) {
    text.append(rest, found.prefix().second);
    if (found[3].matched) text += "z " + found.str(3) + ", ";
    text += "y " + found.str(2) + ", x " + found.str(1);
  }
  return text.append(rest, message.cend());
}

void set_error(PyObject* module, const char* name, const std::exception& error) {
  const nb::object type = nb::handle(module).attr(name);
  const std::string words = one_line(in_python(error.what()));
  // Names of files need not be UTF-8.
  const nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "backslashreplace"));
  PyErr_SetObject(type.ptr(), text.ptr());
}

void translate(const std::exception_ptr& thrown, void* module) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    set_error(static_cast<PyObject*>(module), "InputError", error);
  } catch (const ResourceError& error) {
    set_error(static_cast<PyObject*>(module), "ResourceError", error);
  } catch (const Cancelled&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const nb::cast_error&) {
    set_error(static_cast<PyObject*>(module), "InputError",
              InputError("a text that is no UTF-8, or a value of a type that cannot be used"));
  } catch (const std::bad_alloc&) {
    set_error(static_cast<PyObject*>(module), "ResourceError", ResourceError("too little memory"));
  }
}

}  // namespace

void set_current_error(PyObject* module) noexcept {
  try {
    translate(std::current_exception(), module);
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(error.type() == nb::exception_type::type_error ? PyExc_TypeError : PyExc_RuntimeError,
                    error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an exception of an unknown type");
  }
}

std::string in_python(std::string_view message) {
  return in_order_of_axes(spelled(message, [](std::string_view name, std::string_view value) {
    return std::string(name) + "=" + std::string(value);
  }));
}

void add_errors(nb::module_& module) {
  add_class(module, "InputError", PyExc_ValueError,
            "A parameter, an array or a file that cannot be used; one line: what, got, wanted.");
  add_class(module, "ResourceError", PyExc_RuntimeError,
            "The machine cannot do it: too little memory, no GPU, a package that is missing.");
  nb::register_exception_translator(translate, module.ptr());
}

}  // namespace tamis::python
