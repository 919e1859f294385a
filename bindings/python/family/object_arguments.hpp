// The arguments of granulometry, size_map and thickness.
#pragma once

#include <optional>
#include <string_view>

#include <tamis/operations/arguments.hpp>
#include <tamis/operations.hpp>

#include "python/arguments.hpp"
#include "python/operation.hpp"

namespace tamis::python {

struct ObjectArguments {
  explicit ObjectArguments(const Given& given);

  /// With the element, of which an array has to know the rank of the image.
  [[nodiscard]] GranulometryArguments on(int rank) const;
  /// The angle of 'line@A'; nothing for other elements.
  [[nodiscard]] std::optional<double> line_angle() const;
  [[nodiscard]] std::optional<Spacing> spacing_on(int rank) const { return spacing_of(spacing, unit, rank); }

  nb::handle image;
  nb::handle element;
  nb::handle roi;
  nb::handle crop;
  nb::handle spacing;
  std::string_view unit;
  Arguments parameters;  ///< all but the element
};

/// The element as an argument: also an array that equals it.
[[nodiscard]] Keyword element_keyword(const OperationDescription& operation);

}  // namespace tamis::python
