// One pass of the 2012 scheme on the GPU: a unit erosion or dilation of a grid of packed bits.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "granulometry/plan.hpp"

namespace tamis::boulos::gpu {

/// Rows in device memory are whole quads: 128 bits, one load of a thread. Bits past the end of a row are 0.
constexpr std::int64_t quad_bits = 128;
[[nodiscard]] constexpr std::int64_t quads_of(std::int64_t x) { return (x + quad_bits - 1) / quad_bits; }

/// How a grid is shared out. A thread owns a column: one quad of a row, through the `chunk` slices of a chunk. A block
/// takes `rows` neighbouring rows of a tile `width` quads wide, so that their neighbours are in the L1 cache. Rows of
/// different chunks and batch items follow each other without a gap: threads are not lost where y is small.
struct Tiles {
  int width = 1;   ///< quads
  int across = 1;  ///< tiles that make a row
  int rows = 1;
  int chunk = 1;  ///< slices
  int chunks = 1;
  std::int64_t blocks = 1;
};
constexpr int block_threads = 256;

/// `resident` blocks run at the same time. Chunks as long as they can be while every multiprocessor has work: each
/// chunk reads two slices of its neighbours.
[[nodiscard]] Tiles choose_tiles(const granulometry_detail::Grid& grid, std::int64_t resident);

/// Blocks of a pass that the device holds at once.
[[nodiscard]] std::int64_t resident_blocks(int device);

/// Erode: bits outside count as 0. ErodeNeutral: outside the domain they count as 1.
enum class PassStep : std::uint8_t { Erode, ErodeNeutral, Dilate };
/// What becomes of the result.
enum class PassFinish : std::uint8_t { Store, StoreAndCount, Count, CountAndMap };

struct Pass {
  const uint4* in = nullptr;
  uint4* out = nullptr;
  const uint4* domain = nullptr;       ///< nullptr: the whole grid
  unsigned domain_item = 0;            ///< quads from a batch item to the next, and from a slice to the next;
  unsigned domain_slice = 0;           ///< 0: one serves all
  unsigned long long* ones = nullptr;  ///< what is counted is added here
  std::uint16_t* map = nullptr;        ///< a counter a bit, rows of whole quads; one more where the result is 1
  PassStep step = PassStep::Dilate;
  PassFinish finish = PassFinish::Store;
  bool chessboard = false;
  bool descending = false;  ///< from the last slice to the first; the result is the same
};

/// Queues one pass.
void queue_pass(const cuda::Stream& stream, const granulometry_detail::Grid& grid, const Tiles& tiles,
                const Pass& pass);

/// Queues the copy of dense rows of 64-bit words into rows of quads, cut to the domain's rows (which repeat), and the
/// count of its ones. `domain` and `ones` may be null.
void load_quads(const cuda::Stream& stream, const std::uint64_t* bits, std::int64_t rows, std::int64_t x,
                const uint4* domain, std::int64_t domain_rows, uint4* out, unsigned long long* ones);

/// Queues counters that are 1 where the bit is.
void start_map(const cuda::Stream& stream, const uint4* bits, std::int64_t quads, std::uint16_t* map);

/// Queues dense rows of x samples of 1 or 2 bytes from the counters of rows from `first_row` on.
void narrow_map(const cuda::Stream& stream, const std::uint16_t* map, std::int64_t first_row, std::int64_t rows,
                std::int64_t x, int bytes, void* out);

}  // namespace tamis::boulos::gpu
