// How often samples fall into each bin or cell: in shared memory, a table a block, then added up.
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

/// 256 bins. Each lane has a table of its own, all in its own bank of shared memory: lanes never meet, whatever the
/// image; the warps of a block share them.
template <class T>
__global__ void count_byte_kernel(const Rows rows, unsigned long long* counts) {
  __shared__ unsigned tables[bins_of_byte * 32];
  for (unsigned i = threadIdx.x; i < bins_of_byte * 32; i += threads) tables[i] = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  const unsigned long long words = std::uint64_t{rows.rows} * rows.words;
  for (unsigned long long i = first_word<T>(); i < words; i += word_step<T>()) {
    const Part<T> part = load_part<T>(rows, i);
#pragma unroll
    for (int k = 0; k < Share<T>::samples; ++k) {
      if (part.inside >> k & 1U) atomicAdd(&tables[PatternBin()(part.sample[k]) * 32 + lane], 1U);
    }
  }
  __syncthreads();
  static_assert(threads == bins_of_byte);
  unsigned long long sum = 0;
  for (unsigned k = 0; k < 32; ++k) sum += tables[threadIdx.x * 32 + (lane + k) % 32];
  if (sum > 0) atomicAdd(counts + threadIdx.x, sum);
}

/// Up to 65,536 bins: a block counts the `bins` ones from blockIdx.y * bins on, which is what fits into shared memory.
/// Equal neighbours are counted at once: they would wait for each other in one bin.
template <class T, class Bin>
__global__ void count_many_kernel(const Rows rows, const Bin bin, unsigned bins, unsigned long long* counts) {
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
      const unsigned place = bin(part.sample[k]) - first;
      if (run > 0 && place != before) {
        if (before < bins) atomicAdd(&table[before], run);
        run = 0;
      }
      before = place;
      ++run;
    }
    if (run > 0 && before < bins) atomicAdd(&table[before], run);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < bins; i += blockDim.x) {
    if (table[i] > 0) atomicAdd(counts + first + i, static_cast<unsigned long long>(table[i]));
  }
}

/// Adds to a sum of three words of shared memory, `apart` from each other. Whoever makes one overflow carries.
__device__ __forceinline__ void add_wide(unsigned* words, unsigned apart, std::uint64_t value) {
  const auto low = static_cast<unsigned>(value);
  const unsigned before = atomicAdd(words, low);
  const unsigned middle = static_cast<unsigned>(value >> 32) + (before + low < before ? 1U : 0U);
  if (middle == 0) return;
  const unsigned middle_before = atomicAdd(words + apart, middle);
  if (middle_before + middle < middle_before) atomicAdd(words + 2 * apart, 1U);
}

/// The cells of a rule, in shared memory: their counts, then the words of their sums.
template <class T>
__global__ void count_cells_kernel(const Rows rows, const CellRule rule, unsigned long long* counts) {
  extern __shared__ unsigned table[];
  const auto cells = static_cast<unsigned>(rule.cells());
  for (unsigned i = threadIdx.x; i < 4 * cells; i += blockDim.x) table[i] = 0;
  __syncthreads();
  using Key = KeyOf<T>;
  const auto first = static_cast<Key>(rule.first);
  const auto length = static_cast<Key>(rule.last - rule.first);
  const auto rest = static_cast<Key>((std::uint64_t{1} << rule.shift) - 1);
  constexpr unsigned lanes = Share<T>::lanes;
  const unsigned long long words = std::uint64_t{rows.rows} * rows.words;
  const unsigned long long groups = blockDim.x / lanes;
  for (unsigned long long i = blockIdx.x * groups + threadIdx.x / lanes; i < words; i += gridDim.x * groups) {
    const Part<T> part = load_part<T>(rows, i);
#pragma unroll
    for (int k = 0; k < Share<T>::samples; ++k) {
      const Key key = static_cast<Key>(key_of(part.sample[k]) - first);
      if (!(part.inside >> k & 1U) || key > length) continue;
      const auto cell = static_cast<unsigned>(key >> rule.shift);
      atomicAdd(&table[cell], 1U);
      if ((key & rest) != 0) add_wide(&table[cells + cell], cells, key & rest);
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < cells; i += blockDim.x) {
    if (table[i] == 0) continue;
    constexpr int bits = CellCount::low_bits;
    const unsigned low = table[cells + i];
    const std::uint64_t high = table[2 * cells + i] | std::uint64_t{table[3 * cells + i]} << 32;
    atomicAdd(counts + 3 * i, static_cast<unsigned long long>(table[i]));
    atomicAdd(counts + 3 * i + 1, static_cast<unsigned long long>(low & ((1U << bits) - 1)));
    atomicAdd(counts + 3 * i + 2, static_cast<unsigned long long>((high << (32 - bits)) + (low >> bits)));
  }
}

std::int64_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, device), "ask a device");
  return value;
}

template <class T>
void launch_count_bytes(const cuda::Stream& stream, const SampleRows& rows, unsigned long long* counts) {
  constexpr std::int64_t blocks_of_processor = 6;  // what fits into shared memory, on most
  const std::int64_t most = blocks_of_processor * attribute(cudaDevAttrMultiProcessorCount, stream.device());
  in_parts(rows, [&](const SampleRows& part, std::int64_t, std::int64_t) {
    const Rows r = kernel_rows(part);
    cuda::launch(stream, {dim3(blocks_for<T>(r, threads, most)), dim3(threads)}, "count samples", count_byte_kernel<T>,
                 r, counts);
  });
}

template <class T, class Bin>
void launch_count_many(const cuda::Stream& stream, const SampleRows& rows, const Bin& bin, unsigned all,
                       unsigned long long* counts) {
  constexpr unsigned many_threads = 1024;
  const std::int64_t room = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, stream.device());
  const std::int64_t most = attribute(cudaDevAttrMultiProcessorCount, stream.device());
  unsigned bins = all;
  while (static_cast<std::int64_t>(bins * sizeof(unsigned)) > room) bins = (bins + 1) / 2;
  in_parts(rows, [&](const SampleRows& part, std::int64_t, std::int64_t) {
    const Rows r = kernel_rows(part);
    cuda::launch(stream,
                 {dim3(blocks_for<T>(r, many_threads, most), (all + bins - 1) / bins), dim3(many_threads),
                  bins * sizeof(unsigned)},
                 "count samples", count_many_kernel<T, Bin>, r, bin, bins, counts);
  });
}

template <class T>
void launch_count_cells(const cuda::Stream& stream, const SampleRows& rows, const CellRule& rule,
                        unsigned long long* counts) {
  constexpr unsigned cell_threads = 512;
  constexpr std::int64_t blocks_of_processor = 3;  // what fits into shared memory, on most
  const std::int64_t most = blocks_of_processor * attribute(cudaDevAttrMultiProcessorCount, stream.device());
  const std::size_t bytes = 4 * static_cast<std::size_t>(rule.cells()) * sizeof(unsigned);
  in_parts(rows, [&](const SampleRows& part, std::int64_t, std::int64_t) {
    const Rows r = kernel_rows(part);
    cuda::launch(stream, {dim3(blocks_for<T>(r, cell_threads, most)), dim3(cell_threads), bytes}, "count samples",
                 count_cells_kernel<T>, r, rule, counts);
  });
}

}  // namespace

void count(const cuda::Stream& stream, const SampleRows& rows, const Question& question, unsigned long long* numbers) {
  visit_type(rows.type, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (sizeof(T) == 1) {
      launch_count_bytes<T>(stream, rows, numbers);
    } else if constexpr (sizeof(T) == 2) {
      launch_count_many<T>(stream, rows, PatternBin{}, BinRule::most_bins, numbers);
    } else if (const auto* const cells = std::get_if<CellRule>(&question)) {
      launch_count_cells<T>(stream, rows, *cells, numbers);
    } else if (const auto* const bins = std::get_if<BinRule>(&question)) {
      launch_count_many<T>(stream, rows, *bins, static_cast<unsigned>(bins->size), numbers);
    } else {
      find_range(stream, rows, numbers);
    }
  });
}

}  // namespace tamis::threshold_detail::gpu
