#include <algorithm>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/device.hpp"
#include "granulometry/plan.hpp"
#include "papers/boulos/study/gpu_bench.hpp"

namespace tamis::gpu_bench {

using boulos::gpu::SchemeTask;
using cuda::check;
using granulometry_detail::gpu::BitImage;
using granulometry_detail::gpu::Neighbours;
using granulometry_detail::gpu::WindowQuery;
using granulometry_detail::gpu::Windows;
using granulometry_detail::gpu::WindowTask;

Json to_json(const Times& times) { return {{"median_s", times.median}, {"min_s", times.least}, {"max_s", times.most}}; }

Json to_json(const Timed& times) { return {{"device", to_json(times.device)}, {"host", to_json(times.host)}}; }

void require_same(const std::string& what, const Curve& got, const Curve& wanted) {
  if (got == wanted) return;
  if (got.size() != wanted.size()) {
    throw Error(fmt::format("{}: a curve of {} rows; wanted {}", what, got.size(), wanted.size()));
  }
  const auto n = std::mismatch(got.begin(), got.end(), wanted.begin()).first - got.begin();
  const auto row = static_cast<std::size_t>(n);
  throw Error(fmt::format("{}: opening {} leaves {} voxels; wanted {}", what, n, got[row], wanted[row]));
}

Timed time_job(const cuda::Stream& stream, const Job& job, const Curve& wanted, int repetitions) {
  job.queue();
  require_same(job.name, job.curve(), wanted);
  const bench::Timer timer(stream);
  std::vector<double> device, host;
  for (int i = 0; i < repetitions; ++i) {
    Curve curve;
    host.push_back(seconds_of([&] {
      timer.start();
      job.queue();
      timer.stop();
      curve = job.curve();
    }));
    device.push_back(timer.milliseconds() / 1000);
    require_same(job.name + ", repeated", curve, wanted);
  }
  return {times_of(device), times_of(host)};
}

DeviceBits::DeviceBits(const cuda::Stream& stream, const Shape& shape)
    : shape_(shape), words_(stream, shape.z * shape.y * words_of_row()) {}

DeviceBits::DeviceBits(const cuda::Stream& stream, const Image& object) : DeviceBits(stream, object.shape()) {
  upload(stream, object.data());
  stream.synchronize();
}

void DeviceBits::upload(const cuda::Stream& stream, const void* host) const {
  check(cudaMemcpyAsync(words_.data(), host, words_.bytes(), cudaMemcpyHostToDevice, stream.get()), "copy bits");
}

namespace {

WindowTask window_task(const Shape& shape, bool map) {
  WindowTask task;
  task.windows = Windows(shape.z, shape.y, shape.x);
  task.neighbours = Neighbours::Cross3;
  task.map = map;
  return task;
}

SchemeTask paper_task(const Shape& shape, std::optional<std::int64_t> max_size) {
  SchemeTask task;
  task.grid = granulometry_detail::make_grid(shape, Element::Cross);
  task.max_size = max_size.value_or(-1);
  return task;
}

}  // namespace

Curve curve_of(const std::vector<std::int64_t>& counts, std::optional<std::int64_t> max_size) {
  Curve curve(counts.size());
  std::int64_t above = 0;
  for (std::size_t n = counts.size(); n-- > 0;) {
    curve[n] = above;
    above += counts[n];
  }
  curve.erase(std::find(curve.begin(), curve.end(), 0) + 1, curve.end());
  if (max_size) curve.resize(std::min(curve.size(), static_cast<std::size_t>(*max_size) + 1));
  return curve;
}

Ours::Ours(const cuda::Stream& stream, const DeviceBits& bits, std::optional<std::int64_t> max_size, bool map)
    : stream_(stream), bits_(bits), max_size_(max_size), run_(stream, window_task(bits.shape(), map)) {}

void Ours::queue() {
  const std::int64_t slices = bits_.shape().z;
  const BitImage image{bits_.words(), bits_.words_of_row(), slices};
  WindowQuery query;
  query.cap = max_size_ ? *max_size_ + 1 : 0;  // what survives the last opening counts as one more
  query.end = slices;
  query.inner_end = slices;
  static_cast<void>(run_.measure(image, nullptr, query));
  run_.open(query);
}

Curve Ours::curve() {
  stream_.synchronize();
  return curve_of(run_.counts(), max_size_);
}

Papers::Papers(const cuda::Stream& stream, const DeviceBits& bits, std::optional<std::int64_t> max_size)
    : bits_(bits), paper_(stream, paper_task(bits.shape(), max_size)) {}

}  // namespace tamis::gpu_bench
