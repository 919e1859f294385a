// How windows and images are cut for the GPU: what moves with a window's row, tiles, and strips of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/element.hpp>
#include <tamis/image.hpp>

#include "median/plan/steps.hpp"

namespace tamis::median_detail {

// A window that moves along y by one row: the runs of samples that come into it and those that leave it.

/// Runs by the origin's row after the move (entering), before it (leaving).
struct WindowEdges {
  std::vector<OffsetSet::Run> whole, entering, leaving;

  /// Samples that change with a row, entering and leaving.
  [[nodiscard]] std::int64_t changes() const;
};
[[nodiscard]] WindowEdges edges_of(const OffsetSet& window);

inline constexpr int gpu_buckets = 256;

/// Results of a tile and what they see. A place is a number of 32 bits: the bits of its coordinates side by side.
struct GpuBucketTile {
  int wide = 32, tall = 1, deep = 1;  ///< results; whole warps side by side
  int seen_x = 0, seen_y = 0, seen_z = 0;
  int x_bits = 0, y_bits = 0, place_bits = 0;
  std::int64_t count = 0;  ///< samples seen
  std::int64_t results = 0;
  std::int64_t across = 1, down = 1, far = 1;  ///< tiles
  double picoseconds = 0;                      ///< for a result, about

#ifdef __CUDACC__
  [[nodiscard]] __device__ std::uint32_t place(std::uint32_t z, std::uint32_t y, std::uint32_t x) const {
    return (z << y_bits | y) << x_bits | x;
  }
#endif
  [[nodiscard]] std::int64_t tiles() const { return across * down * far; }
};

/// The tile that is expected to be fastest; nothing where a window alone has more places than 32 bits, or 2^31 samples.
/// `changes`: samples that enter and leave a window with a row.
[[nodiscard]] std::optional<GpuBucketTile> choose_gpu_bucket_tile(const OffsetSet& window, std::int64_t changes,
                                                                  const Shape& shape);

// How an image is cut into tiles whose samples are put in order.

/// Samples that a thread orders.
inline constexpr int words_a_thread = 15;

/// Results of a tile, who makes them, and what they see.
struct OrdinalTile {
  int columns = 1;  ///< warps side by side, of 32 results each
  int tall = 32;    ///< rows of results
  int groups = 1;   ///< warps that share the rows
  int deep = 1;     ///< slices of results
  int wide = 32;    ///< results of a row
  int warps = 1;    ///< that have results
  int seen_x = 0, seen_y = 0, seen_z = 0;
  int count = 0;      ///< samples seen
  int ordered = 0;    ///< the same rounded up to whole threads
  int set_words = 0;  ///< of the set of one lane
  int threads = 0;
  int key_bytes = 0;    ///< shared memory of the keys in order
  int table_bytes = 0;  ///< of them and the ordinals
  std::size_t shared_bytes = 0;
  double picoseconds = 0;  ///< for a result, about
};

/// The tile that is expected to be fastest; nothing if none fits into `shared_bytes` of a block and a multiprocessor.
/// `changes`: samples that enter and leave a window with a row. `word_bytes`: 4 for keys of 16 bits, else 8.
[[nodiscard]] std::optional<OrdinalTile> choose_tile(const OffsetSet& window, std::int64_t changes, const Shape& shape,
                                                     int word_bytes, std::size_t shared_bytes);

// Strips of rows that windows move down on the GPU: tall ones begin seldom, many of them fill the device.

/// Rows of a strip. A strip begins with all samples of a window, and moves a row on by `changes` of them; `columns`
/// strips stand beside and behind each other.
[[nodiscard]] inline int strip_rows(std::int64_t ny, std::int64_t columns, std::int64_t samples, std::int64_t changes) {
  constexpr std::int64_t wanted = 6000;  // warps: three rounds of what an H200 holds
  constexpr std::int64_t least = 8, most = 2048;
  const std::int64_t strips = std::max<std::int64_t>(1, wanted / std::max<std::int64_t>(1, columns));
  // Where there are few columns strips get short, but not so short that beginning takes longer than moving.
  const std::int64_t worth = std::clamp(samples / std::max<std::int64_t>(1, changes), least, most);
  constexpr std::int64_t most_strips = 65535;  // of a launch
  const std::int64_t rows =
      std::max(std::clamp((ny + strips - 1) / strips, std::min(worth, ny), std::min(most, ny)), ny / most_strips + 1);
  const std::int64_t count = (ny + rows - 1) / rows;
  return static_cast<int>((ny + count - 1) / count);
}

}  // namespace tamis::median_detail
