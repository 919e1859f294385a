// granulometry, size_map and thickness: their arguments, and each kind of element and image.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>

#include <tamis/balls.hpp>
#include <tamis/operations.hpp>
#include <tamis/operations/arguments.hpp>

#include "python/arguments.hpp"
#include "python/context.hpp"
#include "python/object/sizes.hpp"
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

// granulometry, size_map and thickness by balls and disks.

/// Whether the element of the call is a ball or a disk that grows inside an object.
[[nodiscard]] bool by_balls(const ObjectArguments& arguments);

/// Throws InputError for balls in a 2-D image, and as whole_sides().
[[nodiscard]] SizesResult ball_granulometry_of_array(Call& call, const ObjectArguments& arguments);
struct MeasuredMap {
  ArrayResult map;
  BallSizes balls;
};
[[nodiscard]] MeasuredMap ball_map_of_array(Call& call, const ObjectArguments& arguments, BallMeasure measure,
                                            nb::handle out);

// granulometry(image, grey=True).

/// Throws InputError for keywords that only objects have.
[[nodiscard]] SizesResult grey_granulometry_of_array(Call& call, const ObjectArguments& arguments);

// granulometry(image, element="line@30").

[[nodiscard]] std::string line_name(double angle);

/// Of an object.
[[nodiscard]] SizesResult line_granulometry_of_array(Call& call, const ObjectArguments& arguments);

// What runs on the CPU alone says so in the same words.

/// Throws where the array lies on a GPU, or the call asks for one. `what`: "granulometry by balls".
void require_cpu(const Call& call, nanobind::handle image, const std::string& what);

}  // namespace tamis::python
