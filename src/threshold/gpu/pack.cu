// Samples to bits.
#include <type_traits>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "core/visit_type.hpp"
#include "threshold/gpu/rows.cuh"
#include "threshold/pack_job.hpp"

namespace tamis::threshold_detail::gpu {
namespace {

using cuda::whole_warp;
using namespace rows_kernel;

template <class T>
struct PackRule {
  T low, high;
  unsigned flip;  ///< all ones: the object is what is not bright
};

template <class T, Rule rule>
__global__ void pack_kernel(const Rows rows, const PackRule<T> by, const PackTarget target) {
  constexpr int per = Share<T>::samples;
  constexpr int lanes_of_half = Share<T>::lanes / 2;
  const unsigned long long words = std::uint64_t{rows.rows} * rows.words;
  const unsigned lane = threadIdx.x % Share<T>::lanes;
  unsigned set = 0;
  // The whole warp goes round, since lanes put their bits together. Its first lane has its smallest word.
  const unsigned in_warp = threadIdx.x % 32 / Share<T>::lanes;
#pragma unroll 4
  for (unsigned long long i = first_word<T>(); i - in_warp < words; i += word_step<T>()) {
    const Part<T> part = load_part<T>(rows, i);
    unsigned bright = 0;
    unsigned odd = 0;
#pragma unroll
    for (int k = 0; k < per; ++k) {
      const T v = part.sample[k];
      if constexpr (rule == Rule::OneOf) {
        bright |= static_cast<unsigned>(v == by.high) << k;
        odd |= static_cast<unsigned>(!(v == by.high) & !(v == by.low)) << k;
      } else {
        bright |= static_cast<unsigned>((v >= by.low) & (v <= by.high)) << k;
        if constexpr (!std::is_integral_v<T>) odd |= static_cast<unsigned>(v != v) << k;
      }
    }
    if (odd & part.inside && target.first_odd) {
      const unsigned long long row = part.row + target.row_offset;
      if (row < *static_cast<const volatile unsigned long long*>(target.first_odd)) atomicMin(target.first_odd, row);
    }
    unsigned half = ((bright ^ by.flip) & part.inside) << (lane % lanes_of_half * per);
#pragma unroll
    for (int distance = 1; distance < lanes_of_half; distance *= 2) {
      half |= __shfl_xor_sync(whole_warp, half, distance);
    }
    if (!part.valid || lane % lanes_of_half > 0) continue;
    set += __popc(half);
    if (target.bits) reinterpret_cast<unsigned*>(target.bits)[2 * i + lane / lanes_of_half] = half;
  }
  if (!target.set) return;
  for (int distance = 16; distance > 0; distance /= 2) set += __shfl_down_sync(whole_warp, set, distance);
  if (threadIdx.x % 32 == 0 && set > 0) atomicAdd(target.set, static_cast<unsigned long long>(set));
}

template <class T>
void launch_pack(const cuda::Stream& stream, const Rows& rows, const PackJob& job, const PackTarget& target) {
  // Four words a lane: enough loads in flight, and few blocks that report a count.
  const unsigned blocks = (blocks_for<T>(rows, threads, std::int64_t{1} << 30) + 3) / 4;
  const PackRule<T> by = {sample_of<T>(job.low), sample_of<T>(job.high), job.complement ? ~0U : 0U};
  const auto kernel = job.rule == Rule::Between ? pack_kernel<T, Rule::Between> : pack_kernel<T, Rule::OneOf>;
  cuda::launch(stream, {dim3(blocks), dim3(threads)}, "pack samples", kernel, rows, by, target);
}

}  // namespace

void pack_rows(const cuda::Stream& stream, const SampleRows& rows, const PackJob& job, const PackTarget& target) {
  visit_type(rows.type, [&](auto sample) {
    in_parts(rows, [&](const SampleRows& part, std::int64_t row, std::int64_t word) {
      PackTarget to = target;
      if (to.bits) to.bits += word;
      to.row_offset += static_cast<unsigned long long>(row);
      launch_pack<decltype(sample)>(stream, kernel_rows(part), job, to);
    });
  });
}

void pack_bits(const cuda::Stream& stream, Type type, const void* device_samples, const Shape& shape, const Cut& cut,
               std::uint64_t* device_bits) {
  SampleRows rows;
  rows.type = type;
  rows.samples = device_samples;
  rows.pitch = shape.x * sample_bytes(type);
  rows.rows = shape.z * shape.y;
  rows.columns = shape.x;
  rows.domain = cut.device_domain;
  rows.domain_rows = cut.domain_rows;
  PackJob job;
  job.complement = cut.dark;
  visit_type(type, [&](auto sample) {
    const auto range = bounds<decltype(sample)>(cut.above, cut.up_to);
    job.low = sample_bits(range.low);
    job.high = sample_bits(range.high);
  });
  PackTarget target;
  target.bits = device_bits;
  const cuda::DeviceScope scope(stream.device());
  pack_rows(stream, rows, job, target);
}

}  // namespace tamis::threshold_detail::gpu
