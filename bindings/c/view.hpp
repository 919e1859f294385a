// tamis_view: images in memory of the caller, checked and as the library knows them.
#pragma once

#include <string>

#include <tamis/tamis.h>
#include <tamis/image_view.hpp>

namespace tamis::c {

/// A view whose members are possible: a type, a rank, edges, strides that no sum of leaves the address space, a
/// spacing. `what` begins a refusal. Throws InputError.
[[nodiscard]] ConstImageView checked(const tamis_view& view, const std::string& what);

/// The same for one that is written to: its samples may not share places.
[[nodiscard]] ImageView checked_output(const tamis_view& view, const std::string& what);

}  // namespace tamis::c
