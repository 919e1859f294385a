// How often samples fall into each bin: in shared memory, a table a block, then added up.
#include <algorithm>
#include <type_traits>

#include "core/gpu/launch.hpp"
#include "core/visit_type.hpp"
#include "threshold/gpu/rows.cuh"

namespace tamis::threshold_detail::gpu {
namespace {

using namespace rows_kernel;

constexpr unsigned bins_of_byte = 256;

struct PatternBin {
  template <class T>
  __device__ unsigned operator()(T v) const {
    return static_cast<std::make_unsigned_t<T>>(v);
  }
};

/// The arithmetic of the CPU: no operation may be fused with another.
struct RuleBin {
  BinRule rule;
  template <class T>
  __device__ unsigned operator()(T v) const {
    const double place = __dmul_rn(__dsub_rn(__dmul_rn(static_cast<double>(v), rule.unit), rule.start), rule.scale);
    return min(255, static_cast<int>(place));
  }
};

/// 256 bins. Each lane has a table of its own, all in its own bank of shared memory: lanes never meet, whatever the
/// image; the warps of a block share them.
template <class T, class Bin>
__global__ void count_byte_kernel(const Rows rows, const Bin bin, unsigned long long* counts) {
  __shared__ unsigned tables[bins_of_byte * 32];
  for (unsigned i = threadIdx.x; i < bins_of_byte * 32; i += threads) tables[i] = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  const unsigned long long words = std::uint64_t{rows.rows} * rows.words;
  for (unsigned long long i = first_word<T>(); i < words; i += word_step<T>()) {
    const Part<T> part = load_part<T>(rows, i);
#pragma unroll
    for (int k = 0; k < Share<T>::samples; ++k) {
      if (part.inside >> k & 1U) atomicAdd(&tables[bin(part.sample[k]) * 32 + lane], 1U);
    }
  }
  __syncthreads();
  static_assert(threads == bins_of_byte);
  unsigned long long sum = 0;
  for (unsigned k = 0; k < 32; ++k) sum += tables[threadIdx.x * 32 + (lane + k) % 32];
  if (sum > 0) atomicAdd(counts + threadIdx.x, sum);
}

/// Samples of 16 bits: a block counts the `bins` patterns from blockIdx.y * bins on, which is what fits into shared
/// memory. Equal neighbours are counted at once: they would wait for each other in one bin.
template <class T>
__global__ void count_short_kernel(const Rows rows, unsigned bins, unsigned long long* counts) {
  extern __shared__ unsigned table[];
  for (unsigned i = threadIdx.x; i < bins; i += blockDim.x) table[i] = 0;
  __syncthreads();
  constexpr unsigned lanes = Share<T>::lanes;
  const unsigned first = blockIdx.y * bins;
  const unsigned long long words = std::uint64_t{rows.rows} * rows.words;
  const unsigned long long groups = blockDim.x / lanes;
  for (unsigned long long i = blockIdx.x * groups + threadIdx.x / lanes; i < words; i += gridDim.x * groups) {
    const Part<T> part = load_part<T>(rows, i);
    unsigned before = 0;
    unsigned run = 0;
#pragma unroll
    for (int k = 0; k < Share<T>::samples; ++k) {
      if (!(part.inside >> k & 1U)) continue;
      const unsigned pattern = static_cast<std::make_unsigned_t<T>>(part.sample[k]) - first;
      if (run > 0 && pattern != before) {
        if (before < bins) atomicAdd(&table[before], run);
        run = 0;
      }
      before = pattern;
      ++run;
    }
    if (run > 0 && before < bins) atomicAdd(&table[before], run);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < bins; i += blockDim.x) {
    if (table[i] > 0) atomicAdd(counts + first + i, static_cast<unsigned long long>(table[i]));
  }
}

std::int64_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, device), "ask a device");
  return value;
}

template <class T, class Bin>
void launch_count_bytes(const cuda::Stream& stream, const SampleRows& rows, const Bin& bin,
                        unsigned long long* counts) {
  constexpr std::int64_t blocks_of_processor = 6;  // what fits into shared memory, on most
  const std::int64_t most = blocks_of_processor * attribute(cudaDevAttrMultiProcessorCount, stream.device());
  in_parts(rows, [&](const SampleRows& part, std::int64_t, std::int64_t) {
    const Rows r = kernel_rows(part);
    cuda::launch(stream, {dim3(blocks_for<T>(r, threads, most)), dim3(threads)}, "count samples",
                 count_byte_kernel<T, Bin>, r, bin, counts);
  });
}

template <class T>
void launch_count_shorts(const cuda::Stream& stream, const SampleRows& rows, unsigned long long* counts) {
  constexpr unsigned patterns = 1U << 16;
  constexpr unsigned short_threads = 1024;
  const std::int64_t room = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, stream.device());
  const std::int64_t most = attribute(cudaDevAttrMultiProcessorCount, stream.device());
  unsigned bins = patterns;
  while (static_cast<std::int64_t>(bins * sizeof(unsigned)) > room) bins /= 2;
  in_parts(rows, [&](const SampleRows& part, std::int64_t, std::int64_t) {
    const Rows r = kernel_rows(part);
    cuda::launch(
        stream,
        {dim3(blocks_for<T>(r, short_threads, most), patterns / bins), dim3(short_threads), bins * sizeof(unsigned)},
        "count samples", count_short_kernel<T>, r, bins, counts);
  });
}

}  // namespace

void count_patterns(const cuda::Stream& stream, const SampleRows& rows, unsigned long long* counts) {
  visit_type(rows.type, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (sizeof(T) == 1) launch_count_bytes<T>(stream, rows, PatternBin{}, counts);
    if constexpr (sizeof(T) == 2) launch_count_shorts<T>(stream, rows, counts);
  });
}

void count_bins(const cuda::Stream& stream, const SampleRows& rows, const BinRule& rule, unsigned long long* counts) {
  visit_type(rows.type, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (sizeof(T) > 2) launch_count_bytes<T>(stream, rows, RuleBin{rule}, counts);
  });
}

}  // namespace tamis::threshold_detail::gpu
