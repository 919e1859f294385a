// Random shapes and images, and arrays on the GPU in random views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tamis/gpu/array.hpp>
#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "tests/gpu_fuzz/random.hpp"

namespace tamis::gpu_fuzz {

/// Samples of an image of a usual case; now and then many more.
[[nodiscard]] std::int64_t random_budget(Random& random, std::int64_t most);
/// At most `budget` samples, extents at the limits in any order. Rank 2 or 3.
[[nodiscard]] Shape random_shape(Random& random, int rank, std::int64_t budget);

/// Noise, boxes, few values, ramps, constants; extremes of the type among them. `nan_share` of F32 samples are NaN.
[[nodiscard]] Image random_image(Random& random, Type type, const Shape& shape, double nan_share = 0);
/// A Bool image with objects of several sizes: full but for holes, boxes, noise, all, nothing.
[[nodiscard]] Image random_object(Random& random, const Shape& shape);
/// Regions apart from each other, mostly.
[[nodiscard]] Image random_domain(Random& random, const Shape& shape);
void clip(Image& object, const Image& domain);
[[nodiscard]] Image copy_of(const Image& image);

/// A value of the type, its extremes among them.
[[nodiscard]] double random_value(Random& random, Type type);

/// As an array has it: a byte a sample of Bool.
[[nodiscard]] std::vector<std::byte> samples_of(const Image& image);

/// An array on the GPU: any order of axes, gaps between samples, reversed axes.
class DeviceArray {
 public:
  DeviceArray(const cuda::Stream& stream, Type type, const Shape& shape, Random& random);
  DeviceArray(const cuda::Stream& stream, const Image& image, Random& random);

  [[nodiscard]] GpuArray input() const;
  [[nodiscard]] const GpuOutput& output() const { return array_; }
  /// Dense samples. Throws if anything beside them was written.
  [[nodiscard]] std::vector<std::byte> download();

 private:
  template <class Visit>
  void for_each(const Visit& visit) const;
  void send();

  const cuda::Stream& stream_;
  GpuOutput array_;
  std::int64_t first_ = 0;
  std::vector<std::byte> host_;
  cuda::DeviceBuffer<std::byte> memory_;
};

}  // namespace tamis::gpu_fuzz
