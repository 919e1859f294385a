// What happens to squares of 32 and 64 bits before and after balls are painted; a thread a voxel.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/gpu/array/strided.cuh"
#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "distance/gpu/samples.hpp"
#include "granulometry/balls/measure.hpp"
#include "granulometry/balls/squares.hpp"
#include "granulometry/gpu/balls/wide.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

constexpr int threads = 256;
template <class Lane>
constexpr Lane infinite = ~Lane{0};

/// Rows one after the other, what is behind their end included: they are whole numbers of warps.
template <class Lane>
struct Samples {
  Lane* data;
  std::int64_t count;

  explicit Samples(const SquareRows<Lane>& squares) : data(squares.data), count(squares.z * squares.slice()) {}
};

template <class Lane>
cuda::LaunchShape threads_for(const Samples<Lane>& squares) {
  const std::int64_t blocks =
      std::clamp<std::int64_t>((squares.count + threads - 1) / threads, 1, cuda::most_reducing_blocks);
  return {dim3(static_cast<unsigned>(blocks)), dim3(threads)};
}

template <class Lane, class Work>
__device__ __forceinline__ void for_samples(const Samples<Lane>& squares, Work work) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < squares.count; i += all) work(i);
}

/// As root() of the host.
__device__ __forceinline__ std::uint64_t root_of(std::uint64_t square) {
  auto whole = static_cast<std::uint64_t>(__dsqrt_rn(static_cast<double>(square)));
  while (whole * whole > square) --whole;
  while ((whole + 1) * (whole + 1) <= square) ++whole;
  return whole;
}

/// listed_square(), into_convention() and out_of_convention() of the host.
__device__ std::uint64_t changed(std::uint64_t square, const WideChange& rule) {
  constexpr std::uint64_t none = no_ball;
  const bool fiji = rule.convention == BallConvention::Fiji;
  if (rule.back) return fiji && square != none ? square - 1 : square;
  if (rule.listed_count > 0) {
    int below = 0;  // so many listed squares are not above
    for (int half = 1 << 30; half > 0; half /= 2) {
      if (half <= rule.listed_count - below && rule.listed[below + half - 1] <= square) below += half;
    }
    square = below == 0 ? none : rule.listed[below - 1];
  }
  if (fiji) return rule.some_none && square == none ? square : square + 1;
  if (rule.convention == BallConvention::Tamis) return square;
  const std::uint64_t whole = root_of(square);
  return whole * whole;
}

template <class Lane>
__global__ void __launch_bounds__(threads) change_kernel(const Samples<Lane> squares, const WideChange rule) {
  for_samples(squares, [&](std::int64_t i) {
    const Lane square = squares.data[i];
    if (square == 0) return;
    const Lane to = square == infinite<Lane> ? Lane{0} : static_cast<Lane>(changed(square, rule));
    if (to != square) squares.data[i] = to;
  });
}

template <class Lane>
__global__ void __launch_bounds__(threads) show_kernel(const Samples<Lane> squares, const std::uint64_t* object) {
  for_samples(squares, [&](std::int64_t i) {  // rows of both begin at multiples of 64
    if ((object[i / 64] >> (i % 64) & 1) && squares.data[i] == 0) squares.data[i] = infinite<Lane>;
  });
}

struct Counts {
  unsigned long long* of_square;   ///< up to the largest that 16 bits hold
  unsigned long long* removed_by;  ///< of the others
  unsigned long long* never;
  WideSums* sums;  ///< of the others
  std::uint64_t shortest_side;
  std::uint64_t cap;
};

constexpr std::uint32_t near_openings = 1024;  // that are counted in shared memory; larger ones are few

/// Squares lie in runs: only the first lane of a run counts it.
template <class Lane>
__global__ void __launch_bounds__(threads) count_kernel(const Samples<Lane> squares, const Counts counts) {
  __shared__ std::uint32_t near[near_openings];
  for (int by = threadIdx.x; by < near_openings; by += threads) near[by] = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  WideSums sums;
  for_samples(squares, [&](std::int64_t i) {
    const Lane square = squares.data[i];
    if (!__any_sync(whole_warp, square != 0)) return;
    const Lane before = __shfl_up_sync(whole_warp, square, 1);
    const unsigned starts = __ballot_sync(whole_warp, lane == 0 || square != before);
    if (!(starts >> lane & 1) || square == 0) return;
    const unsigned later = lane == 31 ? 0U : starts >> (lane + 1);
    const std::uint64_t length = later ? static_cast<unsigned>(__ffs(later)) : 32U - static_cast<unsigned>(lane);
    if (square == infinite<Lane>) {
      atomicAdd(counts.never, length);
    } else if (square <= largest_counted) {
      atomicAdd(&counts.of_square[square], length);
    } else {
      const std::uint64_t by = min(root_of(square - 1) / counts.shortest_side + 1, counts.cap);
      if (by < near_openings) {
        atomicAdd(&near[by], static_cast<unsigned>(length));
      } else {
        atomicAdd(&counts.removed_by[by], length);
      }
      const std::uint64_t whole = root_of(square);
      const double left = fmax(0.0, __dsqrt_rn(static_cast<double>(square)) - static_cast<double>(whole));
      sums.whole += length * whole;
      sums.parts += length * static_cast<std::uint64_t>(__double2ll_rn(left * WideSums::parts_of_one));
      sums.high += length * (std::uint64_t{square} >> 32);
      sums.low += length * (square & 0xffffffffU);
    }
  });
  const auto add = [](std::uint64_t* to, std::uint64_t value) {
    static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
    value = cuda::warp_sum_of(value);
    if (threadIdx.x % 32 == 0 && value > 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
    }
  };
  add(&counts.sums->whole, sums.whole);
  add(&counts.sums->parts, sums.parts);
  add(&counts.sums->high, sums.high);
  add(&counts.sums->low, sums.low);
  __syncthreads();
  for (int by = threadIdx.x; by < near_openings; by += threads) {
    if (near[by] > 0) atomicAdd(&counts.removed_by[by], std::uint64_t{near[by]});
  }
}

/// measure_balls() of one square.
struct Measures {
  std::uint64_t least_square;
  std::uint32_t most;  ///< the largest size
  std::uint32_t side;
  double factor, less;

  template <class Lane>
  __device__ std::uint32_t size_of(Lane square) const {
    if (square == 0) return 0;
    if (square == infinite<Lane>) return most;
    return square < least_square ? 1U : min(most, static_cast<std::uint32_t>(root_of(square - 1) / side + 1));
  }
  template <class Lane>
  __device__ float length_of(Lane square) const {
    if (square == 0 || square < least_square) return 0.0F;
    if (square == infinite<Lane>) return __int_as_float(0x7f800000);
    return static_cast<float>(__dsub_rn(__dmul_rn(factor, __dsqrt_rn(static_cast<double>(square))), less));
  }
};

template <class Lane, class To>
struct Write {
  static constexpr int together = 1;
  std::uint8_t* out;
  const std::uint8_t* squares;
  Measures measures;

  template <int count>
  __device__ void run(const std::int64_t (&at)[2]) const {
    const Lane square = *reinterpret_cast<const Lane*>(squares + at[1]);
    To& to = *reinterpret_cast<To*>(out + at[0]);
    if constexpr (std::is_same_v<To, float>) {
      to = measures.length_of(square);
    } else {
      to = static_cast<To>(measures.size_of(square));
    }
  }
};

template <class To, class Lane>
void write_as(const cuda::Stream& stream, const SquareRows<Lane>& squares, const Measures& measures,
              const GpuOutput& out) {
  constexpr std::int64_t bytes = sizeof(Lane);
  const cuda::Strides strides[] = {cuda::strides_of(out), {bytes * squares.slice(), bytes * squares.pitch, bytes}};
  const Write<Lane, To> operation{static_cast<std::uint8_t*>(out.data),
                                  reinterpret_cast<const std::uint8_t*>(squares.data), measures};
  cuda::run_walk(stream, cuda::plan_walk(out.shape, strides), operation, "write samples");
}

template <class T>
void read(const cuda::Stream& stream, const cuda::DeviceBuffer<T>& from, const cuda::PinnedBuffer<T>& to) {
  cuda::check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream.get()),
              "read counts");
}

}  // namespace

template <class Lane>
void change(const cuda::Stream& stream, const SquareRows<Lane>& squares, const WideChange& rule) {
  const Samples<Lane> samples(squares);
  cuda::launch(stream, threads_for(samples), "change squares", change_kernel<Lane>, samples, rule);
}

template <class Lane>
void show_infinite(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* object) {
  const Samples<Lane> samples(squares);
  cuda::launch(stream, threads_for(samples), "infinite squares", show_kernel<Lane>, samples, object);
}

template <class Lane>
BallTally tally_of(const cuda::Stream& stream, const SquareRows<Lane>& squares, const TallyRule& rule) {
  constexpr std::int64_t narrow = largest_counted + 1;
  const std::uint64_t largest = distance_detail::gpu::largest_of(stream, squares);
  const std::int64_t cap = std::min(rule.cap, removed_by(largest, rule.shortest_side));
  const cuda::DeviceBuffer<unsigned long long> counts(stream, narrow + cap + 2);
  const cuda::DeviceBuffer<WideSums> sums(stream, 1);
  const cuda::PinnedBuffer<unsigned long long> host(stream, counts.size());
  const cuda::PinnedBuffer<WideSums> host_sums(stream, 1);
  counts.clear();
  sums.clear();
  unsigned long long* const removed = counts.data() + narrow;
  const Samples<Lane> samples(squares);
  cuda::launch(stream, threads_for(samples), "count squares", count_kernel<Lane>, samples,
               Counts{counts.data(), removed, removed + cap + 1, sums.data(),
                      static_cast<std::uint64_t>(rule.shortest_side), static_cast<std::uint64_t>(cap)});
  read(stream, counts, host);
  read(stream, sums, host_sums);
  stream.synchronize();
  BallTally tally;
  for (std::int64_t square = 1; square < narrow; ++square) {
    const auto voxels = static_cast<std::int64_t>(host[square]);
    if (voxels > 0) tally.add(static_cast<std::uint64_t>(square), voxels, rule);
  }
  std::vector<std::int64_t>& by_opening = tally.tally.removed_by;
  by_opening.resize(std::max(by_opening.size(), static_cast<std::size_t>(cap) + 1));
  for (std::int64_t by = 1; by <= cap; ++by) {
    const auto voxels = static_cast<std::int64_t>(host[narrow + by]);
    by_opening[static_cast<std::size_t>(by)] += voxels;
    tally.finite += voxels;
  }
  tally.wide = host_sums[0];
  if (largest > largest_counted) tally.largest = largest;
  tally.tally.never = static_cast<std::int64_t>(host[narrow + cap + 1]);
  return tally;
}

template <class Lane>
void write_wide(const cuda::Stream& stream, const SquareRows<Lane>& squares, const BallSizes& sizes,
                std::optional<BallMeasure> measure, const GpuOutput& out) {
  if (!measure) return distance_detail::gpu::copy_wide(stream, squares, out);
  const bool radius = *measure == BallMeasure::Radius;
  const Measures measures{sizes.least_square, static_cast<std::uint32_t>(largest_size(sizes)),
                          static_cast<std::uint32_t>(sizes.sides.least(sizes.sizes.rank)),
                          radius ? sizes.sides.unit : 2 * sizes.sides.unit,
                          *measure == BallMeasure::Width ? sizes.shortest_side : 0};
  if (*measure != BallMeasure::Size) return write_as<float>(stream, squares, measures, out);
  switch (sample_bytes(out.type)) {
    case 1:
      return write_as<std::uint8_t>(stream, squares, measures, out);
    case 2:
      return write_as<std::uint16_t>(stream, squares, measures, out);
    default:
      write_as<std::uint32_t>(stream, squares, measures, out);
  }
}

#define TAMIS_FOR_LANE(Lane)                                                                                           \
  template void change(const cuda::Stream&, const SquareRows<Lane>&, const WideChange&);                               \
  template void show_infinite(const cuda::Stream&, const SquareRows<Lane>&, const std::uint64_t*);                     \
  template BallTally tally_of(const cuda::Stream&, const SquareRows<Lane>&, const TallyRule&);                         \
  template void write_wide(const cuda::Stream&, const SquareRows<Lane>&, const BallSizes&, std::optional<BallMeasure>, \
                           const GpuOutput&);
TAMIS_FOR_LANE(std::uint32_t)
TAMIS_FOR_LANE(std::uint64_t)
#undef TAMIS_FOR_LANE

}  // namespace tamis::granulometry_detail::gpu::balls
