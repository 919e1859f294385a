// A warp walks down a strip of the image, a few rows at a time, and nothing of it waits for another warp.
//
// A lane holds neighbouring words of the row; morphology/gpu/rows/window.cuh makes extrema along x of them. Along y few
// rows are compared in registers; of many the method of van Herk: of each block of `height` rows the extrema from the
// block's beginning to here (in registers) and from here to its end (in shared memory, where each lane sees only its
// own words).
#pragma once

#include "morphology/gpu/kernels.hpp"
#include "morphology/gpu/rows/window.cuh"
#include "morphology/plan/box_parts.hpp"

namespace tamis::morphology_detail::gpu {
namespace box_walk {

/// Rows that are computed together, so that one's instructions fill the other's waits. The next ones are on their way
/// from memory meanwhile.
template <int words>
constexpr int at_once = words < 8    ? 4
                        : words < 16 ? 2
                                     : 1;
/// So many times that are on their way. Where shared memory allows few warps, each asks for more; bytes do not, their
/// code twice would not fit into the instruction cache.
template <class T, int words, int height>
constexpr int batches_ahead = height == 0 && Cell<T>::parts == 1 ? 2 : 1;

struct Walk {
  BoxTask task;
  RowRange read, write;  ///< of `from`, and of `to`
  int strips = 0;
  int chunk = 0;  ///< rows of the result that a warp makes
  int chunks = 0;
  int own_bytes = 0;  ///< of a strip, from its first one on
  int moved = 0;      ///< bytes from the first sample loaded to the first one needed
  int width = 0;      ///< samples of the window
  int height = 0;     ///< rows of the window, `stride` apart
  int stride = 1;
  std::int64_t read_step = 0, write_step = 0;  ///< bytes from a row to the next one of the walk
  double constant = 0;
};

/// Where a warp is in the image. No branch may depend on the lane: after one the compiler takes the lanes for apart,
/// and every shuffle becomes slow.
struct Place {
  std::int64_t z;
  std::int64_t y;           ///< first row of the result; the next ones are a stride apart
  int rows;                 ///< of the result
  std::int64_t first_byte;  ///< of the strip in a row that is read; may lie outside
  std::int64_t own_byte;    ///< of the strip in a row of the result

  __device__ Place(const Walk& walk, int sample) {
    auto index = static_cast<int>(blockIdx.x);
    const std::int64_t strip = index % walk.strips;
    index /= walk.strips;
    y = walk.write.begin + std::int64_t{index % walk.chunks} * walk.chunk * walk.stride;
    index /= walk.chunks;
    y += index % walk.stride;
    z = index / walk.stride;
    rows = static_cast<int>(min(std::int64_t{walk.chunk}, (walk.write.end - y + walk.stride - 1) / walk.stride));
    own_byte = strip * walk.own_bytes;
    first_byte = own_byte + walk.task.low_x * sample - walk.moved;
  }
};

/// Sample by sample, for edges that show samples of the image. Not inlined: the usual way stays short.
template <class T, int words>
__device__ __noinline__ Words<words> gather(Slot<words>& slot, int lane, const std::byte* row, std::int64_t byte,
                                            const BoxTask& task) {
  constexpr auto size = static_cast<int>(sizeof(T));
  const std::int64_t first = byte >= 0 ? byte / size : -(-byte / size);
#pragma unroll 1
  for (int i = 0; i < 4 * words / size; ++i) {
    const std::int64_t x = seen_at(first + i, task.nx, task.border.kind);
    *reinterpret_cast<T*>(slot.at(lane, i * size)) = reinterpret_cast<const T*>(row)[x];
  }
  return slot.read(lane);
}

/// The rows that a lane reads, one after the other, with what the border shows.
template <class T, int words, bool shows_samples>
class Source {
 public:
  __device__ Source(const Walk& walk, const Place& place, std::uint32_t outside, Slot<words>* slot, int lane)
      : task_(walk.task), outside_(outside), slot_(slot), lane_(lane) {
    constexpr int lane_bytes = 4 * words;
    const std::int64_t row_bytes = task_.nx * static_cast<int>(sizeof(T));
    const std::int64_t y = place.y + task_.low_y;
    edge_ = place.first_byte < 0 || place.first_byte + 32 * lane_bytes > row_bytes;
    byte_ = place.first_byte + lane * lane_bytes;
    // Rows begin at a multiple of what a lane reads: at their beginning its words are all inside, or none is. What is
    // loaded in place of words outside does not matter: the nearest ones are.
    const std::int64_t last = (row_bytes - 1) / piece_bytes * piece_bytes;
#pragma unroll
    for (int i = 0; i < words / 4; ++i) {
      at_[i] = max(min(byte_ + i * piece_bytes, last), std::int64_t{0});
    }
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const auto inside = static_cast<int>(max(min(row_bytes - byte_ - 4 * i, std::int64_t{4}), std::int64_t{0}));
      keep_.word[i] = byte_ < 0 ? 0U : static_cast<std::uint32_t>((std::uint64_t{1} << (8 * inside)) - 1);
    }
    image_ = task_.from.data + place.z * task_.from.slice;
    stride_ = walk.stride;
    step_ = walk.read_step;
    y_ = y;
    // Row t is there from first_ to last_.
    const auto turns = [&](std::int64_t rows) { return rows <= 0 ? 0 : (rows + walk.stride - 1) / walk.stride; };
    first_ = static_cast<int>(turns(walk.read.begin - y));
    last_ = static_cast<int>(turns(walk.read.end - y)) - 1;
    // Where no row is there, any will do.
    const std::int64_t row = min(y + std::int64_t{first_} * walk.stride, walk.read.end - 1);
    row_ = image_ + (row - walk.read.begin) * task_.from.pitch;
  }

  /// The next rows, as they lie in memory.
  template <int n>
  __device__ __forceinline__ void load(Words<words> (&rows)[n]) {
    if constexpr (shows_samples) {
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const std::byte* const row = image_ + seen_at(y_, task_.ny, task_.border.kind) * task_.from.pitch;
        y_ += stride_;
        rows[k] = edge_ ? gather<T>(*slot_, lane_, row, byte_, task_) : row_at(row);
      }
    } else if (next_ >= first_ && next_ + n <= last_) {
#pragma unroll
      for (int k = 0; k < n; ++k) {
        rows[k] = row_at(row_);
        row_ += step_;
      }
    } else {
#pragma unroll
      for (int k = 0; k < n; ++k) {
        rows[k] = row_at(row_);
        if (next_ + k >= first_ && next_ + k < last_) row_ += step_;
      }
    }
    next_ += n;
  }

  /// Rows t, t+1 ... that arrived: puts what the border shows where nothing is.
  template <int n>
  __device__ __forceinline__ void complete(Words<words> (&rows)[n], int t) const {
    if (shows_samples) return;
    if (edge_) {
#pragma unroll
      for (int k = 0; k < n; ++k) {
#pragma unroll
        for (int i = 0; i < words; ++i) {
          rows[k].word[i] = (rows[k].word[i] & keep_.word[i]) | (outside_ & ~keep_.word[i]);
        }
      }
    }
    if (t < first_ || t + n - 1 > last_) {
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const bool there = t + k >= first_ && t + k <= last_;
#pragma unroll
        for (int i = 0; i < words; ++i) rows[k].word[i] = there ? rows[k].word[i] : outside_;
      }
    }
  }

 private:
  __device__ __forceinline__ Words<words> row_at(const std::byte* row) const {
    Words<words> result;
#pragma unroll
    for (int i = 0; i < words / 4; ++i) {
      const uint4 piece = *reinterpret_cast<const uint4*>(row + at_[i]);
      result.word[4 * i] = piece.x;
      result.word[4 * i + 1] = piece.y;
      result.word[4 * i + 2] = piece.z;
      result.word[4 * i + 3] = piece.w;
    }
    return result;
  }

  const BoxTask& task_;
  const std::byte* image_;
  const std::byte* row_;
  std::int64_t step_, y_, byte_;
  std::int64_t at_[words / 4];
  Words<words> keep_;
  std::uint32_t outside_;
  int first_, last_, stride_;
  int next_ = 0;
  bool edge_;
  Slot<words>* slot_;
  int lane_;
};

/// The rows that a lane stores, with the padding behind the row.
template <int words>
class Target {
 public:
  __device__ Target(const Walk& walk, const Place& place, std::int64_t row_bytes, int lane)
      : row_(walk.task.to.data + place.z * walk.task.to.slice + (place.y - walk.write.begin) * walk.task.to.pitch +
             place.own_byte + lane * 4 * words),
        step_(walk.write_step),
        bytes_(static_cast<int>(min(row_bytes - place.own_byte, std::int64_t{walk.own_bytes})) - lane * 4 * words) {}

  __device__ __forceinline__ void store(const Words<words>& row) {
#pragma unroll
    for (int i = 0; i < words / 4; ++i) {
      // Assembler, because of the branch that the compiler makes.
      asm volatile(
          "{ .reg .pred own; setp.gt.s32 own, %0, %1;\n @own st.global.v4.u32 [%2], {%3, %4, %5, %6}; }" ::"r"(bytes_),
          "r"(piece_bytes * i), "l"(row_ + piece_bytes * i), "r"(row.word[4 * i]), "r"(row.word[4 * i + 1]),
          "r"(row.word[4 * i + 2]), "r"(row.word[4 * i + 3])
          : "memory");
    }
    row_ += step_;
  }

 private:
  std::byte* row_;
  std::int64_t step_;
  int bytes_;  ///< of the result from the lane's words on
};

/// Windows of a few rows: those before are in registers.
template <class T, Order order, int words, int height>
class FewRows {
 public:
  template <int n>
  __device__ __forceinline__ void take(const Row<T, words> (&row)[n], int t, int all_rows, Target<words>& target) {
    Row<T, words> all[n + height - 1];
#pragma unroll
    for (int i = 0; i < height - 1; ++i) all[i] = before_[i];
#pragma unroll
    for (int i = 0; i < n; ++i) all[height - 1 + i] = row[i];
#pragma unroll
    for (int i = 0; i < n; ++i) {
      Row<T, words> result = extremum<T, order>(all[i], all[i + 1], all[i + 2]);
      if constexpr (height == 5) result = extremum<T, order>(result, all[i + 3], all[i + 4]);
      if (t + i >= height - 1 && t + i < all_rows) target.store(words_of(result));
    }
#pragma unroll
    for (int i = 0; i < height - 1; ++i) before_[i] = all[n + i];
  }

 private:
  static_assert(height == 3 || height == 5);
  Row<T, words> before_[height - 1] = {};
};

/// Windows of many rows, by the method of van Herk.
template <class T, Order order, int words>
class ManyRows {
 public:
  __device__ ManyRows(Slot<words>* suffixes, int height, int lane)
      : suffixes_(suffixes), height_(height), lane_(lane) {}

  template <int n>
  __device__ __forceinline__ void take(const Row<T, words> (&row)[n], int t, int all_rows, Target<words>& target) {
    if (in_block_ > 0 && in_block_ + n < height_ && t >= height_ && t + n <= all_rows) {
      // The usual case, inside a block: all reads before all writes, which the compiler cannot take apart.
      Words<words> suffix[n];
#pragma unroll
      for (int i = 0; i < n; ++i) suffix[i] = suffixes_[in_block_ + 1 + i].read(lane_);
#pragma unroll
      for (int i = 0; i < n; ++i) {
        prefix_ = extremum<T, order>(prefix_, row[i]);
        target.store(words_of(extremum<T, order>(prefix_, row_of<T>(suffix[i]))));
      }
#pragma unroll
      for (int i = 0; i < n; ++i) suffixes_[in_block_ + i].write(lane_, words_of(row[i]));
      in_block_ += n;
      return;
    }
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if (t + i < all_rows) take_one(row[i], t + i, target);
    }
  }

 private:
  __device__ __forceinline__ void take_one(const Row<T, words>& row, int t, Target<words>& target) {
    prefix_ = in_block_ == 0 ? row : extremum<T, order>(prefix_, row);
    const bool last = in_block_ == height_ - 1;
    Row<T, words> result = prefix_;
    if (!last && t >= height_) {
      result = extremum<T, order>(prefix_, row_of<T>(suffixes_[in_block_ + 1].read(lane_)));
    }
    if (t >= height_ - 1) target.store(words_of(result));
    suffixes_[in_block_].write(lane_, words_of(row));
    if (last) find_suffixes(row);
    in_block_ = last ? 0 : in_block_ + 1;
  }

  /// Replaces the rows of a block by the extrema from them to the block's end. The first one's is of no use.
  __device__ __forceinline__ void find_suffixes(const Row<T, words>& last) {
    constexpr int batch = 4;  // loads that are under way together
    Row<T, words> suffix = last;
    int k = height_ - 2;
#pragma unroll 1
    for (; k >= batch; k -= batch) {
      Words<words> row[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i) row[i] = suffixes_[k - i].read(lane_);
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        suffix = extremum<T, order>(suffix, row_of<T>(row[i]));
        suffixes_[k - i].write(lane_, words_of(suffix));
      }
    }
#pragma unroll 1
    for (; k > 0; --k) {
      suffix = extremum<T, order>(suffix, row_of<T>(suffixes_[k].read(lane_)));
      suffixes_[k].write(lane_, words_of(suffix));
    }
  }

  Slot<words>* suffixes_;
  int height_, lane_;
  int in_block_ = 0;
  Row<T, words> prefix_ = {};
};

/// A window of one row.
template <class T, int words>
struct OneRow {
  template <int n>
  __device__ __forceinline__ void take(const Row<T, words> (&row)[n], int t, int all_rows, Target<words>& target) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if (t + i < all_rows) target.store(words_of(row[i]));
    }
  }
};

/// many: any height.
constexpr int many = 0;

template <class T, Order order, int words, bool along_x, int height, bool shows_samples>
__global__ void __launch_bounds__(32) box_kernel(const __grid_constant__ Walk walk) {
  extern __shared__ uint4 memory[];
  Slot<words>* const slots = reinterpret_cast<Slot<words>*>(memory);
  constexpr int n = at_once<words>;
  const auto lane = static_cast<int>(threadIdx.x);
  const Place place(walk, sizeof(T));
  const BoxTask& task = walk.task;
  const std::uint32_t outside =
      filled(task.border.kind == Border::Kind::Constant ? static_cast<T>(walk.constant) : neutral<T, order>());
  Source<T, words, shows_samples> source(walk, place, outside, slots, lane);
  Target<words> target(walk, place, task.nx * static_cast<std::int64_t>(sizeof(T)), lane);
  auto columns = [&] {
    if constexpr (height == many)
      return ManyRows<T, order, words>(slots + (shows_samples ? 1 : 0), walk.height, lane);
    else if constexpr (height == 1)
      return OneRow<T, words>();
    else
      return FewRows<T, order, words, height>();
  }();
  const int all_rows = place.rows + (height == many ? walk.height : height) - 1;
  constexpr int batches = batches_ahead<T, words, height>;
  Words<words> next[batches][n];
#pragma unroll
  for (int b = 0; b < batches; ++b) source.load(next[b]);
#pragma unroll 1
  for (int first = 0; first < all_rows; first += batches * n) {
    // Batch by batch in code: a register that is on its way cannot be moved.
#pragma unroll
    for (int b = 0; b < batches; ++b) {
      const int t = first + b * n;
      Words<words> arrived[n];
      Row<T, words> row[n];
#pragma unroll
      for (int i = 0; i < n; ++i) arrived[i] = next[b][i];
      source.load(next[b]);
      source.complete(arrived, t);
      if (along_x && walk.moved != 0) row_window::move_bytes(arrived, walk.moved);
#pragma unroll
      for (int i = 0; i < n; ++i) row[i] = row_of<T>(arrived[i]);
      if constexpr (along_x) row_window::over_samples<T, order>(row, walk.width);
      columns.take(row, t, all_rows, target);
    }
  }
}

}  // namespace box_walk
}  // namespace tamis::morphology_detail::gpu
