// The kernels: 16 bytes of samples a lane, wherever rows start.
#include <algorithm>
#include <type_traits>

#include "core/cuda/launch.hpp"
#include "core/visit_type.hpp"
#include "threshold/threshold_bounds.hpp"
#include "threshold/threshold_cuda.hpp"

namespace tamis::detail {
namespace {

constexpr unsigned whole_warp = 0xffffffffU;
constexpr int threads = 256;
constexpr unsigned bins_of_byte = 256;

/// SampleRows as a kernel wants them.
struct Rows {
  const std::uint8_t* samples;
  const std::uint8_t* end;  ///< of the last row
  std::int64_t pitch;
  unsigned rows, words;  ///< words of bits a row
  int columns;
  const std::uint64_t* domain;
  unsigned domain_rows;
};

/// The lanes that share a word of 64 samples, and the samples of each.
template <class T>
struct Share {
  static constexpr int samples = 16 / sizeof(T);
  static constexpr int lanes = 64 / samples;
};

/// Samples of one lane: `inside` has a bit for each that counts.
template <class T>
struct Part {
  T sample[Share<T>::samples];
  unsigned inside = 0;
  unsigned row = 0;
  unsigned word = 0;  ///< of the row
  bool valid = false;
};

/// 16 bytes from any address that samples can have; only what lies before `end` is read.
template <class T>
__device__ __forceinline__ uint4 load_bytes(const std::uint8_t* from, const std::uint8_t* end, int samples) {
  const auto skew = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
  const std::uint8_t* const base = from - skew;
  const bool both = skew + static_cast<unsigned>(samples) * sizeof(T) > 16;
  if (base + (both ? 32 : 16) > end) {
    T single[Share<T>::samples] = {};
#pragma unroll
    for (int k = 0; k < Share<T>::samples; ++k) {
      if (k < samples) single[k] = reinterpret_cast<const T*>(from)[k];
    }
    uint4 value;
    memcpy(&value, single, sizeof value);
    return value;
  }
  const uint4 low = __ldg(reinterpret_cast<const uint4*>(base));
  if (skew == 0) return low;
  const uint4 high = both ? __ldg(reinterpret_cast<const uint4*>(base) + 1) : low;
  unsigned w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  if (skew & 8) {
#pragma unroll
    for (int i = 0; i < 6; ++i) w[i] = w[i + 2];
  }
  if (skew & 4) {
#pragma unroll
    for (int i = 0; i < 5; ++i) w[i] = w[i + 1];
  }
  const unsigned bits = skew % 4 * 8;
  return {__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits), __funnelshift_r(w[2], w[3], bits),
          __funnelshift_r(w[3], w[4], bits)};
}

/// The samples of this lane for the group's word number `index`, counted through all rows.
template <class T>
__device__ __forceinline__ Part<T> load_part(const Rows& rows, unsigned long long index) {
  constexpr int per = Share<T>::samples;
  Part<T> part;
  part.valid = index < std::uint64_t{rows.rows} * rows.words;
  if (!part.valid) return part;
  const auto i = static_cast<unsigned>(index);  // launches are cut so that it fits
  part.row = i / rows.words;
  part.word = i - part.row * rows.words;
  const int group = static_cast<int>(threadIdx.x % Share<T>::lanes);
  const int first = static_cast<int>(part.word) * 64 + group * per;
  const int samples = min(per, rows.columns - first);
  if (samples <= 0) return part;
  const std::uint8_t* const from = rows.samples + part.row * rows.pitch + std::int64_t{first} * sizeof(T);
  const uint4 bytes = load_bytes<T>(from, rows.end, samples);
  memcpy(part.sample, &bytes, sizeof bytes);
  part.inside = ~0U >> (32 - samples);
  if (rows.domain) {
    const unsigned row = part.row % rows.domain_rows;
    part.inside &= static_cast<unsigned>(rows.domain[std::int64_t{row} * rows.words + part.word] >> (group * per));
  }
  return part;
}

template <class T>
struct PackRule {
  T low, high;
  unsigned flip;  ///< all ones: the object is what is not bright
};

/// The first word of the block's thread, and the step between its words.
template <class T>
__device__ __forceinline__ unsigned long long first_word() {
  return std::uint64_t{blockIdx.x} * (threads / Share<T>::lanes) + threadIdx.x / Share<T>::lanes;
}
template <class T>
__device__ __forceinline__ unsigned long long word_step() {
  return std::uint64_t{gridDim.x} * (threads / Share<T>::lanes);
}

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

/// A thread for each lane of a band, which takes every eighth sample of a row, so that sums round as on the CPU.
template <class T>
__global__ void range_kernel(const Rows rows, const BandCut bands, const T highest, const T lowest, LaneRange* ranges) {
  constexpr auto lanes = static_cast<int>(LaneRange::lanes);
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t index = thread / lanes;
  if (index >= bands.count) return;
  const auto lane = static_cast<int>(thread % lanes);
  const std::int64_t per_slice = (bands.slice_rows + bands.rows - 1) / bands.rows;
  const auto row_of = [&](std::int64_t band) {
    return band / per_slice * bands.slice_rows + band % per_slice * bands.rows;
  };
  const std::int64_t y = (bands.first + index) % per_slice * bands.rows;
  const std::int64_t first = row_of(bands.first + index) - row_of(bands.first);
  const std::int64_t end = first + min(bands.rows, bands.slice_rows - y);
  T low = highest;
  T high = lowest;
  double sum = 0;
  bool nan = false;
  for (std::int64_t row = first; row < end; ++row) {
    const T* const samples = reinterpret_cast<const T*>(rows.samples + row * rows.pitch);
    const std::uint64_t* const inside =
        rows.domain ? rows.domain + row % rows.domain_rows * std::int64_t{rows.words} : nullptr;
#pragma unroll 8
    for (int x = lane; x < rows.columns; x += lanes) {
      const T v = samples[x];
      if (inside && !(inside[x / 64] >> (x % 64) & 1U)) continue;
      low = v < low ? v : low;
      high = v > high ? v : high;
      sum = __dadd_rn(sum, static_cast<double>(v));
      nan = nan || v != v;
    }
  }
  LaneRange range;
  memcpy(&range.low, &low, sizeof low);
  memcpy(&range.high, &high, sizeof high);
  range.sum = sum;
  range.nan = nan;
  ranges[thread] = range;
}

Rows kernel_rows(const SampleRows& rows) {
  Rows out = {};
  out.samples = static_cast<const std::uint8_t*>(rows.samples);
  out.end = out.samples + (rows.rows - 1) * rows.pitch + rows.columns * sample_bytes(rows.type);
  out.pitch = rows.pitch;
  out.rows = static_cast<unsigned>(rows.rows);
  out.words = static_cast<unsigned>((rows.columns + 63) / 64);
  out.columns = static_cast<int>(rows.columns);
  out.domain = rows.domain;
  out.domain_rows = static_cast<unsigned>(rows.domain_rows > 0 ? rows.domain_rows : rows.rows);
  return out;
}

/// Enough blocks for every word to have its lanes, but no more than `most`.
template <class T>
unsigned blocks_for(const Rows& rows, std::int64_t of_threads, std::int64_t most) {
  const std::int64_t words = std::int64_t{rows.rows} * rows.words;
  const std::int64_t groups = of_threads / Share<T>::lanes;
  return static_cast<unsigned>(std::clamp<std::int64_t>((words + groups - 1) / groups, 1, most));
}

std::int64_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, device), "ask a device");
  return value;
}

/// Calls body with parts of the rows whose words can be counted with 32 bits; domains that repeat stay in step.
template <class Body>
void in_parts(const SampleRows& rows, const Body& body) {
  constexpr std::int64_t most_words = std::int64_t{1} << 31;
  const std::int64_t words = (rows.columns + 63) / 64;
  std::int64_t most = std::max<std::int64_t>(most_words / words, 1);
  if (rows.domain_rows > 0 && rows.domain_rows < most) most -= most % rows.domain_rows;
  for (std::int64_t first = 0; first < rows.rows; first += most) {
    SampleRows part = rows;
    part.samples = static_cast<const std::byte*>(rows.samples) + first * rows.pitch;
    part.rows = std::min(most, rows.rows - first);
    if (rows.domain) part.domain += (rows.domain_rows > 0 ? first % rows.domain_rows : first) * words;
    body(part, first, first * words);
  }
}

template <class T>
T sample_of(std::uint64_t pattern) {
  T sample;
  std::memcpy(&sample, &pattern, sizeof sample);
  return sample;
}

template <class T>
void launch_pack(const cuda::Stream& stream, const Rows& rows, const PackJob& job, const PackTarget& target) {
  // Four words a lane: enough loads in flight, and few blocks that report a count.
  const unsigned blocks = (blocks_for<T>(rows, threads, std::int64_t{1} << 30) + 3) / 4;
  const PackRule<T> by = {sample_of<T>(job.low), sample_of<T>(job.high), job.complement ? ~0U : 0U};
  const auto kernel = job.rule == Rule::Between ? pack_kernel<T, Rule::Between> : pack_kernel<T, Rule::OneOf>;
  cuda::launch(stream, {dim3(blocks), dim3(threads)}, "pack samples", kernel, rows, by, target);
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

void find_range(const cuda::Stream& stream, const SampleRows& rows, const BandCut& bands, LaneRange* ranges) {
  visit_type(rows.type, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (sizeof(T) > 2) {
      using Limits = std::numeric_limits<T>;
      const T highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
      const T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
      const auto blocks = static_cast<unsigned>((bands.count * LaneRange::lanes + threads - 1) / threads);
      cuda::launch(stream, {dim3(blocks), dim3(threads)}, "find the range", range_kernel<T>, kernel_rows(rows), bands,
                   highest, lowest, ranges);
    }
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

}  // namespace tamis::detail
