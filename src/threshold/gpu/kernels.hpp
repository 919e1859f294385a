// Samples in device memory to bits and counts. Everything here is queued on a stream and waits for nothing.
#pragma once

#include <cstdint>
#include <limits>

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

/// Adds to a count for each of the 2^8 or 2^16 patterns of a sample.
void count_patterns(const cuda::Stream& stream, const SampleRows& rows, unsigned long long* counts);

/// Adds to 256 counts.
void count_bins(const cuda::Stream& stream, const SampleRows& rows, const BinRule& rule, unsigned long long* counts);

/// How rows are cut into bands: `rows` of a slice of `slice_rows`, the last band of a slice having what is left.
struct BandCut {
  std::int64_t rows = 1;
  std::int64_t slice_rows = 1;
  std::int64_t first = 0;  ///< index of the first band, which starts with the first row
  std::int64_t count = 0;
};
/// LaneRange::lanes ranges for each band. The samples have more than 2 bytes.
void find_range(const cuda::Stream& stream, const SampleRows& rows, const BandCut& bands, LaneRange* ranges);

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

}  // namespace tamis::threshold_detail::gpu
