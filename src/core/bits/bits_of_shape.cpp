#include "core/bits/bits.hpp"

#include <fmt/format.h>

#include <tamis/error.hpp>

namespace tamis::detail {

void require_bits(const Image& bits, const Shape& shape, std::string_view what) {
  if (bits.empty()) return;
  const Shape& own = bits.shape();
  const bool fits = own.x == shape.x && own.y == shape.y && (own.z == shape.z || own.z == 1);
  if (bits.type() == Type::Bool && fits) return;
  throw InputError(fmt::format("{} of {} {}; wanted bool and {}, or one slice of it", what, to_string(own),
                               name(bits.type()), to_string(shape)));
}

}  // namespace tamis::detail
