#include "core/gpu/array/copy.hpp"

#include "core/gpu/array/strided.cuh"

namespace tamis::cuda {
namespace {

template <class T, int most>
struct Copy {
  static constexpr int together = most;
  std::uint8_t* to;
  const std::uint8_t* from;

  template <int count>
  __device__ void run(const std::int64_t (&at)[2]) const {
    *reinterpret_cast<Together<T, count>*>(to + at[0]) = *reinterpret_cast<const Together<T, count>*>(from + at[1]);
  }
};

template <class T>
void copy_as(const Stream& stream, const GpuArray& from, const GpuOutput& to) {
  constexpr int most = 16 / sizeof(T);
  const Strides strides[] = {strides_of(to), strides_of(from)};
  const StridedWalk<2> walk = plan_walk(from.shape, strides);
  auto* const out = static_cast<std::uint8_t*>(to.data);
  const auto* const in = static_cast<const std::uint8_t*>(from.data);
  const std::int64_t sizes[] = {sizeof(T), sizeof(T)};
  const void* const addresses[] = {to.data, from.data};
  if (can_take_together(walk, sizes, addresses, most)) {
    run_walk(stream, walk, Copy<T, most>{out, in}, "copy an array");
  } else {
    run_walk(stream, walk, Copy<T, 1>{out, in}, "copy an array");
  }
}

/// `at[1]` counts bits.
template <int most>
struct Unpack {
  static constexpr int together = most;
  std::uint8_t* to;
  const std::uint8_t* bits;

  template <int count>
  __device__ void run(const std::int64_t (&at)[2]) const {
    const unsigned own = static_cast<unsigned>(bits[at[1] / 8]) >> (at[1] % 8);
    Together<std::uint8_t, count> out;
#pragma unroll
    for (int k = 0; k < count; ++k) out.sample[k] = static_cast<std::uint8_t>(own >> k & 1U);
    *reinterpret_cast<Together<std::uint8_t, count>*>(to + at[0]) = out;
  }
};

}  // namespace

void copy_samples(const Stream& stream, const GpuArray& from, const GpuOutput& to) {
  const std::int64_t bytes = sample_bytes(from.type);
  if (bytes == 1) return copy_as<std::uint8_t>(stream, from, to);
  if (bytes == 2) return copy_as<std::uint16_t>(stream, from, to);
  if (bytes == 4) return copy_as<std::uint32_t>(stream, from, to);
  copy_as<std::uint64_t>(stream, from, to);
}

void unpack_bits(const Stream& stream, const DeviceImage& bits, const GpuOutput& to) {
  constexpr int most = 8;
  const Strides strides[] = {strides_of(to), {bits.slice * 8, bits.pitch * 8, 1}};
  const StridedWalk<2> walk = plan_walk(to.shape, strides);
  auto* const out = static_cast<std::uint8_t*>(to.data);
  const auto* const in = reinterpret_cast<const std::uint8_t*>(bits.data);
  const std::int64_t sizes[] = {1, 1};
  const void* const addresses[] = {to.data, nullptr};  // bits are counted from a byte on
  if (can_take_together(walk, sizes, addresses, most)) {
    run_walk(stream, walk, Unpack<most>{out, in}, "unpack bits");
  } else {
    run_walk(stream, walk, Unpack<1>{out, in}, "unpack bits");
  }
}

}  // namespace tamis::cuda
