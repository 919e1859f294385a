#include "granulometry/gpu/balls/squares.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

constexpr int threads = 256;

cuda::LaunchShape threads_for(std::int64_t samples) {
  constexpr std::int64_t most_blocks = 1 << 16;
  const std::int64_t blocks = std::clamp<std::int64_t>((samples + threads - 1) / threads, 1, most_blocks);
  return {dim3(static_cast<unsigned>(blocks)), dim3(threads)};
}

/// Calls work(i, bit) for every sample; rows are whole words of bits, so that warps are whole.
template <class Work>
__global__ void __launch_bounds__(threads)
    samples_kernel(std::int64_t count, const std::uint64_t* bits, const Work work) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += all) {
    work(i, bits != nullptr && (bits[i / 64] >> (i % 64) & 1) != 0);
  }
}

template <class Lane, class Work>
void for_samples(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits,
                 const char* what, const Work& work) {
  const std::int64_t count = squares.z * squares.slice();
  cuda::launch(stream, threads_for(count), what, samples_kernel<Work>, count, bits, work);
}

template <class Lane>
struct Mark {
  const Lane* from;
  Lane* to;
  __device__ void operator()(std::int64_t i, bool bit) const { to[i] = bit ? from[i] : Lane{0}; }
};

template <class Lane>
struct Pack {
  const Lane* from;
  std::uint32_t* to;
  __device__ void operator()(std::int64_t i, bool) const {
    const unsigned bits = __ballot_sync(whole_warp, from[i] != 0);
    if (threadIdx.x % 32 == 0) to[i / 32] = bits;
  }
};

/// Where a bit is `bit`, `from` becomes `to`.
template <class Lane>
struct Replace {
  Lane* squares;
  bool bit;
  Lane from, to;
  __device__ void operator()(std::int64_t i, bool there) const {
    if (there == bit && squares[i] == from) squares[i] = to;
  }
};

struct Widen {
  const std::uint16_t* from;
  std::uint32_t* to;
  __device__ void operator()(std::int64_t i, bool) const { to[i] = from[i]; }
};

/// A plane of samples, two strides in samples.
template <class Lane>
struct Plane {
  const Lane* first;
  std::int64_t rows, columns;
  std::int64_t row, column;
};

template <class Lane>
__global__ void __launch_bounds__(threads) plane_kernel(const Plane<Lane> plane, unsigned long long* largest) {
  unsigned long long most = 0;
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < plane.rows * plane.columns; i += all) {
    most = max(most, static_cast<unsigned long long>(
                         plane.first[i / plane.columns * plane.row + i % plane.columns * plane.column]));
  }
  if (most > 0) atomicMax(largest, most);
}

template <class Lane>
Plane<Lane> plane_of(const SquareRows<Lane>& squares, const Faces& face) {
  const std::int64_t slice = squares.slice();
  if (face.z_low || face.z_high) {
    return {squares.data + (face.z_high ? (squares.z - 1) * slice : 0), squares.y, squares.x, squares.pitch, 1};
  }
  if (face.y_low || face.y_high) {
    return {squares.data + (face.y_high ? (squares.y - 1) * squares.pitch : 0), squares.z, squares.x, slice, 1};
  }
  return {squares.data + (face.x_high ? squares.x - 1 : 0), squares.z, squares.y, slice, squares.pitch};
}

}  // namespace

template <class Lane>
void mark(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits, Lane* to) {
  for_samples(stream, squares, bits, "mark the inlet", Mark<Lane>{squares.data, to});
}

template <class Lane>
void pack_positive(const cuda::Stream& stream, const SquareRows<Lane>& squares, std::uint64_t* bits) {
  for_samples(stream, squares, nullptr, "pack squares",
              Pack<Lane>{squares.data, reinterpret_cast<std::uint32_t*>(bits)});
}

template <class Lane>
void stand_alone(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits) {
  for_samples(stream, squares, bits, "what is not reached", Replace<Lane>{squares.data, true, 0, 1});
}

template <class Lane>
void hide_alone(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits) {
  for_samples(stream, squares, bits, "what is not covered", Replace<Lane>{squares.data, false, 1, 0});
}

template <class Lane>
void find_largest_of_face(const cuda::Stream& stream, const SquareRows<Lane>& squares, const Faces& face,
                          unsigned long long* largest) {
  const Plane<Lane> plane = plane_of(squares, face);
  cuda::launch(stream, threads_for(plane.rows * plane.columns), "find the largest square", plane_kernel<Lane>, plane,
               largest);
}

void widen(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, std::uint32_t* to) {
  for_samples(stream, squares, nullptr, "widen squares", Widen{squares.data, to});
}

#define TAMIS_FOR_LANE(Lane)                                                                     \
  template void mark(const cuda::Stream&, const SquareRows<Lane>&, const std::uint64_t*, Lane*); \
  template void pack_positive(const cuda::Stream&, const SquareRows<Lane>&, std::uint64_t*);     \
  template void stand_alone(const cuda::Stream&, const SquareRows<Lane>&, const std::uint64_t*); \
  template void hide_alone(const cuda::Stream&, const SquareRows<Lane>&, const std::uint64_t*);  \
  template void find_largest_of_face(const cuda::Stream&, const SquareRows<Lane>&, const Faces&, unsigned long long*);
TAMIS_FOR_LANE(std::uint16_t)
TAMIS_FOR_LANE(std::uint32_t)
TAMIS_FOR_LANE(std::uint64_t)
#undef TAMIS_FOR_LANE

}  // namespace tamis::granulometry_detail::gpu::balls
