// The docstring of an operation, in the style of NumPy, from what the operation says of itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tamis/operations.hpp>

#include "python/operation.hpp"
#include "python/signature.hpp"

namespace tamis::python {

/// "the median" as a sentence: "The median."
[[nodiscard]] std::string sentence(std::string_view words);

[[nodiscard]] std::string docstring(const OperationDescription& operation, const std::vector<Keyword>& keywords,
                                    const FunctionFacts& facts);

}  // namespace tamis::python
