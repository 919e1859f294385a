#include "median/plan/ordinal_tile.hpp"

#include <algorithm>
#include <cmath>

namespace tamis::median_detail {
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
