#include "median/plan/bucket_tile.hpp"

#include <bit>

namespace tamis::median_detail {
namespace {

int bits_of(std::int64_t n) { return std::bit_width(static_cast<std::uint64_t>(n - 1)); }

std::optional<GpuBucketTile> sized(GpuBucketTile tile, const OffsetBox& box, const Shape& shape) {
  const std::int64_t x = tile.wide + box.high.x - box.low.x;
  const std::int64_t y = tile.tall + box.high.y - box.low.y;
  const std::int64_t z = tile.deep + box.high.z - box.low.z;
  constexpr int most_bits = 32;
  constexpr std::int64_t most_sorted = std::int64_t{1} << 31;  // at once
  if (bits_of(x) + bits_of(y) + bits_of(z) > most_bits || x * y * z > most_sorted) return {};
  tile.seen_x = static_cast<int>(x);
  tile.seen_y = static_cast<int>(y);
  tile.seen_z = static_cast<int>(z);
  tile.x_bits = bits_of(x);
  tile.y_bits = bits_of(y);
  tile.place_bits = tile.x_bits + tile.y_bits + bits_of(z);
  tile.count = x * y * z;
  tile.results = std::int64_t{tile.wide} * tile.tall * tile.deep;
  const auto parts = [](std::int64_t n, std::int64_t part) { return (n + part - 1) / part; };
  tile.across = parts(shape.x, tile.wide);
  tile.down = parts(shape.y, tile.tall);
  tile.far = parts(shape.z, tile.deep);
  return tile;
}

/// Of an H200: a share of the sorting, of the window that a warp begins with and moves, and of the bucket that is
/// searched; and of a dozen launches.
double picoseconds(const GpuBucketTile& tile, const Shape& shape, std::int64_t samples, std::int64_t changes) {
  constexpr double of_launches = 2e8;
  constexpr double of_a_place = 50, of_a_change = 0.8, of_a_result = 55, of_a_member = 0.3;
  const auto count = static_cast<double>(tile.count);
  return of_launches / static_cast<double>(shape.count()) + of_a_place * count / static_cast<double>(tile.results) +
         of_a_change * (static_cast<double>(changes) + static_cast<double>(samples) / tile.tall) + of_a_result +
         of_a_member * count / gpu_buckets;
}

}  // namespace

std::optional<GpuBucketTile> choose_gpu_bucket_tile(const OffsetSet& window, std::int64_t changes, const Shape& shape) {
  constexpr int widest = 512, tallest = 1024, deepest = 64;
  const OffsetBox& box = window.box();
  const bool in_depth = box.low.z != box.high.z;
  std::optional<GpuBucketTile> best;
  // No larger than half of it would do.
  const auto needed = [](int edge, std::int64_t n) { return edge == 1 || edge < 2 * n; };
  for (int deep = 1; deep <= (in_depth ? deepest : 1) && needed(deep, shape.z); deep *= 2) {
    for (int tall = 1; tall <= tallest && needed(tall, shape.y); tall *= 2) {
      for (int wide = 32; wide <= widest && (wide == 32 || needed(wide, shape.x)); wide *= 2) {
        auto tile = sized({.wide = wide, .tall = tall, .deep = deep}, box, shape);
        if (!tile) continue;
        tile->picoseconds = picoseconds(*tile, shape, window.count(), changes);
        if (!best || tile->picoseconds < best->picoseconds) best = tile;
      }
    }
  }
  return best;
}

}  // namespace tamis::median_detail
