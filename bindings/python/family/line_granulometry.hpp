// granulometry(image, element="line@30").
#pragma once

#include <optional>
#include <string>

#include "python/context.hpp"
#include "python/family/gpu_operations.hpp"
#include "python/object/sizes.hpp"

namespace tamis::python {

/// The angle of a text "line@A"; nothing for other elements.
[[nodiscard]] std::optional<double> line_angle_of(nb::handle element);
[[nodiscard]] std::string line_name(double angle);
/// Throws InputError where a GPU is asked for.
void require_cpu(const Call& call);

/// Of an object.
[[nodiscard]] SizesResult line_granulometry_of_array(Call& call, const ObjectArguments& arguments);

}  // namespace tamis::python
