// Samples in device memory to bits and counts. Everything here is queued on a stream and waits for nothing.
#pragma once

#include <cstdint>
#include <limits>

#include <tamis/gpu/array.hpp>
#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "threshold/device.hpp"

namespace tamis::threshold_detail::gpu {

/// Rows of samples in device memory, with the domain's bits for them, rows as in an Image.
struct SampleRows {
  Type type = Type::U8;
  const void* samples = nullptr;
  std::int64_t pitch = 0;  ///< bytes from a row to the next
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  const std::uint64_t* domain = nullptr;  ///< nullptr: all samples count
  std::int64_t domain_rows = 0;           ///< the domain repeats after so many; 0: a row of it for every row
};

struct PackTarget {
  std::uint64_t* bits = nullptr;      ///< rows as in an Image; nullptr: the samples are only checked
  unsigned long long* set = nullptr;  ///< samples in the object are added here; may be null
  unsigned long long* first_odd =
      nullptr;  ///< falls to the first row, plus `row_offset`, that breaks the rule; may be null
  unsigned long long row_offset = 0;
};

/// By the rule, complement and bounds of `job`, whose other members do not count.
void pack_rows(const cuda::Stream& stream, const SampleRows& rows, const PackJob& job, const PackTarget& target);

/// Adds to numbers_of(question) numbers, or of samples of 1 or 2 bytes to a count for each of their 2^8 or 2^16
/// patterns.
void count(const cuda::Stream& stream, const SampleRows& rows, const Question& question, unsigned long long* numbers);
/// What RangeRule asks.
void find_range(const cuda::Stream& stream, const SampleRows& rows, unsigned long long* range);

/// What is object: above < sample <= up_to, or, dark, what is not. NaN is not looked for; it is never bright.
struct Cut {
  double above = 0;
  double up_to = std::numeric_limits<double>::infinity();
  bool dark = false;
  const std::uint64_t* device_domain = nullptr;  ///< rows as in an Image; nullptr: all samples count
  std::int64_t domain_rows = 0;                  ///< of one slice for all, or of all; 0: of all
};

/// Dense samples to bits, both in device memory; bits are rows as in an Image.
void pack_bits(const cuda::Stream& stream, Type type, const void* device_samples, const Shape& shape, const Cut& cut,
               std::uint64_t* device_bits);

// What is done to the samples of arrays on a GPU, whatever their strides. Queued; nothing waits.

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
