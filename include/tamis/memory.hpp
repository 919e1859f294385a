// The memory limit of a context: work that would need more says so, with the figure, before it starts.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// Bytes of an image in memory (Bool is packed). Shapes that no memory holds count as 2^60.
[[nodiscard]] std::int64_t image_bytes(Type type, const Shape& shape);

/// Throws ResourceError if the context has a memory limit and `bytes` are more. `what` needs them. What takes less
/// than a mebibyte is never refused: a tiny limit only asks for the smallest slabs.
void require_memory(const Context& context, std::string_view what, std::int64_t bytes);

/// The context for work beside which the caller keeps `bytes`: its limit is what they leave.
[[nodiscard]] Context beside(const Context& context, std::int64_t bytes);

}  // namespace tamis
