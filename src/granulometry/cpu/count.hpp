// How many lanes of a size map have each value.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "granulometry/cpu/field.hpp"

namespace tamis::granulometry_detail::cpu {

/// A part of a field, half open along each axis.
struct FieldBox {
  SliceRange z, y, x;
};

/// Adds the number of lanes of each value 1 .. largest in the box to counts[value]; counts[0] becomes 0.
template <class Lane>
void count_values(const Context& context, Field<Lane>& field, const FieldBox& box, std::int64_t* counts, Lane largest);

}  // namespace tamis::granulometry_detail::cpu
