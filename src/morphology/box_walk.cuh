// A warp walks down a strip of the image, one row after the other, and nothing of it waits for another warp.
//
// A lane holds `words` neighbouring words of the row. Along x extrema of 2, 4, 8 ... samples come from the row and the
// row moved to the left, in registers and by shuffles; the last step takes two of them that overlap. Along y the method
// of van Herk: of each block of `height` rows the extrema from the block's beginning to here (in registers) and from
// here to its end (in shared memory, where each lane sees only its own words).
#pragma once

#include <algorithm>

#include "morphology/box_cuda.hpp"
#include "morphology/samples_cuda.cuh"

namespace tamis::morphology_detail {
namespace box_walk {

constexpr unsigned whole_warp = ~0U;
/// Rows that are computed together, so that one's instructions fill the other's waits.
template <int words>
constexpr int at_once = words < 16 ? 2 : 1;
/// These, and the rows on their way from memory.
template <int words>
constexpr int ahead = 6;
constexpr int piece_bytes = 16;

/// Rows begin ... end-1 of an image lie in memory, the first one at its beginning.
struct RowRange {
  std::int64_t begin = 0, end = 0;
};

struct Walk {
  BoxTask task;
  RowRange read, write;  ///< of `from`, and of `to`
  int strips = 0;
  int chunk = 0;  ///< rows of the result that a warp makes
  int chunks = 0;
  int own_bytes = 0;    ///< of a strip, from its first one on
  int moved = 0;        ///< bytes from the first sample loaded to the first one needed
  int width_bytes = 0;  ///< of the window
  int height = 0;       ///< rows of the window, `stride` apart
  int stride = 1;
  double constant = 0;
};

template <int words>
struct Row {
  std::uint32_t word[words];
};

template <class T, Order order, int words>
__device__ __forceinline__ Row<words> extremum(const Row<words>& a, const Row<words>& b) {
  Row<words> result;
#pragma unroll
  for (int i = 0; i < words; ++i) result.word[i] = extremum_of_words<T, order>(a.word[i], b.word[i]);
  return result;
}

/// The row from byte 4 * (lanes * words + skip) + bytes on; skip < words, bytes < 4.
template <int words, int skip>
__device__ __forceinline__ Row<words> moved(const Row<words>& row, int lanes, int bytes) {
  std::uint32_t from[words + 1];
#pragma unroll
  for (int i = 0; i <= words; ++i) {
    const int at = i + skip;
    from[i] = __shfl_down_sync(whole_warp, row.word[at % words], lanes + at / words);
  }
  Row<words> result;
#pragma unroll
  for (int i = 0; i < words; ++i) {
    result.word[i] = __funnelshift_r(from[i], from[i + 1], static_cast<unsigned>(8 * bytes));
  }
  return result;
}

/// The same by a distance that is known now.
template <int words, int distance>
__device__ __forceinline__ Row<words> moved_by(const Row<words>& row) {
  constexpr int bytes = distance % 4;
  constexpr int skip = distance / 4 % words;
  constexpr int lanes = distance / 4 / words;
  std::uint32_t from[words + 1];
#pragma unroll
  for (int i = 0; i <= words; ++i) {
    if (i == words && bytes == 0) continue;
    const int at = i + skip;
    const int lane = lanes + at / words;
    from[i] = lane == 0 ? row.word[at % words] : __shfl_down_sync(whole_warp, row.word[at % words], lane);
  }
  Row<words> result;
#pragma unroll
  for (int i = 0; i < words; ++i) {
    result.word[i] = bytes == 0 ? from[i] : __funnelshift_r(from[i], from[i + 1], 8U * bytes);
  }
  return result;
}

/// By any distance.
template <int words, int skip = 0>
__device__ __forceinline__ void move_by(Row<words> (&row)[at_once<words>], int distance) {
  if constexpr (skip + 1 < words) {
    if (distance / 4 % words != skip) return move_by<words, skip + 1>(row, distance);
  }
#pragma unroll
  for (Row<words>& one : row) one = moved<words, skip>(one, distance / 4 / words, distance % 4);
}

/// Doubles the bytes that rows hold extrema over, from `have` on, while they fit into `width`. Returns their number.
template <class T, Order order, int words, int have = static_cast<int>(sizeof(T))>
__device__ __forceinline__ int double_up(Row<words> (&row)[at_once<words>], int width) {
  if constexpr (2 * have <= 32 * 4 * words) {
    if (width >= 2 * have) {
#pragma unroll
      for (Row<words>& one : row) one = extremum<T, order>(one, moved_by<words, have>(one));
      return double_up<T, order, words, 2 * have>(row, width);
    }
  }
  return have;
}

/// Replaces rows by their extrema over `width` bytes, of what lies `first` bytes ahead.
template <class T, Order order, int words>
__device__ __forceinline__ void along_rows(Row<words> (&row)[at_once<words>], int width, int first) {
  const int have = double_up<T, order>(row, width);
  Row<words> begin[at_once<words>];
#pragma unroll
  for (int i = 0; i < at_once<words>; ++i) begin[i] = row[i];
  if (first != 0) move_by(begin, first);
  if (width != have) {
    move_by(row, first + width - have);
#pragma unroll
    for (int i = 0; i < at_once<words>; ++i) row[i] = extremum<T, order>(begin[i], row[i]);
    return;
  }
#pragma unroll
  for (int i = 0; i < at_once<words>; ++i) row[i] = begin[i];
}

/// Rows in shared memory, of which each lane sees its own words.
template <int words>
struct Slot {
  std::uint32_t word[words * 32];

  __device__ __forceinline__ Row<words> read(int lane) const {
    Row<words> row;
    if constexpr (words < 4) {
#pragma unroll
      for (int i = 0; i < words; ++i) row.word[i] = word[i * 32 + lane];
    } else {
#pragma unroll
      for (int i = 0; i < words / 4; ++i) {
        const uint4 piece = reinterpret_cast<const uint4*>(word)[i * 32 + lane];
        row.word[4 * i] = piece.x;
        row.word[4 * i + 1] = piece.y;
        row.word[4 * i + 2] = piece.z;
        row.word[4 * i + 3] = piece.w;
      }
    }
    return row;
  }
  __device__ __forceinline__ void write(int lane, const Row<words>& row) {
    if constexpr (words < 4) {
#pragma unroll
      for (int i = 0; i < words; ++i) word[i * 32 + lane] = row.word[i];
    } else {
#pragma unroll
      for (int i = 0; i < words / 4; ++i) {
        reinterpret_cast<uint4*>(word)[i * 32 + lane] =
            make_uint4(row.word[4 * i], row.word[4 * i + 1], row.word[4 * i + 2], row.word[4 * i + 3]);
      }
    }
  }
  /// Where a byte of the lane's words lies.
  __device__ __forceinline__ std::byte* at(int lane, int byte) {
    if constexpr (words < 4) {
      return reinterpret_cast<std::byte*>(word) + (byte / 4 * 32 + lane) * 4 + byte % 4;
    } else {
      return reinterpret_cast<std::byte*>(word) + (byte / 16 * 32 + lane) * 16 + byte % 16;
    }
  }
};

/// Starts the copy of a piece (4 or 16 bytes) to shared memory; what lies behind the first `bytes` is of no use then.
template <int piece>
__device__ __forceinline__ void copy_ahead(std::byte* to, const std::byte* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (piece == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
  }
#else
  if (bytes == 0) return;
  using Piece = std::conditional_t<piece == 16, uint4, std::uint32_t>;
  *reinterpret_cast<Piece*>(to) = *reinterpret_cast<const Piece*>(from);
#endif
}
__device__ __forceinline__ void end_of_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int left>
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
#endif
}

/// Where a warp is in the image, and what its lane does there. No branch may depend on the lane: after one the compiler
/// takes the lanes for apart, and every shuffle becomes slow.
struct Place {
  std::int64_t y;          ///< first row of the result; the next ones are a stride apart
  int rows;                ///< of the result
  std::int64_t read_byte;  ///< of the lane's words in a row that it reads; may lie outside
  int inside;              ///< how many of their bytes lie in the row
  bool edge;               ///< of the strip: not all do
  int own;                 ///< how many bytes of the lane's words are part of the result
  const std::byte* from;   ///< row 0 of the slice
  std::byte* to;           ///< the lane's words in row 0 of the slice

  __device__ Place(const Walk& walk, int lane, int lane_bytes, int sample) {
    const BoxTask& task = walk.task;
    const std::int64_t row_bytes = task.nx * sample;
    auto index = static_cast<int>(blockIdx.x);
    const std::int64_t strip = index % walk.strips;
    index /= walk.strips;
    y = walk.write.begin + std::int64_t{index % walk.chunks} * walk.chunk * walk.stride;
    index /= walk.chunks;
    y += index % walk.stride;
    const std::int64_t z = index / walk.stride;
    rows = static_cast<int>(min(std::int64_t{walk.chunk}, (walk.write.end - y + walk.stride - 1) / walk.stride));
    const std::int64_t first_byte = strip * walk.own_bytes + task.low_x * sample - walk.moved;
    edge = first_byte < 0 || first_byte + 32 * lane_bytes > row_bytes;
    read_byte = first_byte + lane * lane_bytes;
    // Rows begin at a multiple of what a lane reads: at their beginning its words are all inside, or none is.
    inside = read_byte < 0
                 ? 0
                 : static_cast<int>(max(min(row_bytes - read_byte, std::int64_t{lane_bytes}), std::int64_t{0}));
    const std::int64_t own_byte = strip * walk.own_bytes + lane * lane_bytes;
    own = lane * lane_bytes < walk.own_bytes
              ? static_cast<int>(max(min(row_bytes - own_byte, std::int64_t{lane_bytes}), std::int64_t{0}))
              : 0;
    from = task.from.data + z * task.from.slice - walk.read.begin * task.from.pitch;
    to = task.to.data + z * task.to.slice - walk.write.begin * task.to.pitch + own_byte;
  }
};

/// The words of a row in which every sample is `value`.
template <class T>
__device__ __forceinline__ std::uint32_t filled(T value) {
  std::uint32_t word = 0;
  memcpy(&word, &value, sizeof(T));
  if (sizeof(T) == 1) word *= 0x01010101U;
  if (sizeof(T) == 2) word *= 0x00010001U;
  return word;
}

/// Sample by sample, for edges that show samples of the image. Not inlined: the usual way stays short.
template <class T, int words>
__device__ __noinline__ void gather(Slot<words>& slot, const Walk& walk, const std::byte* source,
                                    std::int64_t read_byte, int lane) {
  constexpr auto size = static_cast<int>(sizeof(T));
  const std::int64_t first = read_byte >= 0 ? read_byte / size : -(-read_byte / size);
#pragma unroll 1
  for (int i = 0; i < 4 * words / size; ++i) {
    const std::int64_t x = seen_at(first + i, walk.task.nx, walk.task.border.kind);
    *reinterpret_cast<T*>(slot.at(lane, i * size)) = reinterpret_cast<const T*>(source)[x];
  }
}

/// Brings the lane's words of a row into a slot; of a row that is not there, nothing.
template <class T, int words, bool shows_samples>
__device__ __forceinline__ void fetch(Slot<words>& slot, const Walk& walk, const Place& place, std::int64_t y,
                                      int lane) {
  constexpr int piece = words < 4 ? 4 : piece_bytes;
  const BoxTask& task = walk.task;
  if constexpr (shows_samples) {
    y = seen_at(y, task.ny, task.border.kind);
    if (place.edge) return gather<T>(slot, walk, place.from + y * task.from.pitch, place.read_byte, lane);
  } else {
    if (y < walk.read.begin || y >= walk.read.end) return;
  }
  const std::byte* const source = place.from + y * task.from.pitch;
#pragma unroll
  for (int at = 0; at < 4 * words; at += piece) {
    const int bytes = max(0, min(piece, place.inside - at));
    copy_ahead<piece>(slot.at(lane, at), bytes > 0 ? source + place.read_byte + at : source, bytes);
  }
}

/// The row that arrived, with what the border shows.
template <int words, bool shows_samples>
__device__ __forceinline__ Row<words> receive(const Slot<words>& slot, const Walk& walk, const Place& place,
                                              std::int64_t y, int lane, std::uint32_t outside) {
  Row<words> row = slot.read(lane);
  if constexpr (shows_samples) return row;
  if (y < walk.read.begin || y >= walk.read.end) {
#pragma unroll
    for (int i = 0; i < words; ++i) row.word[i] = outside;
  } else if (place.edge) {
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const int bytes = max(0, min(4, place.inside - 4 * i));
      const std::uint32_t keep = static_cast<std::uint32_t>((std::uint64_t{1} << (8 * bytes)) - 1);
      row.word[i] = (row.word[i] & keep) | (outside & ~keep);
    }
  }
  return row;
}

/// Stores the lane's own words of a row of the result, with the padding behind the row.
template <int words>
__device__ __forceinline__ void store(const Walk& walk, const Place& place, std::int64_t y, const Row<words>& row) {
  std::byte* const to = place.to + y * walk.task.to.pitch;
  if constexpr (words < 4) {
#pragma unroll
    for (int i = 0; i < words; ++i) {
      if (4 * i < place.own) reinterpret_cast<std::uint32_t*>(to)[i] = row.word[i];
    }
  } else {
#pragma unroll
    for (int i = 0; i < words / 4; ++i) {
      const uint4 piece = make_uint4(row.word[4 * i], row.word[4 * i + 1], row.word[4 * i + 2], row.word[4 * i + 3]);
      if (piece_bytes * i < place.own) reinterpret_cast<uint4*>(to)[i] = piece;
    }
  }
}

template <class T, Order order, int words, bool rows, bool columns, bool shows_samples>
__global__ void __launch_bounds__(32) box_kernel(const __grid_constant__ Walk walk) {
  extern __shared__ uint4 memory[];
  Slot<words>* const arriving = reinterpret_cast<Slot<words>*>(memory);
  Slot<words>* const suffixes = arriving + ahead<words>;
  const auto lane = static_cast<int>(threadIdx.x);
  const Place place(walk, lane, 4 * words, sizeof(T));
  const BoxTask& task = walk.task;
  const int height = columns ? walk.height : 1;
  const std::uint32_t outside =
      filled(task.border.kind == Border::Kind::Constant ? static_cast<T>(walk.constant) : neutral<T, order>());
  const std::int64_t first_y = place.y + task.low_y;
  const int all_rows = place.rows + height - 1;

  const auto fetch_ahead = [&](int t) {
    if (t < all_rows)
      fetch<T, words, shows_samples>(arriving[t % ahead<words>], walk, place, first_y + t * walk.stride, lane);
    end_of_copies();
  };
#pragma unroll 1
  for (int t = 0; t < ahead<words> - at_once<words>; ++t) fetch_ahead(t);
  Row<words> prefix = {};
  int in_block = 0;
#pragma unroll 1
  for (int t = 0; t < all_rows; t += at_once<words>) {
    Row<words> row[at_once<words>];
#pragma unroll
    for (int i = 0; i < at_once<words>; ++i) fetch_ahead(t + ahead<words> - at_once<words> + i);
    wait_for_copies<ahead<words> - at_once<words>>();
#pragma unroll
    for (int i = 0; i < at_once<words>; ++i) {
      row[i] = receive<words, shows_samples>(arriving[(t + i) % ahead<words>], walk, place,
                                             first_y + (t + i) * walk.stride, lane, outside);
    }
    if constexpr (rows) along_rows<T, order>(row, walk.width_bytes, walk.moved);
#pragma unroll
    for (int i = 0; i < at_once<words>; ++i) {
      if (t + i >= all_rows) break;
      const std::int64_t y = place.y + (t + i - (height - 1)) * walk.stride;
      if constexpr (columns) {
        prefix = in_block == 0 ? row[i] : extremum<T, order>(prefix, row[i]);
        const bool last = in_block == height - 1;
        Row<words> result = prefix;
        if (!last && t + i >= height) result = extremum<T, order>(prefix, suffixes[in_block + 1].read(lane));
        suffixes[in_block].write(lane, row[i]);
        if (t + i >= height - 1) store(walk, place, y, result);
        if (last) {
          Row<words> suffix = row[i];
          for (int k = height - 2; k > 0; --k) {
            suffix = extremum<T, order>(suffix, suffixes[k].read(lane));
            suffixes[k].write(lane, suffix);
          }
          in_block = -1;
        }
        ++in_block;
      } else {
        store(walk, place, y, row[i]);
      }
    }
  }
}

}  // namespace box_walk
}  // namespace tamis::morphology_detail
