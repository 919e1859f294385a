// How kernels walk through rows of samples: 16 bytes a lane, wherever rows start; the lanes that share a word of bits
// stand side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/gpu/launch.hpp"
#include "threshold/gpu/kernels.hpp"

namespace tamis::threshold_detail::gpu::rows_kernel {

constexpr int threads = 256;

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

/// The first word of the block's thread, and the step between its words.
template <class T>
__device__ __forceinline__ unsigned long long first_word() {
  return std::uint64_t{blockIdx.x} * (threads / Share<T>::lanes) + threadIdx.x / Share<T>::lanes;
}
template <class T>
__device__ __forceinline__ unsigned long long word_step() {
  return std::uint64_t{gridDim.x} * (threads / Share<T>::lanes);
}

inline Rows kernel_rows(const SampleRows& rows) {
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

}  // namespace tamis::threshold_detail::gpu::rows_kernel
