#include <fmt/format.h>

#include <tamis/error.hpp>

#include "io/format.hpp"

namespace tamis::io {

void Source::read(std::int64_t z0, std::int64_t count, std::byte* out) {
  if (z0 < 0 || count < 0 || count > layout_.shape.z - z0) {
    throw InputError(fmt::format("{}: got a request for slices {}..{}, wanted slices within 0..{}", path_, z0,
                                 z0 + count - 1, layout_.shape.z - 1));
  }
  if (count > 0) read_slices(z0, count, out);
}

}  // namespace tamis::io
