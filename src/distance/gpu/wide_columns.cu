// Squares of 32 and 64 bits, and what follows the last pass. A thread looks from eight samples to both sides, as far
// as there may be something nearer. Where that is far, a thread goes along the whole column twice instead (Meijster,
// Roerdink and Hesselink 2000): the parabolas of which the lower envelope consists, then what it comes to at each
// sample.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "distance/gpu/steps.hpp"

namespace tamis::distance_detail::gpu {
namespace {

constexpr int threads = 256;

cuda::LaunchShape threads_for(std::int64_t samples, std::int64_t most_blocks = 1 << 20) {
  const std::int64_t blocks = std::clamp<std::int64_t>((samples + threads - 1) / threads, 1, most_blocks);
  return {dim3(static_cast<unsigned>(blocks)), dim3(threads)};
}

struct Expansion {
  const Word* words;
  std::int64_t count;  ///< of them
  std::int64_t row_words;
  std::int64_t row_samples;
  std::int64_t side;
};

template <class Lane>
__device__ __forceinline__ Lane wide_square(int steps, std::int64_t side) {
  const std::int64_t length = steps * side;
  return steps >= most_steps || length > longest<Lane> ? unreached<Lane> : static_cast<Lane>(length * length);
}

/// A thread has eight voxels. They are written by other threads, so that those of a warp lie side by side.
template <class Lane>
__global__ void __launch_bounds__(threads) expand_kernel(const Expansion task, Lane* to) {
  __shared__ Lane squares[threads * 9];  // an odd number for a thread: no two of a warp in one bank
  const std::int64_t first = std::int64_t{blockIdx.x} * threads;
  const std::int64_t i = first + threadIdx.x;
  if (i < task.count * 4) {
    int steps[8];
    steps_of(task.words[i / 4], static_cast<int>(i % 4) * 8, steps);
    const std::int64_t x = i / 4 % task.row_words * 32 + i % 4 * 8;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      squares[threadIdx.x * 9 + k] = x + k < task.row_samples ? wide_square<Lane>(steps[k], task.side) : 0;
    }
  }
  __syncthreads();
  const std::int64_t left = min(task.count * 32 - first * 8, std::int64_t{threads} * 8);
  for (int k = threadIdx.x; k < left; k += threads) to[first * 8 + k] = squares[k / 8 * 9 + k % 8];
}

template <class Lane>
struct WideColumns {
  const Lane* from = nullptr;
  Lane* to = nullptr;
  std::int64_t stride = 0;     ///< from a sample of a column to the next
  std::int64_t to_stride = 0;  ///< and of a result
  std::int64_t pitch = 0;
  std::int64_t outer = 0;       ///< lines of columns
  std::int64_t outer_step = 0;  ///< samples from one to the next
  int count = 0;                ///< samples of a column
  std::uint32_t side = 0;
  int near = 0;  ///< no sample looks farther
  bool low = false;
  bool high = false;
  std::uint8_t* far = nullptr;  ///< for each 32 columns side by side: one of their samples should have looked farther
};

constexpr int own = 8;  // samples of a thread, one after the other in a column: what it loads serves all of them

/// Looks to both sides of some samples.
template <class Lane>
class Search {
 public:
  __device__ Search(const WideColumns<Lane>& task, const Lane* column, int first)
      : task_(task), column_(column), first_(first) {}

  /// Whether all that can be nearer has been looked at.
  __device__ bool run(Lane (&least)[own]) const {
    Lane squares[own];
#pragma unroll
    for (int k = 0; k < own; ++k) squares[k] = square(k + 1);
    look_inside(squares, least);
    // squares[(s - 1) % own] is that of s steps, for the s that the next sample is away from ours.
    for (int step = 1;; step += own) {
#pragma unroll
      for (int u = 0; u < own; ++u) {
        if (u % 4 == 0) {
          const int s = step + u;
          const bool passed = s > first_ + 1 && first_ + own - 1 + s > task_.count;
          if (passed || squares[u] >= largest(least)) return true;
          if (s > task_.near) return false;
        }
        const Lane left = sample(first_ - step - u);
        const Lane right = sample(first_ + own - 1 + step + u);
#pragma unroll
        for (int k = 0; k < own; ++k) {
          least[k] = min(least[k], min(left + squares[(u + k) % own], right + squares[(u + own - 1 - k) % own]));
        }
        squares[u] = square(step + u + own);
      }
    }
  }

 private:
  /// Borders are one sample each; beyond them nothing is.
  __device__ Lane sample(int at) const {
    if (at >= 0 && at < task_.count) return column_[at * task_.stride];
    return (at == -1 && task_.low) || (at == task_.count && task_.high) ? Lane{0} : unreached<Lane>;
  }
  __device__ Lane square(int steps) const {
    const std::uint64_t length = std::uint64_t{task_.side} * static_cast<unsigned>(steps);
    return length > longest<Lane> ? unreached<Lane> : static_cast<Lane>(length * length);
  }
  /// What they are to each other.
  __device__ void look_inside(const Lane (&squares)[own], Lane (&least)[own]) const {
    Lane values[own];
#pragma unroll
    for (int k = 0; k < own; ++k) least[k] = values[k] = sample(first_ + k);
#pragma unroll
    for (int k = 0; k < own; ++k) {
#pragma unroll
      for (int j = 0; j < own; ++j) {
        if (j != k) least[k] = min(least[k], values[j] + squares[(k > j ? k - j : j - k) - 1]);
      }
    }
  }
  __device__ Lane largest(const Lane (&least)[own]) const {
    Lane most = 0;
#pragma unroll
    for (int k = 0; k < own; ++k) {
      if (first_ + k < task_.count) most = max(most, least[k]);
    }
    return most;
  }

  const WideColumns<Lane>& task_;
  const Lane* column_;
  int first_;
};

constexpr int block_lines = 4;  // of 64 columns

template <class Lane>
__global__ void __launch_bounds__(threads) search_kernel(const WideColumns<Lane> task) {
  const std::int64_t across = task.pitch / 64;
  const int groups = (task.count + own - 1) / own;
  const std::int64_t line = blockIdx.x / across * block_lines + threadIdx.x / 64;
  const std::int64_t outer = line / groups;
  if (outer >= task.outer) return;
  const int first = static_cast<int>(line - outer * groups) * own;
  const std::int64_t x = blockIdx.x % across * 64 + threadIdx.x % 64;
  const std::int64_t base = outer * task.outer_step + x;
  Lane least[own];
  if (!Search<Lane>(task, task.from + base, first).run(least)) task.far[(outer * task.pitch + x) / 32] = 1;
#pragma unroll
  for (int k = 0; k < own; ++k) {
    if (first + k < task.count) task.to[base + (first + k) * task.to_stride] = least[k];
  }
}

/// The lower envelope's last parabola: it has its least value `least` at `middle`, and is the lowest one from `begin`
/// on.
template <class Lane>
struct Parabola {
  std::uint32_t middle, begin;
  Lane least;
};

/// The parabolas of a column's envelope, as a stack. They are kept where the results go: there are never more of them
/// than samples that were looked at, and a result is written when no parabola that is left has its place.
template <class Lane>
class Envelope {
 public:
  __device__ Envelope(const WideColumns<Lane>& task, std::int64_t base)
      : from_(task.from + base),
        to_(task.to + base),
        stride_(task.stride),
        to_stride_(task.to_stride),
        area_(Lane{task.side} * task.side) {}

  __device__ Lane sample(std::uint32_t at) const { return from_[at * stride_]; }
  /// A parabola at a place. The square of a column's length and a sample leave a bit of a lane for their sum, and a
  /// place has half of its bits.
  __device__ Lane value(const Parabola<Lane>& parabola, std::uint32_t at) const {
    const Lane steps = at > parabola.middle ? at - parabola.middle : parabola.middle - at;
    return steps * steps * area_ + parabola.least;
  }
  __device__ const Parabola<Lane>& top() const { return top_; }
  __device__ std::uint32_t size() const { return size_; }

  __device__ void push(const Parabola<Lane>& parabola) {
    if (size_ > 0) put(size_ - 1, top_.middle | Lane{top_.begin} << half);
    top_ = parabola;
    ++size_;
  }
  __device__ void pop() {
    --size_;
    if (size_ == 0) return;
    const Lane word = to_[(size_ - 1) * to_stride_];
    top_ = {static_cast<std::uint32_t>(word & ((Lane{1} << half) - 1)), static_cast<std::uint32_t>(word >> half), 0};
    top_.least = sample(top_.middle);
  }
  /// From where on a later parabola is the lower one; the last one is the lower at its beginning. Beyond the column it
  /// does not matter where.
  __device__ std::uint32_t beginning_of(const Parabola<Lane>& later) const {
    constexpr Lane most = ~std::uint32_t{0} - 1;
    const Lane steps = later.middle - top_.middle;
    const Lane more = Lane{later.middle + top_.middle} * steps * area_ + later.least - top_.least;
    return static_cast<std::uint32_t>(min(more / (2 * steps * area_), most)) + 1;
  }
  __device__ void put(std::uint32_t at, Lane word) { to_[at * to_stride_] = word; }

 private:
  static constexpr int half = 4 * sizeof(Lane);

  const Lane* from_;
  Lane* to_;
  std::int64_t stride_, to_stride_;
  Lane area_;  ///< the square of a side
  std::uint32_t size_ = 0;
  Parabola<Lane> top_{};
};

template <class Lane>
__global__ void __launch_bounds__(threads) envelope_kernel(const WideColumns<Lane> task) {
  const std::int64_t column = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (column >= task.outer * task.pitch || task.far[column / 32] == 0) return;
  Envelope<Lane> envelope(task, column / task.pitch * task.outer_step + column % task.pitch);
  const auto count = static_cast<std::uint32_t>(task.count);
  const std::uint32_t side = task.side;
  envelope.push({0, 0, envelope.sample(0)});
  for (std::uint32_t at = 1; at < count; ++at) {
    Parabola<Lane> later{at, 0, envelope.sample(at)};
    while (envelope.size() > 0 &&
           envelope.value(envelope.top(), envelope.top().begin) > envelope.value(later, envelope.top().begin)) {
      envelope.pop();
    }
    if (envelope.size() > 0) later.begin = envelope.beginning_of(later);
    if (later.begin < count) envelope.push(later);
  }
  for (std::uint32_t at = count; at-- > 0;) {
    Lane least = min(envelope.value(envelope.top(), at), unreached<Lane>);
    const auto lower = [&](std::uint32_t steps) { least = min(least, Lane{steps * side} * (steps * side)); };
    if (task.low) lower(at + 1);
    if (task.high) lower(count - at);
    const bool ends = envelope.top().begin == at;
    if (ends) envelope.pop();
    envelope.put(at, least);
  }
}

/// Results go back to where their columns are: so many runs of samples.
template <class Lane>
struct Return {
  static constexpr int together = 16 / sizeof(Lane);
  const Lane* from;
  Lane* to;
  std::int64_t width;   ///< of a run, a multiple of 64
  std::int64_t stride;  ///< from a run to the next in `to`; in `from` there are no gaps
  std::int64_t count;
};

template <class Lane>
__global__ void __launch_bounds__(threads) return_kernel(const Return<Lane> task) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  const std::int64_t width = task.width / task.together;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < width * task.count; i += all) {
    Lane* const to = task.to + i / width * task.stride;
    reinterpret_cast<uint4*>(to)[i % width] = reinterpret_cast<const uint4*>(task.from)[i];
  }
}

template <class Lane>
constexpr Lane unreached_of = sizeof(Lane) == 2 ? Lane{narrow_unreached} : unreached<Lane>;

struct Clearing {
  const std::uint64_t* object;
  std::int64_t samples;
  std::int64_t pitch;
};

template <class Lane>
__global__ void __launch_bounds__(threads) clear_kernel(const Clearing task, Lane* squares, Found* found) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  unsigned long long largest = 0;
  bool some_unreached = false;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < task.samples; i += all) {
    const bool object = task.object[i / 64] >> (i % 64) & 1;  // rows of both begin at multiples of 64
    const Lane square = squares[i];
    if (!object && square != 0) squares[i] = 0;
    if (!object) continue;
    if (square == unreached_of<Lane>) {
      some_unreached = true;
    } else {
      largest = max(largest, static_cast<unsigned long long>(square));
    }
  }
  if (some_unreached) atomicOr(&found->unreached, 1U);
  cuda::add_largest(&found->largest, largest);
}

template <class Wide, class Lane>
__global__ void __launch_bounds__(threads) finish_kernel(const Wide* from, std::int64_t samples, Lane* to) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < samples; i += all) {
    to[i] = from[i] == unreached<Wide> ? static_cast<Lane>(~Lane{0}) : static_cast<Lane>(from[i]);
  }
}

}  // namespace

template <class Lane>
void expand_wide(const cuda::Stream& stream, const Plan& plan, const Word* words, const SquareRows<Lane>& to) {
  const Expansion task{words, to.z * to.slice() / 32, to.pitch / 32, to.x, plan.x.side};
  const auto blocks = static_cast<unsigned>((task.count * 4 + threads - 1) / threads);
  cuda::launch(stream, {dim3(blocks), dim3(threads)}, "distances along x", expand_kernel<Lane>, task, to.data);
}

template <class Lane>
void lower_wide(const cuda::Stream& stream, const Plan& plan, Along along, const SquareRows<Lane>& rows,
                const cuda::DeviceBuffer<Lane>& room) {
  constexpr int near_steps = 48;  // from so many on an envelope is quicker
  const bool along_y = along == Along::Y;
  const Axis& axis = along_y ? plan.y : plan.z;
  const std::int64_t lines = along_y ? rows.z : rows.y;
  const cuda::DeviceBuffer<std::uint8_t> far(stream, lines * rows.pitch / 32);
  far.clear();
  WideColumns<Lane> task;
  task.to = room.data();
  task.stride = along_y ? rows.pitch : rows.slice();
  task.pitch = rows.pitch;
  task.outer_step = along_y ? rows.slice() : rows.pitch;
  task.count = static_cast<int>(axis.count);
  task.side = static_cast<std::uint32_t>(axis.side);
  task.low = axis.low;
  task.high = axis.high;
  // An envelope works with the square of a column's length.
  const bool has_envelope = axis.count * axis.side <= longest<Lane>;
  task.near = has_envelope ? near_steps : task.count;
  const char* const what = along_y ? "distances along y" : "distances along z";
  const auto blocks_for = [](std::int64_t items, std::int64_t of_block) {
    return dim3(static_cast<unsigned>((items + of_block - 1) / of_block));
  };
  const std::int64_t at_once = room.size() / (axis.count * rows.pitch);
  for (std::int64_t line = 0; line < lines; line += task.outer) {
    task.outer = std::min(lines - line, at_once);
    task.from = rows.data + line * task.outer_step;
    task.to_stride = along_y ? rows.pitch : task.outer * rows.pitch;
    task.far = far.data() + line * rows.pitch / 32;
    const std::int64_t pieces = task.outer * ((axis.count + own - 1) / own);
    const dim3 blocks(blocks_for(pieces, block_lines).x * static_cast<unsigned>(rows.pitch / 64));
    cuda::launch(stream, {blocks, dim3(threads)}, what, search_kernel<Lane>, task);
    const std::int64_t columns = task.outer * rows.pitch;
    if (has_envelope) {
      cuda::launch(stream, {blocks_for(columns, threads), dim3(threads)}, what, envelope_kernel<Lane>, task);
    }
    // Along y the lines of columns are slices, one after the other; along z each has a row of every slice.
    Return<Lane> back{room.data(), rows.data + line * task.outer_step, columns, task.stride, axis.count};
    if (along_y) back = {room.data(), back.to, task.outer * rows.slice(), 0, 1};
    cuda::launch(stream, threads_for(back.width / back.together * back.count), what, return_kernel<Lane>, back);
  }
}

template <class Lane>
void clear_outside(const cuda::Stream& stream, const BitRows& object, const SquareRows<Lane>& rows, Found* found) {
  const Clearing task{object.words, rows.z * rows.slice(), rows.pitch};
  cuda::launch(stream, threads_for(task.samples, cuda::most_reducing_blocks), "clear what is outside",
               clear_kernel<Lane>, task, rows.data, found);
}

template <class Wide, class Lane>
void finish(const cuda::Stream& stream, const SquareRows<Wide>& from, Lane* to) {
  const std::int64_t samples = from.z * from.slice();
  cuda::launch(stream, threads_for(samples), "finish distances", finish_kernel<Wide, Lane>, from.data, samples, to);
}

template void clear_outside(const cuda::Stream&, const BitRows&, const SquareRows<std::uint16_t>&, Found*);
template void finish(const cuda::Stream&, const SquareRows<std::uint64_t>&, std::uint32_t*);
#define TAMIS_FOR_LANE(Lane)                                                                         \
  template void expand_wide(const cuda::Stream&, const Plan&, const Word*, const SquareRows<Lane>&); \
  template void lower_wide(const cuda::Stream&, const Plan&, Along, const SquareRows<Lane>&,         \
                           const cuda::DeviceBuffer<Lane>&);                                         \
  template void clear_outside(const cuda::Stream&, const BitRows&, const SquareRows<Lane>&, Found*); \
  template void finish(const cuda::Stream&, const SquareRows<Lane>&, std::uint16_t*);                \
  template void finish(const cuda::Stream&, const SquareRows<Lane>&, Lane*);
TAMIS_FOR_LANE(std::uint32_t)
TAMIS_FOR_LANE(std::uint64_t)
#undef TAMIS_FOR_LANE

}  // namespace tamis::distance_detail::gpu
