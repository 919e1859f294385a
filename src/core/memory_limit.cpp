#include <algorithm>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

namespace tamis {

std::int64_t image_bytes(Type type, const Shape& shape) {
  constexpr std::int64_t most = std::int64_t{1} << 60;
  std::int64_t bytes = sample_bytes(type);
  std::int64_t row = (shape.x - 1) / 64 + 1;  // words of bits
  const bool too_many = (type == Type::Bool ? __builtin_mul_overflow(row, std::int64_t{8}, &row)
                                            : __builtin_mul_overflow(shape.x, bytes, &row)) ||
                        __builtin_mul_overflow(row, shape.y, &bytes) || __builtin_mul_overflow(bytes, shape.z, &bytes);
  return too_many ? most : std::min(bytes, most);
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
