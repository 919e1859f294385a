// What is done to the samples of arrays on a GPU, whatever their strides. Queued; nothing waits.
#pragma once

#include <cstdint>

#include <tamis/gpu/array.hpp>

#include "core/gpu/stream.hpp"

namespace tamis::threshold_detail::gpu {

/// Which samples are bright: low <= sample <= high, as bit patterns of the samples (sample_bits()).
struct BrightSamples {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool dark = false;  ///< the object is what is not bright
};

/// `object` becomes 1 where a sample inside the domain (which may be empty) is in the object, elsewhere 0. `nan`, if
/// any, becomes 1 if a sample inside the domain is NaN.
void binarise_array(const cuda::Stream& stream, const GpuArray& image, const GpuArray& domain,
                    const BrightSamples& bright, const GpuOutput& object, unsigned* nan);

}  // namespace tamis::threshold_detail::gpu
