// The arguments that functions have because they are Python's: arrays, axes, where and how they run.
#pragma once

#include <string_view>
#include <vector>

#include <tamis/operations.hpp>

#include "python/signature.hpp"

namespace tamis::python {

/// Where and how every function runs, in the order of Keywords.
[[nodiscard]] std::vector<Keyword> running_keywords(bool filter);
/// roi, crop, out, batch, channel_axis ...; nullptr for other names.
[[nodiscard]] const Keyword* shared_keyword(std::string_view name);
/// An array that an operation takes.
[[nodiscard]] Keyword array_keyword(const Data& data);

}  // namespace tamis::python
