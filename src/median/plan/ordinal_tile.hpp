// How an image is cut into tiles whose samples are put in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "median/plan/steps.hpp"

namespace tamis::median_detail {

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

}  // namespace tamis::median_detail
