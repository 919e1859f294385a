// Squares of 32 bits, and what follows the last pass. A thread a sample looks to both sides, as far as there may be
// something nearer. Where that is far, a thread goes along the whole column twice instead (Meijster, Roerdink and
// Hesselink 2000): the parabolas of which the lower envelope consists, then what it comes to at each sample.
#include <algorithm>
#include <limits>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "distance/gpu/steps.hpp"

namespace tamis::distance_detail::gpu {
namespace {

constexpr int threads = 256;

cuda::LaunchShape threads_for(std::int64_t samples) {
  constexpr std::int64_t most_blocks = 1 << 20;
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

__device__ __forceinline__ std::uint32_t wide_square(int steps, std::int64_t side) {
  const std::int64_t length = steps * side;
  return length > wide_steps ? wide_unreached : static_cast<std::uint32_t>(length * length);
}

/// A thread has eight voxels.
__global__ void __launch_bounds__(threads) expand_kernel(const Expansion task, std::uint32_t* to) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < task.count * 4; i += all) {
    int steps[8];
    steps_of(task.words[i / 4], static_cast<int>(i % 4) * 8, steps);
    const std::int64_t x = i / 4 % task.row_words * 32 + i % 4 * 8;
    for (int k = 0; k < 8; ++k) to[8 * i + k] = x + k < task.row_samples ? wide_square(steps[k], task.side) : 0;
  }
}

struct WideColumns {
  const std::uint32_t* from = nullptr;
  std::uint32_t* to = nullptr;
  std::int64_t samples = 0;
  std::int64_t stride = 0;  ///< from a sample of a column to the next
  std::int64_t pitch = 0;
  std::uint32_t rows_of_slice = 0;
  std::uint32_t rows = 0;
  std::uint32_t count = 0;  ///< samples of a column
  std::uint32_t side = 0;
  std::uint32_t near = 0;  ///< no sample looks farther
  bool low = false;
  bool high = false;
  std::uint8_t* far = nullptr;  ///< for each 32 columns side by side: one of their samples should have looked farther
};

constexpr int looks = 4;  // to either side at a time

/// Looks to both sides of a sample.
class Search {
 public:
  __device__ Search(const WideColumns& task, std::int64_t i, std::uint32_t at)
      : task_(task), from_(task.from + i), at_(at), least_(*from_) {}

  /// Whether all that can be nearer has been looked at.
  __device__ bool run() {
    for (std::uint32_t d = 1; can_be_nearer(d); d += looks) {
      if (d > task_.near) return false;
      const std::uint32_t last = d + looks - 1;
      if (last <= at_ && at_ + last < task_.count && std::uint64_t{last} * task_.side <= wide_steps) {
        look_inside(d);
      } else {
#pragma unroll
        for (int k = 0; k < looks; ++k) look(d + k);
      }
    }
    return true;
  }
  __device__ std::uint32_t least() const { return least_; }

 private:
  /// Whether something so many steps away can be nearer, and is there, or a border.
  __device__ bool can_be_nearer(std::uint32_t d) const {
    const std::uint64_t length = std::uint64_t{d} * task_.side;
    return length <= wide_steps && length * length < least_ && (d <= at_ + 1 || at_ + d <= task_.count);
  }
  /// As often as `looks`; everything is there, and near enough.
  __device__ void look_inside(std::uint32_t d) {
    const std::uint32_t* const below = from_ - d * task_.stride;
    const std::uint32_t* const above = from_ + d * task_.stride;
    std::uint32_t nearest[looks];
#pragma unroll
    for (int k = 0; k < looks; ++k) nearest[k] = min(below[-k * task_.stride], above[k * task_.stride]);
#pragma unroll
    for (int k = 0; k < looks; ++k) {
      const std::uint32_t length = (d + k) * task_.side;
      least_ = min(least_, length * length + nearest[k]);
    }
  }
  __device__ void look(std::uint32_t d) {
    const std::uint64_t length = std::uint64_t{d} * task_.side;
    if (length > wide_steps) return;
    const auto square = static_cast<std::uint32_t>(length * length);
    std::uint32_t nearest = wide_unreached;
    if (d <= at_) nearest = min(nearest, from_[-static_cast<std::int64_t>(d) * task_.stride]);
    if (at_ + d < task_.count) nearest = min(nearest, from_[d * task_.stride]);
    if ((d == at_ + 1 && task_.low) || (at_ + d == task_.count && task_.high)) nearest = 0;
    least_ = min(least_, square + nearest);
  }

  const WideColumns& task_;
  const std::uint32_t* from_;
  std::uint32_t at_;
  std::uint32_t least_;
};

constexpr int block_rows = 4;  // of 64 samples

template <Along along>
__global__ void __launch_bounds__(threads) search_kernel(const WideColumns task) {
  const auto across = static_cast<std::uint32_t>(task.pitch / 64);
  const std::uint32_t line = blockIdx.x / across;
  const std::uint32_t row = line * block_rows + threadIdx.x / 64;
  if (row >= task.rows) return;
  const std::uint32_t z = row / task.rows_of_slice;
  const std::uint32_t y = row - z * task.rows_of_slice;
  const std::uint32_t x = (blockIdx.x - line * across) * 64 + threadIdx.x % 64;
  const std::int64_t i = row * task.pitch + x;
  Search search(task, i, along == Along::Y ? y : z);
  const bool done = search.run();
  task.to[i] = search.least();
  if (!done) task.far[((along == Along::Y ? z : y) * task.pitch + x) / 32] = 1;
}

/// The lower envelope's last parabola: it has its least value `least` at `middle`, and is the lowest one from `begin`
/// on.
struct Parabola {
  std::uint32_t middle, begin, least;
};

/// The parabolas of a column's envelope, as a stack. They are kept where the results go: there are never more of them
/// than samples that were looked at, and a result is written when no parabola that is left has its place.
class Envelope {
 public:
  __device__ Envelope(const WideColumns& task, std::int64_t base)
      : from_(task.from + base), to_(task.to + base), stride_(task.stride), area_(task.side * task.side) {}

  __device__ std::uint32_t sample(std::uint32_t at) const { return from_[at * stride_]; }
  /// A parabola at a place. Neither the square of a column's length nor a sample has more than 31 bits, and a place no
  /// more than 16.
  __device__ std::uint32_t value(const Parabola& parabola, std::uint32_t at) const {
    const std::uint32_t steps = at > parabola.middle ? at - parabola.middle : parabola.middle - at;
    return steps * steps * area_ + parabola.least;
  }
  __device__ const Parabola& top() const { return top_; }
  __device__ std::uint32_t size() const { return size_; }

  __device__ void push(const Parabola& parabola) {
    if (size_ > 0) put(size_ - 1, top_.middle | top_.begin << 16);
    top_ = parabola;
    ++size_;
  }
  __device__ void pop() {
    --size_;
    if (size_ == 0) return;
    const std::uint32_t word = to_[(size_ - 1) * stride_];
    top_ = {word & 0xffffU, word >> 16, 0};
    top_.least = sample(top_.middle);
  }
  /// From where on a later parabola is the lower one; the last one is the lower at its beginning.
  __device__ std::uint32_t beginning_of(const Parabola& later) const {
    const std::uint32_t steps = later.middle - top_.middle;
    const std::uint32_t more = (later.middle + top_.middle) * steps * area_ + later.least - top_.least;
    return more / (2 * steps * area_) + 1;
  }
  __device__ void put(std::uint32_t at, std::uint32_t word) { to_[at * stride_] = word; }

 private:
  const std::uint32_t* from_;
  std::uint32_t* to_;
  std::int64_t stride_;
  std::uint32_t area_;  ///< the square of a side
  std::uint32_t size_ = 0;
  Parabola top_{};
};

__global__ void __launch_bounds__(threads) envelope_kernel(const WideColumns task) {
  const std::int64_t column = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (column * task.count >= task.samples || task.far[column / 32] == 0) return;
  const std::int64_t group = column / task.stride;  // of columns that begin side by side
  Envelope envelope(task, group * task.stride * (std::int64_t{task.count} - 1) + column);
  const std::uint32_t count = task.count;
  const std::uint32_t side = task.side;
  envelope.push({0, 0, envelope.sample(0)});
  for (std::uint32_t at = 1; at < count; ++at) {
    Parabola later{at, 0, envelope.sample(at)};
    while (envelope.size() > 0 &&
           envelope.value(envelope.top(), envelope.top().begin) > envelope.value(later, envelope.top().begin)) {
      envelope.pop();
    }
    if (envelope.size() > 0) later.begin = envelope.beginning_of(later);
    if (later.begin < count) envelope.push(later);
  }
  for (std::uint32_t at = count; at-- > 0;) {
    std::uint32_t least = min(envelope.value(envelope.top(), at), wide_unreached);
    if (task.low) least = min(least, (at + 1) * side * ((at + 1) * side));
    if (task.high) least = min(least, (count - at) * side * ((count - at) * side));
    const bool ends = envelope.top().begin == at;
    if (ends) envelope.pop();
    envelope.put(at, least);
  }
}

template <class Lane>
constexpr Lane unreached_of = sizeof(Lane) == 2 ? Lane{narrow_unreached} : static_cast<Lane>(wide_unreached);

struct Clearing {
  const std::uint64_t* object;
  std::int64_t samples;
  std::int64_t pitch;
};

template <class Lane>
__global__ void __launch_bounds__(threads) clear_kernel(const Clearing task, Lane* squares, Found* found) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  unsigned largest = 0;
  bool unreached = false;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < task.samples; i += all) {
    const bool object = task.object[i / 64] >> (i % 64) & 1;  // rows of both begin at multiples of 64
    const Lane square = squares[i];
    if (!object && square != 0) squares[i] = 0;
    if (!object) continue;
    if (square == unreached_of<Lane>) {
      unreached = true;
    } else {
      largest = max(largest, static_cast<unsigned>(square));
    }
  }
  if (unreached) atomicOr(&found->unreached, 1U);
  if (largest > 0) atomicMax(&found->largest, largest);
}

template <class Lane>
__global__ void __launch_bounds__(threads) finish_kernel(const std::uint32_t* from, std::int64_t samples, Lane* to) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < samples; i += all) {
    to[i] = from[i] == wide_unreached ? static_cast<Lane>(~Lane{0}) : static_cast<Lane>(from[i]);
  }
}

}  // namespace

void expand_wide(const cuda::Stream& stream, const Plan& plan, const Word* words, const SquareRows<std::uint32_t>& to) {
  const Expansion task{words, to.z * to.slice() / 32, to.pitch / 32, to.x, plan.x.side};
  cuda::launch(stream, threads_for(task.count * 4), "distances along x", expand_kernel, task, to.data);
}

void lower_wide(const cuda::Stream& stream, const Plan& plan, Along along, const SquareRows<std::uint32_t>& from,
                std::uint32_t* to) {
  constexpr std::uint32_t near_steps = 48;  // from so many on an envelope is quicker
  const bool along_y = along == Along::Y;
  const Axis& axis = along_y ? plan.y : plan.z;
  const std::int64_t columns = from.z * from.slice() / axis.count;
  const cuda::DeviceBuffer<std::uint8_t> far(stream, columns / 32);
  far.clear();
  WideColumns task;
  task.from = from.data;
  task.to = to;
  task.samples = from.z * from.slice();
  task.stride = along_y ? from.pitch : from.slice();
  task.pitch = from.pitch;
  task.rows_of_slice = static_cast<std::uint32_t>(from.y);
  task.rows = static_cast<std::uint32_t>(from.z * from.y);
  task.count = static_cast<std::uint32_t>(axis.count);
  task.side = static_cast<std::uint32_t>(axis.side);
  task.low = axis.low;
  task.high = axis.high;
  task.far = far.data();
  // An envelope works with the square of a column's length in 31 bits.
  const bool has_envelope = axis.count * axis.side <= wide_steps;
  task.near = has_envelope ? near_steps : task.count;
  const std::int64_t blocks = (from.z * from.y + block_rows - 1) / block_rows * (from.pitch / 64);
  const char* const what = along_y ? "distances along y" : "distances along z";
  cuda::launch(stream, {dim3(static_cast<unsigned>(blocks)), dim3(threads)}, what,
               along_y ? search_kernel<Along::Y> : search_kernel<Along::Z>, task);
  if (!has_envelope) return;
  cuda::launch(stream, {dim3(static_cast<unsigned>((columns + threads - 1) / threads)), dim3(threads)}, what,
               envelope_kernel, task);
}

template <class Lane>
void clear_outside(const cuda::Stream& stream, const BitRows& object, const SquareRows<Lane>& rows, Found* found) {
  const Clearing task{object.words, rows.z * rows.slice(), rows.pitch};
  cuda::launch(stream, threads_for(task.samples), "clear what is outside", clear_kernel<Lane>, task, rows.data, found);
}

template <class Lane>
void finish(const cuda::Stream& stream, const SquareRows<std::uint32_t>& from, Lane* to) {
  const std::int64_t samples = from.z * from.slice();
  cuda::launch(stream, threads_for(samples), "finish distances", finish_kernel<Lane>, from.data, samples, to);
}

template void clear_outside(const cuda::Stream&, const BitRows&, const SquareRows<std::uint16_t>&, Found*);
template void clear_outside(const cuda::Stream&, const BitRows&, const SquareRows<std::uint32_t>&, Found*);
template void finish(const cuda::Stream&, const SquareRows<std::uint32_t>&, std::uint16_t*);
template void finish(const cuda::Stream&, const SquareRows<std::uint32_t>&, std::uint32_t*);

}  // namespace tamis::distance_detail::gpu
