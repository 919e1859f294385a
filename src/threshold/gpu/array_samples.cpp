#include "threshold/gpu/array_samples.hpp"

#include <tamis/error.hpp>

#include "core/gpu/array/copy.hpp"

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

/// What `count` adds to so many counts, which begin with zeros.
template <class Count>
std::vector<std::int64_t> counted(const cuda::Stream& stream, std::int64_t size, const Count& count) {
  const cuda::DeviceBuffer<unsigned long long> counts(stream, size);
  counts.clear();
  count(counts.data());
  return fetch(stream, counts, size);
}

}  // namespace

ArraySamples::ArraySamples(const cuda::Stream& stream, const GpuArray& image, const GpuArray& domain)
    : Samples(image.type, image.shape.count(), "array"), stream_(stream), shape_(image.shape) {
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
  const std::int64_t inside =
      counted(stream, 1, [&](unsigned long long* count) { domain_ = cuda::pack_array(stream, domain, {}, count); })[0];
  if (inside == 0) throw InputError("domain: 0 everywhere; wanted at least one sample inside");
  const bool repeats = domain.shape.z < shape_.z;
  rows_.domain = domain_.words.data();
  rows_.domain_rows = repeats ? shape_.y : 0;
  set_count(inside * (repeats ? shape_.z : 1));
}

std::vector<std::int64_t> ArraySamples::patterns() const {
  return counted(stream_, std::int64_t{1} << (8 * sample_bytes(rows_.type)),
                 [&](unsigned long long* counts) { gpu::count(stream_, rows_, RangeRule(), counts); });
}

std::vector<std::int64_t> ArraySamples::answer(const Question& question) {
  return counted(stream_, numbers_of(question),
                 [&](unsigned long long* numbers) { gpu::count(stream_, rows_, question, numbers); });
}

void ArraySamples::refuse_nan() { throw InputError("the array holds NaN; wanted numbers"); }

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

}  // namespace tamis::threshold_detail::gpu
