// Samples of an array on a GPU as the counting kernels want them, and what is counted.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/gpu/array.hpp>

#include "core/gpu/array/bits.hpp"
#include "core/gpu/stream.hpp"
#include "threshold/extremes.hpp"
#include "threshold/gpu/kernels.hpp"

namespace tamis::threshold_detail::gpu {

class ArraySamples {
 public:
  /// Queues a dense copy if x is not contiguous or rows are not evenly spaced, and the packing of the domain.
  ArraySamples(const cuda::Stream& stream, const GpuArray& image, const GpuArray& domain);

  /// All of these wait for the stream. Throws InputError if nothing is in the domain.
  void require_some() const;
  /// How often each bit pattern occurs, for samples of 1 or 2 bytes.
  [[nodiscard]] std::vector<std::int64_t> patterns() const;
  /// For samples of more. Throws InputError for NaN.
  template <class T>
  [[nodiscard]] RangeOfBands<T> range() const;
  [[nodiscard]] std::vector<std::int64_t> bins(const BinRule& rule) const;
  /// Whether there are other samples than these two, given as bit patterns.
  [[nodiscard]] bool has_others(std::uint64_t low, std::uint64_t high) const;

  [[nodiscard]] Type type() const { return rows_.type; }
  /// Samples that count; known once require_some() was called.
  [[nodiscard]] std::int64_t samples() const { return samples_; }

 private:
  const cuda::Stream& stream_;
  Shape shape_;
  cuda::DeviceBuffer<std::byte> dense_;
  cuda::DeviceBits domain_;
  cuda::DeviceBuffer<unsigned long long> inside_;  ///< samples in one slice of the domain, or in all
  SampleRows rows_;
  mutable std::int64_t samples_ = 0;
};

}  // namespace tamis::threshold_detail::gpu
