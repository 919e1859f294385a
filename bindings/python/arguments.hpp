// Arguments that Python gives in several forms, and what the library makes of them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>
#include <tamis/threshold.hpp>

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

TAMIS_PYTHON_ARGUMENT(ImageArgument, "numpy.typing.ArrayLike");
TAMIS_PYTHON_ARGUMENT(ArrayResult, "numpy.typing.NDArray");
TAMIS_PYTHON_ARGUMENT(OutArgument, "numpy.typing.NDArray");
TAMIS_PYTHON_ARGUMENT(ThresholdArgument, "float | str | tuple[float, float]");
TAMIS_PYTHON_ARGUMENT(RoiArgument, "str | numpy.typing.ArrayLike");
TAMIS_PYTHON_ARGUMENT(ElementArgument, "str | numpy.typing.ArrayLike");
TAMIS_PYTHON_ARGUMENT(SpacingArgument, "str | float | collections.abc.Sequence[float]");
TAMIS_PYTHON_ARGUMENT(SizeArgument, "int | str | tuple[int, ...]");
TAMIS_PYTHON_ARGUMENT(DtypeArgument, "numpy.typing.DTypeLike");
TAMIS_PYTHON_ARGUMENT(WindowArgument, "str | tuple[float, float]");
TAMIS_PYTHON_ARGUMENT(BytesArgument, "int | str");
TAMIS_PYTHON_ARGUMENT(ProgressArgument, "bool | collections.abc.Callable[[str, int, int], object]");

namespace tamis::python {

/// Runs `read`; an InputError then starts with the name of the keyword.
template <class Read>
auto about_keyword(std::string_view keyword, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(std::string(keyword) + ": " + error.what());
  }
}

/// The object as people know it, for errors: its repr, shortened.
[[nodiscard]] std::string text_of(nb::handle object);

/// A number, (LO, HI), "LO:HI" or the name of a method; None: two values, of which the larger is bright.
[[nodiscard]] ThresholdOptions threshold_of(nb::handle threshold, std::string_view phase);
/// "2.5um", "1x1x2um" (x first), a number or numbers in the order of the axes (z, y, x) with `unit`.
[[nodiscard]] std::optional<Spacing> spacing_of(nb::handle spacing, std::string_view unit, int rank);
/// "cross", "cross:1", "cube:3" ..., or an array that equals the unit element.
[[nodiscard]] Element element_of(nb::handle element, int rank);
[[nodiscard]] DomainBorder border_of(std::string_view border);
[[nodiscard]] Algorithm algorithm_of(std::string_view algorithm);
/// An edge length, "WxHxD", or the shape of an array (z, y, x).
[[nodiscard]] Shape shape_of(nb::handle size);
/// The text, for window_of_size(), of edges given as that text, as a number, or as numbers in the order of the axes.
[[nodiscard]] std::string edges_of(nb::handle size);
/// "u8", "uint8", numpy.uint8, numpy.dtype("u1") ...
[[nodiscard]] Type type_of(nb::handle dtype);
/// "LO:HI" or (LO, HI).
[[nodiscard]] Window window_of(nb::handle window);
/// 0 for none, a number of bytes, or "4G".
[[nodiscard]] std::int64_t bytes_of(nb::handle bytes, std::string_view keyword);

}  // namespace tamis::python
