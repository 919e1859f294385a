// Elements that are balls, whatever they were called.
#pragma once

#include <cstdint>
#include <optional>

#include <tamis/element.hpp>

namespace tamis::morphology_detail {

/// The square of the radius of a set that holds every offset up to it and no other; nothing for other sets.
[[nodiscard]] std::optional<std::int64_t> square_of_ball(const OffsetSet& set);

}  // namespace tamis::morphology_detail
