// Arguments that Python gives in several forms, and what the library makes of them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tamis/error.hpp>
#include <tamis/image.hpp>
#include <tamis/operations/parse.hpp>

namespace nb = nanobind;

/// An argument that is taken as any object and looked at later, so that a refusal can say more than "wrong type".
/// `text` is what the stub says of it.
#define TAMIS_PYTHON_ARGUMENT(Name, text)                                         \
  namespace tamis::python {                                                       \
  struct Name {                                                                   \
    nb::object value;                                                             \
  };                                                                              \
  }                                                                               \
  template <>                                                                     \
  struct nb::detail::type_caster<tamis::python::Name> {                           \
    NB_TYPE_CASTER(tamis::python::Name, const_name(text))                         \
    bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {      \
      value.value = borrow(source);                                               \
      return true;                                                                \
    }                                                                             \
    static handle from_cpp(const Value& own, rv_policy, cleanup_list*) noexcept { \
      return handle(own.value).inc_ref();                                         \
    }                                                                             \
  }

TAMIS_PYTHON_ARGUMENT(ArrayResult, "numpy.typing.NDArray[typing.Any]");

namespace tamis::python {

/// The object as people know it, for errors: its repr, shortened.
[[nodiscard]] std::string text_of(nb::handle object);

/// Runs `read`; an InputError then starts with the argument: "percentile=200: ".
template <class Read>
auto about_argument(std::string_view name, nb::handle value, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    const std::string got = text_of(value);
    const std::string plain = PyUnicode_Check(value.ptr()) ? got.substr(1, got.size() - 2) : "";
    throw InputError(std::string(name) + "=" + got + ": " + error.what() + decimal_point(plain));
  }
}

/// Nothing if the object is not a number. A bool is one for Python, but none here.
[[nodiscard]] std::optional<double> number_of(nb::handle object);
/// Throw TypeError for what is none; `name` is that of the argument.
[[nodiscard]] std::string_view text_argument(nb::handle value, std::string_view name);
[[nodiscard]] int whole_argument(nb::handle value, std::string_view name);
[[nodiscard]] bool flag_argument(nb::handle value, std::string_view name);

/// "2.5um", "1x1x2um" (x first), a number or numbers in the order of the axes (z, y, x) with `unit`. Without one: a
/// ratio.
[[nodiscard]] std::optional<Spacing> spacing_of(nb::handle spacing, std::string_view unit, int rank,
                                                std::string_view keyword = "spacing");
/// "um"; "units" of a ratio, nothing where lengths are in voxels.
[[nodiscard]] std::string unit_of(const Spacing& spacing);
/// "u8", "uint8", numpy.uint8, numpy.dtype("u1") ...
[[nodiscard]] Type type_of(nb::handle dtype, std::string_view keyword = "dtype");
/// 0 for none, a number of bytes, or "4G".
[[nodiscard]] std::int64_t bytes_of(nb::handle bytes, std::string_view keyword);

}  // namespace tamis::python
