#include <algorithm>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

namespace tamis {

std::int64_t image_bytes(Type type, const Shape& shape) {
  constexpr std::int64_t most = std::int64_t{1} << 60;
  const bool bits = type == Type::Bool;
  const std::int64_t cells = bits ? shape.x / 64 + (shape.x % 64 > 0 ? 1 : 0) : shape.x;  // words of bits, or samples
  return std::min(capped_product(capped_product(cells, shape.y, shape.z), bits ? 8 : sample_bytes(type), 1), most);
}

void require_memory(const Context& context, std::string_view what, std::int64_t bytes) {
  constexpr std::int64_t never_refused = std::int64_t{1} << 20;
  if (context.memory_bytes == 0 || bytes <= std::max(context.memory_bytes, never_refused)) return;
  throw ResourceError(
      fmt::format("{} MiB of memory needed for {}, the memory limit leaves {} MiB; wanted a higher limit or a part of "
                  "the image",
                  (bytes >> 20) + 1, what, context.memory_bytes >> 20));
}

Context beside(const Context& context, std::int64_t bytes) {
  Context left = context;
  if (left.memory_bytes > 0) left.memory_bytes = std::max<std::int64_t>(left.memory_bytes - bytes, 1);
  return left;
}

}  // namespace tamis
