// granulometry(image, element="line@30").
#pragma once

#include <string>

#include "python/context.hpp"
#include "python/family/object_arguments.hpp"
#include "python/object/sizes.hpp"

namespace tamis::python {

[[nodiscard]] std::string line_name(double angle);

/// Of an object.
[[nodiscard]] SizesResult line_granulometry_of_array(Call& call, const ObjectArguments& arguments);

}  // namespace tamis::python
