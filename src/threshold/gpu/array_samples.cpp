#include "threshold/gpu/array_samples.hpp"

#include <tamis/error.hpp>

#include "core/gpu/array/copy.hpp"
#include "threshold/slabs.hpp"

namespace tamis::threshold_detail::gpu {
namespace {

using cuda::check;

/// Bytes from a row to the next one if that is the same everywhere and x is contiguous, else 0.
std::int64_t pitch_of(const GpuArray& array) {
  const Shape& shape = array.shape;
  const std::int64_t sample = sample_bytes(array.type);
  const std::int64_t row = shape.x * sample;
  if (shape.x > 1 && array.stride_x != sample) return 0;
  if (shape.y == 1 && shape.z == 1) return row;
  const std::int64_t pitch = shape.y > 1 ? array.stride_y : array.stride_z;
  if (shape.y > 1 && shape.z > 1 && array.stride_z != pitch * shape.y) return 0;
  return pitch >= row ? pitch : 0;
}

/// The host's copy of counts on the device. Waits.
std::vector<std::int64_t> fetch(const cuda::Stream& stream, const cuda::DeviceBuffer<unsigned long long>& counts,
                                std::int64_t count) {
  const cuda::PinnedBuffer<unsigned long long> host(stream, count);
  check(cudaMemcpyAsync(host.data(), counts.data(), static_cast<std::size_t>(count) * sizeof(unsigned long long),
                        cudaMemcpyDeviceToHost, stream.get()),
        "read counts");
  stream.synchronize();
  return {host.data(), host.data() + count};
}

}  // namespace

ArraySamples::ArraySamples(const cuda::Stream& stream, const GpuArray& image, const GpuArray& domain)
    : stream_(stream), shape_(image.shape) {
  rows_.type = image.type;
  rows_.samples = image.data;
  rows_.pitch = pitch_of(image);
  rows_.rows = shape_.z * shape_.y;
  rows_.columns = shape_.x;
  if (rows_.pitch == 0) {
    const std::int64_t sample = sample_bytes(image.type);
    dense_ = cuda::DeviceBuffer<std::byte>(stream, shape_.count() * sample);
    cuda::copy_samples(stream, image, dense_gpu_array<void>(dense_.data(), image.type, shape_, image.gpu));
    rows_.samples = dense_.data();
    rows_.pitch = shape_.x * sample;
  }
  if (domain.empty()) return;
  inside_ = cuda::DeviceBuffer<unsigned long long>(stream, 1);
  inside_.clear();
  domain_ = cuda::pack_array(stream, domain, {}, inside_.data());
  rows_.domain = domain_.words.data();
  rows_.domain_rows = domain.shape.z < shape_.z ? shape_.y : 0;
}

void ArraySamples::require_some() const {
  samples_ = shape_.count();
  if (domain_.empty()) return;
  samples_ = fetch(stream_, inside_, 1)[0] * (rows_.domain_rows > 0 ? shape_.z : 1);
  if (samples_ == 0) throw InputError("domain: 0 everywhere; wanted at least one sample inside");
}

std::vector<std::int64_t> ArraySamples::patterns() const {
  const std::int64_t bins = std::int64_t{1} << (8 * sample_bytes(rows_.type));
  const cuda::DeviceBuffer<unsigned long long> counts(stream_, bins);
  counts.clear();
  count_patterns(stream_, rows_, counts.data());
  return fetch(stream_, counts, bins);
}

std::vector<std::int64_t> ArraySamples::bins(const BinRule& rule) const {
  constexpr std::int64_t bins = 256;
  const cuda::DeviceBuffer<unsigned long long> counts(stream_, bins);
  counts.clear();
  count_bins(stream_, rows_, rule, counts.data());
  return fetch(stream_, counts, bins);
}

bool ArraySamples::has_others(std::uint64_t low, std::uint64_t high) const {
  const cuda::DeviceBuffer<unsigned long long> odd(stream_, 1);
  check(cudaMemsetAsync(odd.data(), 0xff, odd.bytes(), stream_.get()), "set a flag");
  PackJob job;
  job.rule = Rule::OneOf;
  job.low = low;
  job.high = high;
  PackTarget target;
  target.first_odd = odd.data();
  pack_rows(stream_, rows_, job, target);
  return fetch(stream_, odd, 1)[0] != -1;
}

template <class T>
RangeOfBands<T> ArraySamples::range() const {
  // The bands of an image in memory of the host: sums are rounded in their order.
  Layout layout;
  layout.type = rows_.type;
  layout.shape = shape_;
  BandCut cut;
  cut.rows = band_at(layout, {}, 0).rows;
  cut.slice_rows = shape_.y;
  cut.count = band_count(layout);
  const cuda::DeviceBuffer<LaneRange> ranges(stream_, cut.count * LaneRange::lanes);
  find_range(stream_, rows_, cut, ranges.data());
  const cuda::PinnedBuffer<LaneRange> host(stream_, ranges.size());
  check(cudaMemcpyAsync(host.data(), ranges.data(), ranges.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
        "read ranges");
  stream_.synchronize();
  RangeOfBands<T> range(cut.count);
  for (std::int64_t band = 0; band < cut.count; ++band) {
    range.take(band, extremes_of<T>(host.data() + band * LaneRange::lanes));
  }
  if (range.first_nan()) throw InputError("the array holds NaN; wanted numbers");
  return range;
}

template RangeOfBands<std::int32_t> ArraySamples::range() const;
template RangeOfBands<std::uint32_t> ArraySamples::range() const;
template RangeOfBands<std::int64_t> ArraySamples::range() const;
template RangeOfBands<std::uint64_t> ArraySamples::range() const;
template RangeOfBands<float> ArraySamples::range() const;
template RangeOfBands<double> ArraySamples::range() const;

}  // namespace tamis::threshold_detail::gpu
