// Rows of samples between memory and cells: neighbours that a tile sees, from the image or from beside it.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/gpu/border.cuh"
#include "core/gpu/device_image.hpp"
#include "median/gpu/network/lists.cuh"

namespace tamis::median_detail::gpu {

struct NetworkTask {
  cuda::DeviceImage from, to;
  int nx = 0, ny = 0, nz = 0;
  int first_slice = 0;  ///< of this launch
  Border::Kind border = Border::Kind::Reflect;
  std::uint32_t outside = 0;
  int rank = 0;             ///< of kernels for any
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

/// Four samples side by side, at an address that is a multiple of their bytes.
template <class Sample>
struct Quad {
  static constexpr int count = 4, size = static_cast<int>(sizeof(Sample));
  std::uint32_t words[size];

  static __device__ __forceinline__ Quad at(const Sample* samples) {
    const auto whole = __ldg(reinterpret_cast<const typename Piece<count * size>::type*>(samples));
    Quad quad;
    memcpy(quad.words, &whole, count * size);
    return quad;
  }
  static __device__ __forceinline__ Quad of(Sample sample) {
    std::uint32_t bits = 0;
    memcpy(&bits, &sample, size);
    Quad quad;
#pragma unroll
    for (auto& word : quad.words) word = size == 1 ? bits * 0x01010101U : size == 2 ? bits * 0x00010001U : bits;
    return quad;
  }
  /// The first goes, the others move up.
  __device__ __forceinline__ void push(Sample sample) {
    std::uint32_t last = 0;
    memcpy(&last, &sample, size);
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const std::uint32_t next = i + 1 < size ? words[i + 1] : last;
      words[i] = size == 4 ? next : __funnelshift_r(words[i], next, 8 * size);
    }
  }
  [[nodiscard]] __device__ __forceinline__ Quad turned() const {
    Quad quad;
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const std::uint32_t word = words[size - 1 - i];
      quad.words[i] = size == 1 ? __byte_perm(word, 0, 0x0123) : size == 2 ? __byte_perm(word, 0, 0x1032) : word;
    }
    return quad;
  }
};

/// Those from x on, a multiple of 4, of a row of the image, which shows beside it what the border says. What is a
/// mirror image of others that lie as well is loaded as they are.
template <class Sample>
__device__ __forceinline__ Quad<Sample> quad_at(const NetworkTask& task, const Sample* row, int x, Sample outside) {
  using Four = Quad<Sample>;
  constexpr int count = Four::count;
  if (x >= 0 && x + count <= task.nx) return Four::at(row + x);
  if (x < 0 || x >= task.nx) {
    if (task.border == Border::Kind::Constant) return Four::of(outside);
    if (task.border == Border::Kind::Nearest) return Four::of(row[x < 0 ? 0 : task.nx - 1]);
    const int turn = x < 0 ? -x - count : task.nx - x + task.nx - count;
    if (turn >= 0 && turn + count <= task.nx && turn % count == 0) return Four::at(row + turn).turned();
  }
  // A loop that is not unrolled: images whose rows end within four samples are few, and it would be most of the code.
  Four quad{};
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const int from = cuda::seen_at(x + i, task.nx, task.border);
    quad.push(from >= 0 ? row[from] : outside);
  }
  return quad;
}

/// A row of the image from sample x0 - reach on, where some of it lies beside the image; or a row that is not there.
template <class Sample, int columns, int reach>
__device__ __forceinline__ void load_beside(TileRow<Sample, columns, reach>& row, const NetworkTask& task,
                                            const Sample* samples, bool is_row, int x0) {
  using Four = Quad<Sample>;
  constexpr int wide = TileRow<Sample, columns, reach>::samples;
  static_assert(wide % Four::count == 0 && reach % Four::count == 0);
  Sample outside;
  memcpy(&outside, &task.outside, sizeof(Sample));
#pragma unroll
  for (int i = 0; i < wide + 2 * reach; i += Four::count) {
    const Four quad = is_row ? quad_at(task, samples, x0 - reach + i, outside) : Four::of(outside);
    memcpy(row.words + i * Four::size / 4, quad.words, sizeof(quad.words));
  }
}

/// rows[r][d] is that at y + r and z + d, from sample x0 - reach on. `beside`: some of it lies beside the image. It is
/// asked once, so that all loads of a tile are on their way before the first is waited for.
template <class Sample, int columns, int reach, int tall, int deep>
__device__ __forceinline__ void load_rows(TileRow<Sample, columns, reach> (&rows)[tall][deep], const NetworkTask& task,
                                          bool beside, int z, int y, int x0) {
  int from_y[tall], from_z[deep];
#pragma unroll
  for (int r = 0; r < tall; ++r) beside |= (from_y[r] = cuda::seen_at(y + r, task.ny, task.border)) < 0;
#pragma unroll
  for (int d = 0; d < deep; ++d) beside |= (from_z[d] = cuda::seen_at(z + d, task.nz, task.border)) < 0;
  const auto row_at = [&](int r, int d) {
    return task.from.data + from_z[d] * task.from.slice + from_y[r] * task.from.pitch;
  };
  if (!beside) {
#pragma unroll
    for (int r = 0; r < tall; ++r) {
#pragma unroll
      for (int d = 0; d < deep; ++d) {
        rows[r][d].load(row_at(r, d) + static_cast<std::int64_t>(x0) * static_cast<int>(sizeof(Sample)));
      }
    }
    return;
  }
#pragma unroll
  for (int r = 0; r < tall; ++r) {
#pragma unroll
    for (int d = 0; d < deep; ++d) {
      const bool is_row = from_y[r] >= 0 && from_z[d] >= 0;
      load_beside(rows[r][d], task, reinterpret_cast<const Sample*>(row_at(r, d)), is_row, x0);
    }
  }
}

/// Which tile a thread has. Tiles whose rows reach beside the image take longer to load: warps of them go down the
/// image, so that no other waits for them, and their blocks begin first.
struct TileGrid {
  static constexpr int warps = 4;             ///< of a block, one above the other
  int first_inner = 0, inner = 0, edges = 0;  ///< tiles across that see no side, and others
  int across = 0;                             ///< blocks of inner tiles side by side
  int edge_blocks = 0, edge_down = 0;         ///< of all edges, and of one
  int edge_lanes = 32;                        ///< of a warp
  int blocks = 0;

  static TileGrid of(int nx, int ny, int nz, int wide, int side) {
    const auto parts = [](int n, int part) { return (n + part - 1) / part; };
    TileGrid grid;
    grid.first_inner = parts(side, wide);
    const int first_right = (nx - side) / wide;  // tiles from this one on see the right side
    grid.inner = first_right > grid.first_inner ? first_right - grid.first_inner : 0;
    grid.edges = parts(nx, wide) - grid.inner;
    grid.across = parts(grid.inner, 32);
    // Lanes of an edge read from as many rows, one after the other. Where all warps run at once everything waits for
    // them, so they get few.
    constexpr std::int64_t at_once = std::int64_t{132} * 32 * 32;  // threads, half of what an H200 holds
    if (std::int64_t{parts(nx, wide)} * parts(ny, 2) * nz <= at_once) grid.edge_lanes = 8;
    grid.edge_down = parts(ny, 2 * warps * grid.edge_lanes);
    grid.edge_blocks = grid.edges * grid.edge_down;
    grid.blocks = grid.edge_blocks + grid.across * parts(ny, 2 * warps);
    return grid;
  }

  struct Place {
    int tile = 0, y = 0;
    bool beside = false;  ///< its rows reach beside the image
    bool any = false;
  };
  [[nodiscard]] __device__ __forceinline__ Place place(int ny) const {
    const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
    const int block = static_cast<int>(blockIdx.x) - edge_blocks;
    if (block >= 0) {
      const int i = block % across * 32 + lane, y = (block / across * warps + warp) * 2;
      return {first_inner + i, y, false, i < inner && y < ny};
    }
    const int edge = static_cast<int>(blockIdx.x) / edge_down, down = static_cast<int>(blockIdx.x) % edge_down;
    const int y = ((down * warps + warp) * edge_lanes + lane) * 2;
    return {edge < first_inner ? edge : inner + edge, y, true, lane < edge_lanes && y < ny};
  }
};

// The networks of each type of sample, compiled in files of their own, because they take long.

/// A kernel, and the tiles that its threads make.
struct NetworkKernel {
  void (*kernel)(NetworkTask, TileGrid) = nullptr;
  int wide = 0;  ///< results of a row of a tile
  int side = 0;  ///< samples on both sides that are loaded with them
};

/// Medians of squares of 3, 5, 7 and 9; depth 3: of the cube of 3.
template <class Sample>
[[nodiscard]] NetworkKernel square_network(int edge, int depth);
/// Any rank of squares of 2 ... 7; depth 3: of the cube of 3.
template <class Sample>
[[nodiscard]] NetworkKernel rank_network(int edge, int depth);
/// Medians of rows (columns) of 3, 5 ... 15 samples.
template <class Sample>
[[nodiscard]] NetworkKernel line_network(int length, bool along_x);

}  // namespace tamis::median_detail::gpu
