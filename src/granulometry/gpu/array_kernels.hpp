// What a granulometry of arrays on a GPU does before and after the openings. Queued; nothing waits.
#pragma once

#include <cstdint>

#include <tamis/gpu/array.hpp>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/distance/erosions.hpp"

namespace tamis::granulometry_detail::gpu {

/// What the bits say before anything is opened.
struct ArrayCensus {
  unsigned long long object = 0;
  unsigned long long domain = 0;
  unsigned long long border = 0;  ///< object in the outermost layer of the domain
};

/// Adds to the counts, which are on the device. `object` lies in `domain`, which may have no words: then it is
/// everything.
void count_bits(const cuda::Stream& stream, const Shape& shape, const BitImage& object, const BitImage& domain,
                bool z_is_axis, ArrayCensus* census);
/// The same with nothing before, and the counts on the host. Waits.
[[nodiscard]] ArrayCensus census_of(const cuda::Stream& stream, const Shape& shape, const BitImage& object,
                                    const BitImage& domain, bool z_is_axis);

/// A size map as kernels leave it: rows of samples of 1 or 2 bytes.
struct MapRows {
  const void* samples = nullptr;
  int sample = 1;
  std::int64_t pitch = 0;  ///< bytes from a row to the next, through all slices
};

/// Copies a map to its array. Voxels of the object (inside the domain, which may be empty) that have 0 never erode:
/// they get `never_value`, unless that is 0. The values have to fit.
void write_map(const cuda::Stream& stream, const MapRows& map, const GpuArray& object, const GpuArray& domain,
               std::int64_t never_value, const GpuOutput& out);

}  // namespace tamis::granulometry_detail::gpu
