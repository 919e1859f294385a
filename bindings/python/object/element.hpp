// tamis.Element, and what else names a structuring element.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tamis/element.hpp>

#include "python/arguments.hpp"

TAMIS_PYTHON_ARGUMENT(FlatElementArgument, "str | Element | numpy.typing.ArrayLike");
TAMIS_PYTHON_ARGUMENT(OriginArgument, "collections.abc.Sequence[int]");

namespace tamis::python {

/// The value of a tamis.Element. A sum also keeps what it is a sum of, since a mask has no text to be read again.
struct ElementObject {
  StructuringElement value;
  std::vector<StructuringElement> summands;

  explicit ElementObject(const StructuringElement& element) : value(element), summands{element} {}
  /// First by the first summand.
  explicit ElementObject(std::vector<StructuringElement> parts);
};

/// A text, a tamis.Element, or a mask with its origin at index n/2. `keyword` starts the messages of errors.
[[nodiscard]] StructuringElement structuring_element_of(nb::handle element, std::string_view keyword);
/// The text of a text or of a tamis.Element.
[[nodiscard]] std::string element_spec_of(nb::handle element, std::string_view keyword);

}  // namespace tamis::python
