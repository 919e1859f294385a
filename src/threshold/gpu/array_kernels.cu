#include "threshold/gpu/kernels.hpp"

#include <type_traits>

#include "core/gpu/array/strided.cuh"
#include "core/visit_type.hpp"
#include "threshold/pack_job.hpp"

namespace tamis::threshold_detail::gpu {
namespace {

using cuda::Together;

template <class T, int most>
struct Binarise {
  static constexpr int together = most;
  std::uint8_t* object;
  const std::uint8_t* samples;
  const std::uint8_t* domain;  ///< nullptr: everything counts
  T low, high;
  bool dark;
  unsigned* nan;

  template <int count>
  __device__ void run(const std::int64_t (&at)[3]) const {
    const auto in = *reinterpret_cast<const Together<T, count>*>(samples + at[1]);
    Together<std::uint8_t, count> inside = {};
    if (domain) inside = *reinterpret_cast<const Together<std::uint8_t, count>*>(domain + at[2]);
    Together<std::uint8_t, count> out;
    bool odd = false;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const T v = in.sample[k];
      const bool counts = !domain || inside.sample[k] != 0;
      const bool bright = (v >= low) & (v <= high);
      out.sample[k] = static_cast<std::uint8_t>(counts && bright != dark);
      if constexpr (!std::is_integral_v<T>) odd |= counts && v != v;
    }
    *reinterpret_cast<Together<std::uint8_t, count>*>(object + at[0]) = out;
    if (odd && nan) atomicOr(nan, 1U);
  }
};

/// Strides of a domain for a walk through all slices. Without one those of the output, which never stand in the way.
cuda::Strides domain_strides(const GpuArray& image, const GpuArray& domain, const GpuOutput& output) {
  if (domain.empty()) return cuda::strides_of(output);
  cuda::Strides strides = cuda::strides_of(domain);
  if (domain.shape.z < image.shape.z) strides.z = 0;
  return strides;
}

constexpr int most_together = 8;

}  // namespace

void binarise_array(const cuda::Stream& stream, const GpuArray& image, const GpuArray& domain,
                    const BrightSamples& bright, const GpuOutput& object, unsigned* nan) {
  const cuda::Strides strides[] = {cuda::strides_of(object), cuda::strides_of(image),
                                   domain_strides(image, domain, object)};
  const cuda::StridedWalk<3> walk = cuda::plan_walk(image.shape, strides);
  visit_type(image.type, [&](auto zero) {
    using T = decltype(zero);
    const auto run = [&](auto operation) {
      operation.object = static_cast<std::uint8_t*>(object.data);
      operation.samples = static_cast<const std::uint8_t*>(image.data);
      operation.domain = static_cast<const std::uint8_t*>(domain.data);
      operation.low = sample_of<T>(bright.low);
      operation.high = sample_of<T>(bright.high);
      operation.dark = bright.dark;
      operation.nan = nan;
      cuda::run_walk(stream, walk, operation, "threshold an array");
    };
    const std::int64_t sizes[] = {1, sizeof(T), 1};
    const void* const addresses[] = {object.data, image.data, domain.empty() ? object.data : domain.data};
    if (cuda::can_take_together(walk, sizes, addresses, most_together)) {
      run(Binarise<T, most_together>{});
    } else {
      run(Binarise<T, 1>{});
    }
  });
}

}  // namespace tamis::threshold_detail::gpu
