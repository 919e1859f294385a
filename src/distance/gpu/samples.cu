#include "distance/gpu/samples.hpp"

#include <algorithm>

#include "core/gpu/array/strided.cuh"
#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"

namespace tamis::distance_detail::gpu {
namespace {

constexpr int threads = 256;

/// Pairs of squares: what lies behind the end of rows is 0.
__global__ void __launch_bounds__(threads)
    largest_pair_kernel(const uint4* words, std::int64_t count, unsigned* largest) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  std::uint32_t most = 0;
  const auto take = [&most](std::uint32_t pair) {  // 65535 is no number
    most = __vmaxu2(most, pair & ~__vcmpeq2(pair, ~0U));
  };
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += all) {
    const uint4 four = words[i];
    take(four.x);
    take(four.y);
    take(four.z);
    take(four.w);
  }
  if (most > 0) atomicMax(largest, max(most & 0xffffU, most >> 16));
}

template <class Lane>
__global__ void __launch_bounds__(threads)
    largest_kernel(const Lane* squares, std::int64_t count, unsigned long long* largest) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  unsigned long long most = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += all) {
    if (squares[i] != ~Lane{0}) most = max(most, static_cast<unsigned long long>(squares[i]));
  }
  cuda::add_largest(largest, most);
}

cuda::LaunchShape threads_for(std::int64_t items) {
  const std::int64_t blocks = std::clamp<std::int64_t>((items + threads - 1) / threads, 1, cuda::most_reducing_blocks);
  return {dim3(static_cast<unsigned>(blocks)), dim3(threads)};
}

/// What find(largest) finds. Waits.
template <class Find>
std::uint64_t found_by(const cuda::Stream& stream, Find find) {
  const cuda::DeviceBuffer<unsigned long long> largest(stream, 1);
  const cuda::PinnedBuffer<unsigned long long> host(stream, 1);
  largest.clear();
  find(largest.data());
  cuda::check(cudaMemcpyAsync(host.data(), largest.data(), largest.bytes(), cudaMemcpyDeviceToHost, stream.get()),
              "read the largest distance");
  stream.synchronize();
  return host[0];
}

template <class To, int most>
struct LookUp {
  static constexpr int together = most;
  std::uint8_t* out;
  const std::uint8_t* squares;
  const To* table;

  template <int count>
  __device__ void run(const std::int64_t (&at)[2]) const {
    const auto in = *reinterpret_cast<const cuda::Together<std::uint16_t, count>*>(squares + at[1]);
    cuda::Together<To, count> samples;
#pragma unroll
    for (int k = 0; k < count; ++k) samples.sample[k] = in.sample[k] ? table[in.sample[k]] : To{0};
    *reinterpret_cast<cuda::Together<To, count>*>(out + at[0]) = samples;
  }
};

template <class To>
void launch_look_up(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const std::byte* table,
                    const GpuOutput& out) {
  constexpr int most_together = 16 / sizeof(To) < 8 ? 16 / sizeof(To) : 8;
  const cuda::Strides strides[] = {cuda::strides_of(out), {2 * squares.slice(), 2 * squares.pitch, 2}};
  const cuda::StridedWalk<2> walk = cuda::plan_walk(out.shape, strides);
  const auto run = [&](auto operation) {
    operation.out = static_cast<std::uint8_t*>(out.data);
    operation.squares = reinterpret_cast<const std::uint8_t*>(squares.data);
    operation.table = reinterpret_cast<const To*>(table);
    cuda::run_walk(stream, walk, operation, "write samples");
  };
  const std::int64_t sizes[] = {sizeof(To), 2};
  const void* const addresses[] = {out.data, squares.data};
  if (cuda::can_take_together(walk, sizes, addresses, most_together)) {
    run(LookUp<To, most_together>{});
  } else {
    run(LookUp<To, 1>{});
  }
}

template <class Lane, class To>
struct CopyWide {
  static constexpr int together = 1;
  std::uint8_t* out;
  const std::uint8_t* squares;

  template <int count>
  __device__ void run(const std::int64_t (&at)[2]) const {
    const Lane square = *reinterpret_cast<const Lane*>(squares + at[1]);
    *reinterpret_cast<To*>(out + at[0]) = square == ~Lane{0} ? static_cast<To>(~To{0}) : static_cast<To>(square);
  }
};

template <class Lane>
struct WideLengths {
  static constexpr int together = 1;
  std::uint8_t* out;
  const std::uint8_t* squares;
  double unit;

  template <int count>
  __device__ void run(const std::int64_t (&at)[2]) const {
    const Lane square = *reinterpret_cast<const Lane*>(squares + at[1]);
    const double root = __dsqrt_rn(static_cast<double>(square));
    *reinterpret_cast<float*>(out + at[0]) =
        square == ~Lane{0} ? __int_as_float(0x7f800000) : static_cast<float>(__dmul_rn(root, unit));
  }
};

template <class Lane, class Operation>
void walk_wide(const cuda::Stream& stream, const SquareRows<Lane>& squares, const GpuOutput& out, Operation operation) {
  constexpr std::int64_t bytes = sizeof(Lane);
  const cuda::Strides strides[] = {cuda::strides_of(out), {bytes * squares.slice(), bytes * squares.pitch, bytes}};
  operation.out = static_cast<std::uint8_t*>(out.data);
  operation.squares = reinterpret_cast<const std::uint8_t*>(squares.data);
  cuda::run_walk(stream, cuda::plan_walk(out.shape, strides), operation, "write distances");
}

}  // namespace

template <class Lane>
void copy_wide(const cuda::Stream& stream, const SquareRows<Lane>& squares, const GpuOutput& out) {
  if (out.type == Type::U16) return walk_wide(stream, squares, out, CopyWide<Lane, std::uint16_t>{});
  if (out.type == Type::U32) return walk_wide(stream, squares, out, CopyWide<Lane, std::uint32_t>{});
  walk_wide(stream, squares, out, CopyWide<Lane, std::uint64_t>{});
}

template <class Lane>
void write_wide_lengths(const cuda::Stream& stream, const SquareRows<Lane>& squares, double unit,
                        const GpuOutput& out) {
  walk_wide(stream, squares, out, WideLengths<Lane>{nullptr, nullptr, unit});
}

void find_largest(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, unsigned* largest) {
  const std::int64_t count = squares.z * squares.slice() / 8;
  cuda::launch(stream, threads_for(count), "find the largest square", largest_pair_kernel,
               reinterpret_cast<const uint4*>(squares.data), count, largest);
}

std::uint64_t largest_of(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares) {
  return found_by(stream, [&](unsigned long long* largest) {
    find_largest(stream, squares, reinterpret_cast<unsigned*>(largest));
  });
}

template <class Lane>
std::uint64_t largest_of(const cuda::Stream& stream, const SquareRows<Lane>& squares) {
  const std::int64_t count = squares.z * squares.slice();
  return found_by(stream, [&](unsigned long long* largest) {
    cuda::launch(stream, threads_for(count), "find the largest square", largest_kernel<Lane>, squares.data, count,
                 largest);
  });
}

#define TAMIS_FOR_LANE(Lane)                                                                                \
  template void copy_wide(const cuda::Stream&, const SquareRows<Lane>&, const GpuOutput&);                  \
  template void write_wide_lengths(const cuda::Stream&, const SquareRows<Lane>&, double, const GpuOutput&); \
  template std::uint64_t largest_of(const cuda::Stream&, const SquareRows<Lane>&);
TAMIS_FOR_LANE(std::uint32_t)
TAMIS_FOR_LANE(std::uint64_t)
#undef TAMIS_FOR_LANE

void look_up(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const std::byte* table,
             const GpuOutput& out) {
  switch (sample_bytes(out.type)) {
    case 1:
      return launch_look_up<std::uint8_t>(stream, squares, table, out);
    case 2:
      return launch_look_up<std::uint16_t>(stream, squares, table, out);
    case 4:
      return launch_look_up<std::uint32_t>(stream, squares, table, out);
    default:
      launch_look_up<std::uint64_t>(stream, squares, table, out);
  }
}

}  // namespace tamis::distance_detail::gpu
