// The least and the largest key, and whether all samples are whole numbers.
#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "core/visit_type.hpp"
#include "threshold/gpu/rows.cuh"

namespace tamis::threshold_detail::gpu {
namespace {

using cuda::whole_warp;
using namespace rows_kernel;

template <class T>
__global__ void range_kernel(const Rows rows, unsigned long long* range) {
  using Key = KeyOf<T>;
  Key high = 0;
  Key turned = 0;  // the largest with all bits turned round, which is that of the least
  bool fraction = false;
  const unsigned long long words = std::uint64_t{rows.rows} * rows.words;
#pragma unroll 2
  for (unsigned long long i = first_word<T>(); i < words; i += word_step<T>()) {
    const Part<T> part = load_part<T>(rows, i);
#pragma unroll
    for (int k = 0; k < Share<T>::samples; ++k) {
      if (!(part.inside >> k & 1U)) continue;
      const Key key = key_of(part.sample[k]);
      high = max(high, key);
      turned = max(turned, static_cast<Key>(~key));
      fraction = fraction || !is_whole(part.sample[k]);
    }
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    high = max(high, __shfl_xor_sync(whole_warp, high, distance));
    turned = max(turned, __shfl_xor_sync(whole_warp, turned, distance));
  }
  const bool any = __any_sync(whole_warp, fraction);
  if (threadIdx.x % 32 > 0) return;
  atomicMax(range, static_cast<unsigned long long>(high));
  atomicMax(range + 1, static_cast<unsigned long long>(turned));
  if (any) atomicMax(range + 2, 1ULL);
}

}  // namespace

void find_range(const cuda::Stream& stream, const SampleRows& rows, unsigned long long* range) {
  visit_type(rows.type, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (sizeof(T) > 2) {
      in_parts(rows, [&](const SampleRows& part, std::int64_t, std::int64_t) {
        constexpr std::int64_t enough = 1024;  // blocks, each of which reports
        const Rows r = kernel_rows(part);
        cuda::launch(stream, {dim3(blocks_for<T>(r, threads, enough)), dim3(threads)}, "find the range",
                     range_kernel<T>, r, range);
      });
    }
  });
}

}  // namespace tamis::threshold_detail::gpu
