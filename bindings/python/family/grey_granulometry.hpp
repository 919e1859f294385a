// granulometry(image, grey=True).
#pragma once

#include "python/context.hpp"
#include "python/family/object_arguments.hpp"
#include "python/object/sizes.hpp"

namespace tamis::python {

/// Throws InputError for keywords that only objects have.
[[nodiscard]] SizesResult grey_granulometry_of_array(Call& call, const ObjectArguments& arguments);

}  // namespace tamis::python
