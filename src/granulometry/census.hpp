// What is asked of an object and its domain, and what their bits say, before anything is opened.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis::granulometry_detail {

/// Throws InputError for an object that is not Bool, or a domain that does not go with it.
void require_object(const Image& object, const Image& domain);

/// What the bits say before anything is opened.
struct Census {
  std::int64_t object = 0;
  std::int64_t domain = 0;
  std::int64_t border = 0;   ///< object in the outermost layer of the domain
  std::int64_t outside = 0;  ///< object outside the domain
};

/// Throws InputError for an object with samples outside the domain.
Census take_census(const Context& context, const Image& object, const Image& domain, bool z_is_axis);

}  // namespace tamis::granulometry_detail
