// Rows of samples between memory and cells: neighbours that a tile sees, from the image or from beside it.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/cuda/border.cuh"
#include "core/cuda/device_image.hpp"
#include "median/network_lists.cuh"

namespace tamis::median_detail {

struct NetworkTask {
  cuda::DeviceImage from, to;
  int nx = 0, ny = 0, nz = 0;
  int first_slice = 0;  ///< of this launch
  Border::Kind border = Border::Kind::Reflect;
  std::uint32_t outside = 0;
  unsigned* nan = nullptr;  ///< becomes 1 if there is NaN; or null
};

/// Words from memory and back, as wide as they lie aligned.
template <int bytes>
struct Piece;
template <>
struct Piece<4> {
  using type = std::uint32_t;
};
template <>
struct Piece<8> {
  using type = uint2;
};
template <>
struct Piece<16> {
  using type = uint4;
};

/// The greatest of 16, 8 and 4 that divides both.
constexpr int common_piece(int a, int b) {
  int piece = 16;
  while (a % piece != 0 || b % piece != 0) piece /= 2;
  return piece;
}

template <class Sample>
struct CellOf {
  using type = UnsignedCell;
};
template <>
struct CellOf<std::int16_t> {
  using type = SignedCell;
};
template <>
struct CellOf<float> {
  using type = FloatCell;
};

/// A row of samples that a tile of so many columns sees, and `reach` more on both sides. Tiles of samples of 8 and 16
/// bits are two side by side, one in each lane of the cells.
template <class Sample, int columns, int reach>
struct TileRow {
  using Cell = typename CellOf<Sample>::type;
  using Value = typename Cell::Value;
  static constexpr int lanes = sizeof(Sample) == 4 ? 1 : 2;
  static constexpr int samples = columns * lanes;
  static constexpr int side = reach;
  static constexpr int size = static_cast<int>(sizeof(Sample));
  static constexpr int own_bytes = samples * size, side_bytes = reach * size;
  static constexpr int side_piece = common_piece(own_bytes, side_bytes), own_piece = common_piece(own_bytes, own_bytes);
  static constexpr int a_word = 4 / size;  ///< samples
  std::uint32_t words[(own_bytes + 2 * side_bytes) / 4];

  /// `bytes` bytes from `from` on, into the words from `word` on.
  template <int bytes, int piece>
  __device__ __forceinline__ void load_part(const std::byte* from, int word) {
#pragma unroll
    for (int i = 0; i < bytes / piece; ++i) {
      const auto part = __ldg(reinterpret_cast<const typename Piece<piece>::type*>(from) + i);
      memcpy(words + word + i * (piece / 4), &part, piece);
    }
  }
  __device__ __forceinline__ void load(const std::byte* first) {
    load_part<side_bytes, side_piece>(first - side_bytes, 0);
    load_part<own_bytes, own_piece>(first, side_bytes / 4);
    load_part<side_bytes, side_piece>(first + own_bytes, (side_bytes + own_bytes) / 4);
  }
  __device__ __forceinline__ void put(int i, Sample sample) {
    std::uint32_t bits = 0;
    memcpy(&bits, &sample, sizeof(Sample));
    words[i / a_word] |= bits << (8 * size * (i % a_word));
  }
  /// Sample c of those loaded, and in the other lane sample c + columns.
  [[nodiscard]] __device__ __forceinline__ Value cell(int c) const {
    const int other = c + columns;
    const unsigned place = c % a_word, other_place = other % a_word;
    if constexpr (size == 4) {
      return __uint_as_float(words[c]);
    } else if constexpr (size == 2) {
      return __byte_perm(words[c / 2], words[other / 2], 0x0010U + place * 0x0022U + 0x5400U + other_place * 0x2200U);
    } else {
      return __byte_perm(words[c / 4], words[other / 4], place * 0x0011U + (other_place + 4) * 0x1100U);
    }
  }
  static __device__ __forceinline__ void store(std::byte* first, const Value (&cells)[columns]) {
    std::uint32_t out[own_bytes / 4];
#pragma unroll
    for (int i = 0; i < columns; i += 2) {
      if constexpr (size == 4) {
        out[i] = __float_as_uint(cells[i]);
        out[i + 1] = __float_as_uint(cells[i + 1]);
      } else if constexpr (size == 2) {
        out[i / 2] = __byte_perm(cells[i], cells[i + 1], 0x5410);
        out[(columns + i) / 2] = __byte_perm(cells[i], cells[i + 1], 0x7632);
      } else if (i % 4 == 0) {
        const std::uint32_t a = __byte_perm(cells[i], cells[i + 1], 0x7351);
        const std::uint32_t b = __byte_perm(cells[i + 2], cells[i + 3], 0x7351);
        out[i / 4] = __byte_perm(a, b, 0x5410);
        out[(columns + i) / 4] = __byte_perm(a, b, 0x7632);
      }
    }
#pragma unroll
    for (int i = 0; i < own_bytes / own_piece; ++i) {
      typename Piece<own_piece>::type part;
      memcpy(&part, out + i * (own_piece / 4), own_piece);
      reinterpret_cast<typename Piece<own_piece>::type*>(first)[i] = part;
    }
  }
};

/// The row at z, y from sample x0 - reach on.
template <class Sample, int columns, int reach>
__device__ __forceinline__ void load_row(TileRow<Sample, columns, reach>& row, const NetworkTask& task, int z, int y,
                                         int x0) {
  constexpr int wide = TileRow<Sample, columns, reach>::samples;
  z = cuda::seen_at(z, task.nz, task.border);
  y = cuda::seen_at(y, task.ny, task.border);
  const std::byte* const samples = task.from.data + z * task.from.slice + y * task.from.pitch;
  if (z >= 0 && y >= 0 && x0 >= reach && x0 + wide + reach <= task.nx) {
    return row.load(samples + static_cast<std::int64_t>(x0) * static_cast<int>(sizeof(Sample)));
  }
#pragma unroll
  for (auto& word : row.words) word = 0;
  Sample outside;
  memcpy(&outside, &task.outside, sizeof(Sample));
#pragma unroll
  for (int i = 0; i < wide + 2 * reach; ++i) {
    const int x = cuda::seen_at(x0 - reach + i, task.nx, task.border);
    const bool is_sample = z >= 0 && y >= 0 && x >= 0;
    row.put(i, is_sample ? reinterpret_cast<const Sample*>(samples)[x] : outside);
  }
}

/// Which tile a thread has. Tiles whose rows reach beside the image take much longer to load: warps of them go down the
/// image, so that no other waits for them.
struct TileGrid {
  static constexpr int warps = 4;             ///< of a block, one above the other
  int first_inner = 0, inner = 0, edges = 0;  ///< tiles across that see no side, and others
  int inner_blocks = 0, across = 0, down = 0;

  template <class Row>
  static TileGrid of(int nx, int ny) {
    constexpr int wide = Row::samples;
    const auto parts = [](int n, int part) { return (n + part - 1) / part; };
    TileGrid grid;
    grid.first_inner = parts(Row::side, wide);
    const int first_right = (nx - Row::side) / wide;  // tiles from this one on see the right side
    grid.inner = first_right > grid.first_inner ? first_right - grid.first_inner : 0;
    grid.edges = parts(nx, wide) - grid.inner;
    grid.inner_blocks = parts(grid.inner, 32);
    grid.across = grid.inner_blocks + parts(grid.edges, 32);
    // Of 32 blocks above each other each has one edge tile, of the rows of all.
    grid.down = parts(parts(ny, 2 * warps), 32) * 32;
    return grid;
  }

  struct Place {
    int tile = 0, y = 0;
    bool any = false;
  };
  [[nodiscard]] __device__ __forceinline__ Place place(int ny) const {
    const int block_x = static_cast<int>(blockIdx.x) % across, block_y = static_cast<int>(blockIdx.x) / across;
    const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
    if (block_x < inner_blocks) {
      const int i = block_x * 32 + lane, y = (block_y * warps + warp) * 2;
      return {first_inner + i, y, i < inner && y < ny};
    }
    const int edge = (block_x - inner_blocks) * 32 + block_y % 32;
    const int y = ((block_y / 32 * 32 + lane) * warps + warp) * 2;
    return {edge < first_inner ? edge : inner + edge, y, edge < edges && y < ny};
  }
};

}  // namespace tamis::median_detail
