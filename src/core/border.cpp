#include "core/border.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>
#include <tamis/operations.hpp>

#include "core/cpu/parallel.hpp"
#include "core/door.hpp"

namespace tamis {

std::string to_string(const Border& border) {
  switch (border.kind) {
    case Border::Kind::Neutral:
      return "neutral";
    case Border::Kind::Reflect:
      return "reflect";
    case Border::Kind::Nearest:
      return "nearest";
    case Border::Kind::Fit:
      return "fit";
    case Border::Kind::Mirror:
      return "mirror";
    case Border::Kind::Wrap:
      return "wrap";
    case Border::Kind::Constant:
      break;
  }
  return fmt::format("constant:{}", border.value);
}

void require_value_of(const Border& border, Type type) {
  door::require_known(border.kind, Border::Kind::Wrap, "border");
  if (border.kind != Border::Kind::Constant) return;
  const auto whole = [&](double lowest, double highest) {
    return border.value >= lowest && border.value <= highest && border.value == std::floor(border.value);
  };
  const bool fits = type == Type::Bool  ? whole(0, 1)
                    : type == Type::U8  ? whole(0, 255)
                    : type == Type::U16 ? whole(0, 65535)
                    : type == Type::I16
                        ? whole(-32768, 32767)
                        // What rounds to a finite f32: people write its ends as NumPy prints them, in eight digits.
                        : std::isinf(border.value) || std::abs(border.value) < 0x1.ffffffp+127;
  if (!fits) {
    throw InputError(
        fmt::format("border {} of a {} image; wanted a value that the type has", to_string(border), name(type)));
  }
}

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

namespace {

/// A displacement that shows the same sample from anywhere on an axis of n samples.
std::int64_t fitted(std::int64_t shift, std::int64_t n, Border::Kind border) {
  const std::int64_t period = period_of(border, n);
  if (period == 0) return std::clamp(shift, -n, n);
  const std::int64_t turn = (shift + period / 2) % period;
  return (turn < 0 ? turn + period : turn) - period / 2;
}

}  // namespace

OffsetSet fitted(OffsetSet set, const Shape& shape, Border::Kind border) {
  const OffsetBox& box = set.box();
  const auto fits = [](std::int64_t low, std::int64_t high, std::int64_t n) { return low >= -n && high < n; };
  if (fits(box.low.z, box.high.z, shape.z) && fits(box.low.y, box.high.y, shape.y) &&
      fits(box.low.x, box.high.x, shape.x)) {
    return set;
  }
  std::vector<OffsetSet::Run> runs;
  for (const OffsetSet::Run& run : set.runs()) {
    const Offset start{fitted(run.start.z, shape.z, border), fitted(run.start.y, shape.y, border),
                       fitted(run.start.x, shape.x, border)};
    const std::int64_t period = period_of(border, shape.x);
    if (period == 0) {
      runs.push_back({start, fitted(run.start.x + run.length - 1, shape.x, border) - start.x + 1});
      continue;
    }
    // One period, which goes on where it begins.
    const std::int64_t begin = -(period / 2);
    const std::int64_t length = std::min(run.length, period);
    const std::int64_t here = std::min(length, begin + period - start.x);
    runs.push_back({start, here});
    runs.push_back({{start.z, start.y, begin}, length - here});
  }
  return OffsetSet(std::move(runs));
}

OffsetSet drawn_near(OffsetSet set, const Shape& shape, Border::Kind border) {
  constexpr std::int64_t most = 1 << 16;
  if (set.count() > most || set.box().count() / 4 <= set.count() + shape.count()) return set;
  const std::int64_t period = period_of(border, shape.x);
  std::map<Offset, std::int64_t> met;
  std::vector<OffsetSet::Run> runs;
  for (const Offset& any : set.offsets()) {
    Offset near{fitted(any.z, shape.z, border), fitted(any.y, shape.y, border), fitted(any.x, shape.x, border)};
    // Offsets that see the same stay apart, each one period or one sample farther out than the one before.
    const std::int64_t out = met[near]++;
    std::int64_t& outside = std::abs(near.x) == shape.x ? near.x : std::abs(near.y) == shape.y ? near.y : near.z;
    if (period > 0) {
      near.x += out * period;
    } else {
      outside += outside < 0 ? -out : out;
    }
    runs.push_back({near, 1});
  }
  return OffsetSet(std::move(runs));
}

}  // namespace tamis
