#include "core/extended.hpp"

#include <algorithm>
#include <cstring>

#include <tamis/memory.hpp>
#include <tamis/operations.hpp>

#include "core/border.hpp"
#include "core/cpu/parallel.hpp"

namespace tamis {
namespace {

/// A row of samples of `Bytes` each, of which sample x is the one that `from` shows at x + shift.
template <std::int64_t Bytes>
void copy_row(const std::byte* from, std::int64_t n, std::int64_t shift, Border::Kind border, std::byte* to,
              std::int64_t count) {
  const std::int64_t inside = std::clamp<std::int64_t>(-shift, 0, count);
  const std::int64_t behind = std::clamp<std::int64_t>(n - shift, inside, count);
  const auto one = [&](std::int64_t x) {
    std::memcpy(to + x * Bytes, from + seen_at(x + shift, n, border) * Bytes, Bytes);
  };
  for (std::int64_t x = 0; x < inside; ++x) one(x);
  std::memcpy(to + inside * Bytes, from + (inside + shift) * Bytes,
              static_cast<std::size_t>((behind - inside) * Bytes));
  for (std::int64_t x = behind; x < count; ++x) one(x);
}

/// The same of packed bits; those behind the last one are 0.
void copy_bits(const std::uint64_t* from, std::int64_t n, std::int64_t shift, Border::Kind border, std::uint64_t* to,
               std::int64_t count) {
  for (std::int64_t first = 0; first < count; first += 64) {
    const std::int64_t at = first + shift;
    if (at >= 0 && at + 64 <= n && first + 64 <= count) {
      const std::int64_t over = at % 64;
      to[first / 64] = from[at / 64] >> over | (over > 0 ? from[at / 64 + 1] << (64 - over) : 0);
      continue;
    }
    std::uint64_t word = 0;
    for (std::int64_t x = first; x < std::min(first + 64, count); ++x) {
      const std::int64_t seen = seen_at(x + shift, n, border);
      word |= (from[seen / 64] >> (seen % 64) & 1U) << (x - first);
    }
    to[first / 64] = word;
  }
}

/// `to` at p is what `from` shows at p + shift.
void copy_shown(const Context& context, const Image& from, const Offset& shift, Border::Kind border, Image& to) {
  const Shape& own = from.shape();
  const Shape& shape = to.shape();
  const std::int64_t bytes = sample_bytes(to.type());
  parallel_for(context, shape.z * shape.y, [&](std::int64_t row) {
    const std::int64_t z = row / shape.y;
    const std::int64_t y = row % shape.y;
    const std::int64_t from_z = seen_at(z + shift.z, own.z, border);
    const std::int64_t from_y = seen_at(y + shift.y, own.y, border);
    if (to.type() == Type::Bool) {
      copy_bits(from.row<std::uint64_t>(from_z, from_y), own.x, shift.x, border, to.row<std::uint64_t>(z, y), shape.x);
      return;
    }
    const auto* const in = from.row<std::byte>(from_z, from_y);
    auto* const out = to.row<std::byte>(z, y);
    if (bytes == 1) return copy_row<1>(in, own.x, shift.x, border, out, shape.x);
    if (bytes == 2) return copy_row<2>(in, own.x, shift.x, border, out, shape.x);
    copy_row<4>(in, own.x, shift.x, border, out, shape.x);
  });
}

}  // namespace

Extent extent_of(const Shape& image, const OffsetBox& window) {
  const auto before = [](std::int64_t low) { return std::max<std::int64_t>(-low, 0); };
  const auto behind = [](std::int64_t high) { return std::max<std::int64_t>(high, 0); };
  const auto& [low, high] = window;
  Extent extent{image, {before(low.z), before(low.y), before(low.x)}};
  extent.shape.z += extent.origin.z + behind(high.z);
  extent.shape.y += extent.origin.y + behind(high.y);
  extent.shape.x += extent.origin.x + behind(high.x);
  return extent;
}

std::int64_t bytes_laid_out(Type type, const Shape& image, const OffsetBox& window) {
  return 2 * image_bytes(type, extent_of(image, window).shape);
}

Offset reach_under(const Border& border, const Offset& reach) {
  if (border.kind != Border::Kind::Wrap) return reach;
  const auto along = [](std::int64_t n) { return n > 0 ? whole_axis : 0; };
  return {along(reach.z), along(reach.y), along(reach.x)};
}

Image extended(const Context& context, const Image& image, const Extent& extent, Border::Kind border) {
  require_memory(context, "an image with what its border shows, and a result of that",
                 2 * image_bytes(image.type(), extent.shape));
  Image wide(image.type(), extent.shape);
  copy_shown(context, image, -extent.origin, border, wide);
  return wide;
}

void cut_out(const Context& context, const Image& wide, const Extent& extent, Image& out) {
  copy_shown(context, wide, extent.origin, Border::Kind::Nearest, out);
}

}  // namespace tamis
