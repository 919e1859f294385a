// Samples of an array on a GPU as the counting kernels want them, and what is counted.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/gpu/array.hpp>

#include "core/gpu/array/copy.hpp"
#include "core/gpu/stream.hpp"
#include "threshold/gpu/kernels.hpp"
#include "threshold/samples.hpp"

namespace tamis::threshold_detail::gpu {

class ArraySamples final : public Samples {
 public:
  /// Makes a dense copy if x is not contiguous or rows are not evenly spaced, and packs the domain. This and what
  /// follows waits for the stream. Throws InputError if nothing is in the domain.
  ArraySamples(const cuda::Stream& stream, const GpuArray& image, const GpuArray& domain);

  /// How often each bit pattern occurs, for samples of 1 or 2 bytes.
  [[nodiscard]] std::vector<std::int64_t> patterns() const;
  /// Whether there are other samples than these two, given as bit patterns.
  [[nodiscard]] bool has_others(std::uint64_t low, std::uint64_t high) const;

 private:
  std::vector<std::int64_t> answer(const Question& question) override;
  void refuse_nan() override;

  const cuda::Stream& stream_;
  Shape shape_;
  cuda::DeviceBuffer<std::byte> dense_;
  cuda::DeviceBits domain_;
  SampleRows rows_;
};

}  // namespace tamis::threshold_detail::gpu
