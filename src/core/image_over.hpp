// Images over memory of someone else.
#pragma once

#include <cstddef>

#include <tamis/image.hpp>

namespace tamis {

/// Over dense samples that have to outlive it; not for Bool. For filters only that read and write nothing behind the
/// last sample: images of the library's own have room there.
[[nodiscard]] Image image_over(std::byte* samples, Type type, const Shape& shape);

}  // namespace tamis
