// A warp walks down a strip of the image, two rows at a time, through all slices of the element at once.
//
// Of a row it makes the extrema over |x| <= 0, 1, 2 ... samples, one from the other, and puts them into shared memory.
// Each of them belongs to some rows of the result: those wait in registers until all rows of the element have come.
#pragma once

#include "morphology/gpu/kernels.hpp"
#include "morphology/gpu/rows/cells.cuh"

namespace tamis::morphology_detail::gpu {
namespace symmetric_walk {

/// Offsets in shared memory, in units of 16 bytes.
using Place = std::uint16_t;
constexpr int most_places = 1536;
constexpr int most_slices = 128;
constexpr int place_bytes = 16;

struct Walk {
  StepTask task;
  double constant = 0;
  std::int64_t row_bits = 0, stored_bytes = 0;  ///< of a row's samples, and of what is stored of it
  int strips = 0, own_bytes = 0, halo_bytes = 0;
  int chunk = 0, chunks = 0;
  int ny = 1, nz = 1;
  int height = 1, depth = 1;
  int low_y = 0, low_z = 0;
  bool with_before = false;
  std::int16_t steps[most_slices] = {};  ///< of each slice: its widest row
  Place place[most_places] = {};         ///< depth x (accumulators): where a row's extrema lie
};

/// The samples at x - 1 and x + 1 of a cell. Bits: of a word.
template <class T>
__device__ __forceinline__ Cell<T> one_before(const Cell<T>& before, const Cell<T>& cell) {
  if constexpr (std::is_same_v<T, bool>) {
    return {{__funnelshift_l(before.part[0], cell.part[0], 1)}};
  } else if constexpr (Cell<T>::parts == 2) {
    return {{__funnelshift_r(before.part[1], cell.part[1], 16), cell.part[0]}};
  } else if constexpr (sizeof(T) == 2) {
    return {{__funnelshift_r(before.part[0], cell.part[0], 16)}};
  } else {
    return before;
  }
}
template <class T>
__device__ __forceinline__ Cell<T> one_behind(const Cell<T>& cell, const Cell<T>& behind) {
  if constexpr (std::is_same_v<T, bool>) {
    return {{__funnelshift_r(cell.part[0], behind.part[0], 1)}};
  } else if constexpr (Cell<T>::parts == 2) {
    return {{cell.part[1], __funnelshift_r(cell.part[0], behind.part[0], 16)}};
  } else if constexpr (sizeof(T) == 2) {
    return {{__funnelshift_r(cell.part[0], behind.part[0], 16)}};
  } else {
    return behind;
  }
}

/// From extrema over |x| <= r to those over |x| <= r + 1.
template <class T, Order order, int cells>
__device__ __forceinline__ void widen(Row<T, cells>& row, const Cell<T>& outside, bool first, bool last) {
  // Only these parts of the neighbours are looked at.
  constexpr int left = Cell<T>::parts - 1;
  Cell<T> before = outside, behind = outside;
  const std::uint32_t from_left = __shfl_up_sync(whole_warp, row.cell[cells - 1].part[left], 1);
  const std::uint32_t from_right = __shfl_down_sync(whole_warp, row.cell[0].part[0], 1);
  before.part[left] = first ? outside.part[left] : from_left;
  behind.part[0] = last ? outside.part[0] : from_right;
  Row<T, cells> result;
#pragma unroll
  for (int i = 0; i < cells; ++i) {
    const Cell<T>& left_cell = i > 0 ? row.cell[i - 1] : before;
    const Cell<T>& right_cell = i + 1 < cells ? row.cell[i + 1] : behind;
    result.cell[i] =
        extremum<T, order>(row.cell[i], one_before(left_cell, row.cell[i]), one_behind(row.cell[i], right_cell));
  }
  row = result;
}

template <int words>
struct Piece {
  using Type = uint4;
};
template <>
struct Piece<2> {
  using Type = uint2;
};
template <>
struct Piece<1> {
  using Type = std::uint32_t;
};

template <int words>
__device__ __forceinline__ Words<words> read_words(const std::byte* at) {
  Words<words> result;
  const auto piece = *reinterpret_cast<const typename Piece<words>::Type*>(at);
  memcpy(&result, &piece, sizeof(result));
  return result;
}
template <int words>
__device__ __forceinline__ void write_words(std::byte* at, const Words<words>& row) {
  typename Piece<words>::Type piece;
  memcpy(&piece, &row, sizeof(row));
  *reinterpret_cast<typename Piece<words>::Type*>(at) = piece;
}

/// Sample by sample (bit by bit), for edges that show samples of the image. Through memory of the lane's own.
template <class T, int words>
__device__ __noinline__ Words<words> gather(std::byte* own, const std::byte* row, std::int64_t byte, std::int64_t nx,
                                            Border::Kind border) {
  if constexpr (std::is_same_v<T, bool>) {
    Words<words> result = {};
    for (int i = 0; i < 32 * words; ++i) {
      const std::int64_t x = seen_at(8 * byte + i, nx, border);
      const std::uint32_t bit = reinterpret_cast<const std::uint32_t*>(row)[x >> 5] >> (x & 31) & 1U;
#pragma unroll
      for (int k = 0; k < words; ++k) result.word[k] |= i / 32 == k ? bit << (i % 32) : 0U;
    }
    return result;
  } else {
    constexpr auto size = static_cast<int>(sizeof(T));
    const std::int64_t first = byte >= 0 ? byte / size : -(-byte / size);
#pragma unroll 1
    for (int i = 0; i < 4 * words / size; ++i) {
      reinterpret_cast<T*>(own)[i] = reinterpret_cast<const T*>(row)[seen_at(first + i, nx, border)];
    }
    return read_words<words>(own);
  }
}

template <class T, Order order>
__device__ __forceinline__ std::uint32_t word_outside(const Walk& walk) {
  const bool constant = walk.task.border.kind == Border::Kind::Constant;
  if constexpr (std::is_same_v<T, bool>) {
    const bool one = constant ? walk.constant != 0 : order == Order::Min;
    return one ? ~0U : 0U;
  } else {
    return filled(constant ? static_cast<T>(walk.constant) : neutral<T, order>());
  }
}

constexpr int rows_at_once = 2;

/// What a lane reads of the image, and what is there instead outside of it.
template <class T, int words, bool shows_samples>
class Source {
 public:
  __device__ Source(const Walk& walk, std::int64_t first_byte, std::uint32_t outside, std::byte* own, int lane)
      : walk_(walk), outside_(outside), own_(own) {
    constexpr int lane_bytes = 4 * words;
    byte_ = first_byte + lane * lane_bytes;
    edge_ = first_byte < 0 || 8 * (first_byte + 32 * lane_bytes) > walk.row_bits;
    at_ = max(min(byte_, (walk.row_bits - 1) / (8 * lane_bytes) * lane_bytes), std::int64_t{0});
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const std::int64_t inside = max(min(walk.row_bits - 8 * (byte_ + 4 * i), std::int64_t{32}), std::int64_t{0});
      keep_.word[i] = byte_ < 0 ? 0U : static_cast<std::uint32_t>((std::uint64_t{1} << inside) - 1);
    }
  }

  /// Row y of slice z, as it lies in memory; another one where there is none.
  __device__ __forceinline__ Words<words> load(int z, int y) const {
    const StepTask& task = walk_.task;
    if constexpr (shows_samples) {
      z = static_cast<int>(seen_at(z, walk_.nz, task.border.kind));
      y = static_cast<int>(seen_at(y, walk_.ny, task.border.kind));
    } else {
      z = max(min(z, walk_.nz - 1), 0);
      y = max(min(y, walk_.ny - 1), 0);
    }
    const std::byte* const row = task.from.data + z * task.from.slice + y * task.from.pitch;
    if (shows_samples && edge_) return gather<T, words>(own_, row, byte_, task.shape.x, task.border.kind);
    return read_words<words>(row + at_);
  }
  /// With what the border shows.
  __device__ __forceinline__ void complete(Words<words>& row, int z, int y) const {
    if (shows_samples) return;
    if (edge_) {
#pragma unroll
      for (int i = 0; i < words; ++i) {
        row.word[i] = (row.word[i] & keep_.word[i]) | (outside_ & ~keep_.word[i]);
      }
    }
    if (static_cast<unsigned>(z) >= static_cast<unsigned>(walk_.nz) ||
        static_cast<unsigned>(y) >= static_cast<unsigned>(walk_.ny)) {
#pragma unroll
      for (int i = 0; i < words; ++i) row.word[i] = outside_;
    }
  }
  /// The bits of the lane's words that belong to the image.
  [[nodiscard]] __device__ const Words<words>& inside() const { return keep_; }

 private:
  const Walk& walk_;
  std::uint32_t outside_;
  std::byte* own_;
  std::int64_t byte_, at_;
  Words<words> keep_;
  bool edge_;
};

/// A slot in shared memory: a row of the warp. A lane sees only its own words of it.
template <int words>
constexpr int slot_bytes = 128 * words;

/// Where a warp is in the image.
struct Strip {
  int y, z;
  int rows;                 ///< of the result
  std::int64_t own_byte;    ///< first one of the result in its row
  std::int64_t first_byte;  ///< first one that is read, in the halo; may lie outside

  __device__ __forceinline__ explicit Strip(const Walk& walk) {
    auto index = static_cast<int>(blockIdx.x);
    const int strip = index % walk.strips;
    index /= walk.strips;
    y = index % walk.chunks * walk.chunk;
    z = index / walk.chunks;
    rows = min(walk.chunk, walk.ny - y);
    own_byte = std::int64_t{strip} * walk.own_bytes;
    first_byte = own_byte - walk.halo_bytes;
  }
};

/// The rows of the result, of which a lane stores its words.
template <class T, Order order, int words>
class Target {
 public:
  __device__ __forceinline__ Target(const Walk& walk, const Strip& strip, const Words<words>& inside, int lane)
      : walk_(walk), strip_(strip), inside_(inside) {
    constexpr int lane_bytes = 4 * words;
    const std::int64_t byte = strip.own_byte + (lane * lane_bytes - walk.halo_bytes);
    // With && the compiler makes branches, and kernels are up to 8 % longer.
    own_ = (lane * lane_bytes >= walk.halo_bytes) & (lane * lane_bytes < walk.halo_bytes + walk.own_bytes) &
           (byte < walk.stored_bytes);
    const DeviceImage& to = walk.task.to;
    first_row_ = to.data + strip.z * to.slice + strip.y * to.pitch + (own_ ? byte : 0);
  }

  /// A row of the strip; one that it does not have is passed over.
  __device__ __forceinline__ void store(int row, const Row<T, words>& result) const {
    if (row < 0 || row >= strip_.rows) return;
    Words<words> out = words_of(result);
    std::byte* const at = first_row_ + row * walk_.task.to.pitch;
    if (walk_.with_before) out = words_of(extremum<T, order>(row_of<T>(read_words<words>(at)), result));
    if constexpr (std::is_same_v<T, bool>) {
#pragma unroll
      for (int i = 0; i < words; ++i) out.word[i] &= inside_.word[i];
    }
    if (own_) write_words(at, out);
  }

  /// Before row t of the image is taken, results t - height - 1 and the next one are complete.
  template <int sums>
  __device__ __forceinline__ void store_complete(int t, const Row<T, words> (&sum)[sums]) const {
    store(t - 1 - walk_.height, sum[0]);
    store(t - walk_.height, sum[1]);
  }

 private:
  const Walk& walk_;
  const Strip& strip_;
  const Words<words>& inside_;  ///< bits of the image
  bool own_;                    ///< the lane's words are none of the halo
  std::byte* first_row_;
};

/// What leaves every extremum as it is.
template <class T, Order order>
__device__ __forceinline__ Cell<T> neutral_cell() {
  if constexpr (std::is_same_v<T, bool>) {
    return cell_of<T>(order == Order::Min ? ~0U : 0U);
  } else {
    return cell_of<T>(filled(neutral<T, order>()));
  }
}
template <class T, int words>
__device__ __forceinline__ void fill(Row<T, words>& row, const Cell<T>& cell) {
#pragma unroll
  for (int i = 0; i < words; ++i) row.cell[i] = cell;
}

template <class T, int words, int sums>
__device__ __forceinline__ void clear(Row<T, words> (&sum)[sums], const Cell<T>& nothing) {
#pragma unroll
  for (int k = 0; k < sums; ++k) fill(sum[k], nothing);
}

/// Drops the sums that are complete, and begins others behind.
template <class T, int words, int sums>
__device__ __forceinline__ void advance(Row<T, words> (&sum)[sums], const Cell<T>& nothing) {
#pragma unroll
  for (int k = 0; k < sums; ++k) {
    if (k + rows_at_once < sums) {
      sum[k] = sum[k + rows_at_once];
    } else {
      fill(sum[k], nothing);
    }
  }
}

/// The rows that have arrived, with what the border shows around the image.
template <class T, int words, bool shows_samples>
__device__ __forceinline__ void complete_rows(const Source<T, words, shows_samples>& source,
                                              Words<words> (&arrived)[rows_at_once], int z, int y,
                                              Row<T, words> (&row)[rows_at_once]) {
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) {
    source.complete(arrived[i], z, y + i);
    row[i] = row_of<T>(arrived[i]);
  }
}

/// Sends for the same rows of the next slice, or after the last slice for the next rows of the first one.
template <class T, int words, bool shows_samples>
__device__ __forceinline__ void load_next(const Walk& walk, const Source<T, words, shows_samples>& source, int slice,
                                          int first_z, int y, Words<words> (&next)[rows_at_once]) {
  const bool same_rows = slice + 1 < walk.depth;
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) {
    next[i] = source.load(same_rows ? first_z + slice + 1 : first_z, y + i + (same_rows ? 0 : rows_at_once));
  }
}

/// Puts the extrema of a slice's rows over |x| <= 0, 1 ... samples into shared memory, up to the slice's widest row.
template <class T, Order order, int words>
__device__ __forceinline__ void write_extrema(const Walk& walk, int slice, Row<T, words> (&row)[rows_at_once],
                                              const Cell<T>& outside, bool first, bool last, std::byte* slots) {
  std::byte* slot = slots + rows_at_once * slot_bytes<words>;
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) write_words(slot + i * slot_bytes<words>, words_of(row[i]));
#pragma unroll 1
  for (int radius = 1; radius <= walk.steps[slice]; ++radius) {
    slot += rows_at_once * slot_bytes<words>;
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) {
      widen<T, order>(row[i], outside, first, last);
      write_words(slot + i * slot_bytes<words>, words_of(row[i]));
    }
  }
}

template <class T, Order order, int words, int sums, bool shows_samples>
__global__ void __launch_bounds__(32) symmetric_kernel(const __grid_constant__ Walk walk) {
  extern __shared__ uint4 memory[];
  const auto lane = static_cast<int>(threadIdx.x);
  // The first two slots hold what leaves every extremum as it is; then come two for each radius, of which those of
  // radius 0 are free while rows are loaded.
  std::byte* const slots = reinterpret_cast<std::byte*>(memory) + lane * 4 * words;
  const Strip strip(walk);
  const Cell<T> outside = cell_of<T>(word_outside<T, order>(walk));
  const Source<T, words, shows_samples> source(walk, strip.first_byte, word_outside<T, order>(walk),
                                               slots + rows_at_once * slot_bytes<words>, lane);
  // Without a halo the strip is the whole row.
  const bool first = walk.halo_bytes == 0 && lane == 0;
  const bool last = walk.halo_bytes == 0 && lane == 31;
  const Cell<T> nothing = neutral_cell<T, order>();
  Row<T, words> sum[sums];
  clear(sum, nothing);
  write_words(slots, words_of(sum[0]));
  write_words(slots + slot_bytes<words>, words_of(sum[0]));
  const Target<T, order, words> target(walk, strip, source.inside(), lane);

  const int all_rows = strip.rows + walk.height - 1;
  const int first_y = strip.y + walk.low_y;
  const int first_z = strip.z + walk.low_z;
  Words<words> next[rows_at_once];
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) next[i] = source.load(first_z, first_y + i);
#pragma unroll 1
  for (int t = 0; t < all_rows; t += rows_at_once) {
    target.store_complete(t, sum);
    advance(sum, nothing);
#pragma unroll 1
    for (int slice = 0; slice < walk.depth; ++slice) {
      Row<T, words> row[rows_at_once];
      complete_rows(source, next, first_z + slice, first_y + t, row);
      load_next(walk, source, slice, first_z, first_y + t, next);
      write_extrema<T, order>(walk, slice, row, outside, first, last, slots);
      // The first row belongs to sum k by its radius k, the second one to the sum behind.
      const Place* const place = walk.place + slice * sums;
      Words<words> second = read_words<words>(slots);
#pragma unroll
      for (int k = 0; k < sums; ++k) {
        const std::byte* const at = slots + place[k] * place_bytes;
        sum[k] = extremum<T, order>(sum[k], row_of<T>(read_words<words>(at)), row_of<T>(second));
        second = read_words<words>(at + slot_bytes<words>);
      }
    }
  }
  // What the last turn completed.
  const int turns = (all_rows + rows_at_once - 1) / rows_at_once;
  target.store_complete(turns * rows_at_once, sum);
}

}  // namespace symmetric_walk
}  // namespace tamis::morphology_detail::gpu
