#include "median/plan/gpu_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tamis::median_detail {
namespace {

using Run = OffsetSet::Run;

/// What of `run` the window does not have one row farther on (by = 1) or back (by = -1).
void add_uncovered(const std::vector<Run>& runs, const Run& run, std::int64_t by, std::vector<Run>& out) {
  Run rest = run;
  // Runs are in order, so those of a row lie side by side.
  const Offset row{run.start.z, run.start.y + by, std::numeric_limits<std::int64_t>::min()};
  auto next = std::lower_bound(runs.begin(), runs.end(), row,
                               [](const Run& other, const Offset& wanted) { return other.start < wanted; });
  for (; next != runs.end() && next->start.z == row.z && next->start.y == row.y; ++next) {
    const Run& other = *next;
    const std::int64_t end = rest.start.x + rest.length;
    const std::int64_t from = std::max(other.start.x, rest.start.x);
    const std::int64_t to = std::min(other.start.x + other.length, end);
    if (from >= to) continue;
    if (from > rest.start.x) out.push_back({rest.start, from - rest.start.x});
    rest.start.x = to;
    rest.length = end - to;
    if (rest.length == 0) return;
  }
  out.push_back(rest);
}

std::int64_t samples(const std::vector<Run>& runs) {
  std::int64_t sum = 0;
  for (const Run& run : runs) sum += run.length;
  return sum;
}

}  // namespace

std::int64_t WindowEdges::changes() const { return samples(entering) + samples(leaving); }

WindowEdges edges_of(const OffsetSet& window) {
  WindowEdges edges;
  edges.whole = window.runs();
  for (const Run& run : window.runs()) {
    add_uncovered(window.runs(), run, 1, edges.entering);
    add_uncovered(window.runs(), run, -1, edges.leaving);
  }
  return edges;
}

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

namespace {

constexpr int most_threads = 1024;
constexpr std::int64_t most_ordinals = 65535;  // they are kept in 16 bits

int up(int n, int unit) { return (n + unit - 1) / unit * unit; }

std::optional<OrdinalTile> sized(OrdinalTile tile, const OffsetBox& box, int word_bytes) {
  tile.wide = 32 * tile.columns;
  tile.warps = tile.columns * tile.groups * tile.deep;
  const std::int64_t x = tile.wide + box.high.x - box.low.x;
  const std::int64_t y = tile.tall + box.high.y - box.low.y;
  const std::int64_t z = tile.deep + box.high.z - box.low.z;
  if (x > most_ordinals || y > most_ordinals || z > most_ordinals || x * y > most_ordinals ||
      x * y * z > most_ordinals) {
    return {};
  }
  tile.seen_x = static_cast<int>(x);
  tile.seen_y = static_cast<int>(y);
  tile.seen_z = static_cast<int>(z);
  tile.count = static_cast<int>(x * y * z);
  tile.ordered = up(tile.count, words_a_thread);
  tile.set_words = (tile.count + 31) / 32;
  tile.threads = up(std::max(tile.ordered / words_a_thread, 32 * tile.warps), 32);
  if (tile.threads > most_threads) return {};
  constexpr int alignment = 16, ordinal_bytes = 2, read_behind = 4;
  tile.key_bytes = up(tile.count * (word_bytes / 2), alignment);
  tile.table_bytes = tile.key_bytes + up(tile.count * ordinal_bytes + read_behind, alignment);
  // The words while they are put in order, then the sets of the lanes.
  const int work_bytes = std::max(tile.ordered * word_bytes, tile.warps * tile.set_words * 128);
  tile.shared_bytes = static_cast<std::size_t>(tile.table_bytes) + static_cast<std::size_t>(work_bytes);
  return tile;
}

/// Of an H200, from measured times: a tile is put in order, then each warp begins with a whole window and moves it.
/// Where there are few tiles, fewer of them run at once on a multiprocessor.
double picoseconds(const OrdinalTile& tile, const Shape& shape, std::int64_t samples, std::int64_t changes,
                   std::size_t shared_bytes) {
  constexpr double order_clocks = 40000, order_samples = 2000, order_power = 0.45;
  constexpr double least_clocks = 45, clocks_of_a_change = 5.5;
  constexpr std::size_t reserved = 1024;  // of the shared memory of a block
  constexpr int threads_of_processor = 2048, blocks_of_processor = 32;
  constexpr double processors = 132;
  const auto by_memory = static_cast<int>(shared_bytes / (tile.shared_bytes + reserved));
  const double most = std::max(1, std::min({by_memory, threads_of_processor / tile.threads, blocks_of_processor}));
  const auto parts = [](std::int64_t n, int part) { return (n + part - 1) / part; };
  const auto tiles =
      static_cast<double>(parts(shape.x, tile.wide) * parts(shape.y, tile.tall) * parts(shape.z, tile.deep));
  const double blocks = std::clamp(tiles / processors, 1.0, most);
  const double rounds = std::max(1.0, tiles / (processors * blocks));
  const double moved =
      static_cast<double>(samples) + (static_cast<double>(tile.tall) / tile.groups - 1) * static_cast<double>(changes);
  const double order = order_clocks * std::pow(tile.count / order_samples, order_power);
  const double move = moved * std::max(least_clocks, clocks_of_a_change * blocks * tile.warps);
  constexpr double of_a_clock = 570;
  return of_a_clock * rounds * (order + move) / static_cast<double>(shape.count());
}

}  // namespace

std::optional<OrdinalTile> choose_tile(const OffsetSet& window, std::int64_t changes, const Shape& shape,
                                       int word_bytes, std::size_t shared_bytes) {
  std::optional<OrdinalTile> best;
  const bool in_depth = window.box().low.z != window.box().high.z;
  for (const int columns : {1, 2}) {
    for (const int tall : {8, 16, 24, 32, 64}) {
      for (const int groups : {1, 2, 4}) {
        for (const int deep : {1, 2, 4}) {
          if ((deep > 1 && !in_depth) || tall % groups != 0 || (tall > 8 && tall >= 2 * shape.y)) continue;
          auto tile =
              sized({.columns = columns, .tall = tall, .groups = groups, .deep = deep}, window.box(), word_bytes);
          if (!tile || tile->shared_bytes > shared_bytes) continue;
          tile->picoseconds = picoseconds(*tile, shape, window.count(), changes, shared_bytes);
          if (!best || tile->picoseconds < best->picoseconds) best = tile;
        }
      }
    }
  }
  return best;
}

}  // namespace tamis::median_detail
