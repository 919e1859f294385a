// Everything that is claimed of one volume.
#include <algorithm>
#include <charconv>
#include <cstring>

#include <memory>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/gpu/binary.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/io.hpp>
#include <tamis/phantom.hpp>
#include <tamis/threshold.hpp>

#include "bench/pinned_volume.hpp"
#include "papers/boulos/study/gpu_bench.hpp"
#include "threshold/gpu/kernels.hpp"

namespace tamis::gpu_bench {
namespace {

using bench::PinnedVolume;
using cuda::check;

/// Logic operations a second, measured on an H200: 62 of LOP3 per multiprocessor and clock, 132 of them, 1.98 GHz.
constexpr double h200_logic_rate = 16.1e12;
/// Per word of 32 voxels, about: a unit step of the recursion for each of its planes (75 in all on six: 4.5 maxima, a
/// comparison with the level, a choice), and a unit erosion with its count.
constexpr double step_operations_of_plane = 12.5;
constexpr double erosion_operations = 8;
/// Word-steps that can change anything, of all, where 2 words by 4 rows by 4 slices are skipped together: counted in
/// the foam of 1024^3. What a floor with skipping has to compute.
constexpr double active_share = 0.17;

constexpr std::int64_t copied_bytes = std::int64_t{2} << 30;
constexpr std::int64_t chunk_bytes = std::int64_t{256} << 20;
constexpr double threshold = 127;

Image load(const Context& cpu, const std::string& what) {
  const std::string foam = "foam:";
  if (what.rfind(foam, 0) != 0) {
    const std::unique_ptr<FileSource> source = open_file(what);
    return std::move(binarise(cpu, *source, {}).object);
  }
  std::int64_t edge = 0;
  const char* const end = what.data() + what.size();
  const auto [stopped, error] = std::from_chars(what.data() + foam.size(), end, edge);
  if (error != std::errc() || stopped != end || edge < 1) throw InputError(what + "; wanted foam:N, as in foam:1024");
  FoamOptions options;
  options.shape = {edge, edge, edge, 3};
  return phantom_foam(cpu, options);
}

/// Bytes read and written a second by a copy on the device.
double copy_speed(const cuda::Stream& stream) {
  const cuda::DeviceBuffer<std::byte> from(stream, copied_bytes), to(stream, copied_bytes);
  from.clear();
  const bench::Timer timer(stream);
  std::vector<double> seconds;
  for (int i = 0; i < 12; ++i) {
    timer.start();
    check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream.get()), "copy");
    timer.stop();
    const double copy = timer.milliseconds() / 1000;
    if (i >= 2) seconds.push_back(copy);  // the first ones warm up
  }
  return 2.0 * static_cast<double>(copied_bytes) / times_of(seconds).median;
}

/// The histogram of the size map is the curve again: recounts it on the host, voxel by voxel.
Curve curve_of_map(const Context& cpu, const cuda::Stream& stream, const Ours& ours, const Shape& shape) {
  const granulometry_detail::gpu::WindowRun& run = ours.run();
  const std::int64_t row = shape.x * run.sample();
  const std::int64_t group = std::clamp<std::int64_t>(chunk_bytes / (row * shape.y), 1, shape.z);
  const cuda::PinnedBuffer<std::uint8_t> host(group * shape.y * row);
  Curve counts(65536);
  for (std::int64_t z = 0; z < shape.z; z += group) {
    const std::int64_t rows = std::min(group, shape.z - z) * shape.y;
    check(cudaMemcpy2DAsync(host.data(), static_cast<std::size_t>(row), run.map() + z * shape.y * run.map_pitch(),
                            static_cast<std::size_t>(run.map_pitch()), static_cast<std::size_t>(row),
                            static_cast<std::size_t>(rows), cudaMemcpyDeviceToHost, stream.get()),
          "copy the map");
    stream.synchronize();
    std::vector<Curve> partial(64, Curve(counts.size()));
    parallel_for(cpu, 64, [&](std::int64_t part) {
      Curve& own = partial[static_cast<std::size_t>(part)];
      const std::int64_t end = rows * shape.x * (part + 1) / 64;
      for (std::int64_t i = rows * shape.x * part / 64; i < end; ++i) {
        const auto* const wide = reinterpret_cast<const std::uint16_t*>(host.data());
        ++own[run.sample() == 1 ? host[i] : wide[i]];
      }
    });
    for (const Curve& own : partial)
      for (std::size_t value = 0; value < counts.size(); ++value) counts[value] += own[value];
  }
  return curve_of(counts, {});
}

struct Bench {
  Context cpu;  ///< all cores
  Context gpu;
  int repetitions = 0;
  Image object;
  Curve wanted;  ///< the CPU's curve

  [[nodiscard]] std::int64_t voxels() const { return object.shape().count(); }
};

/// Packed bits in host memory to the curve, all cores; the first run is the truth for all that follows.
Json time_cpu(Bench& bench) {
  std::vector<double> seconds;
  const int repetitions = bench.voxels() > std::int64_t{1} << 31 ? 1 : 3;
  bench.wanted = granulometry(bench.cpu, bench.object).volume;
  for (int i = 0; i < repetitions; ++i) {
    Curve curve;
    seconds.push_back(seconds_of([&] { curve = granulometry(bench.cpu, bench.object).volume; }));
    require_same("the CPU, repeated", curve, bench.wanted);
  }
  return to_json(times_of(seconds));
}

/// What bounds the time on this device: bytes over the speed of a copy, operations over the rate of an H200.
Json floors(const Bench& bench, int planes, double speed) {
  const double bits = static_cast<double>(bench.voxels()) / 8;
  const double words = static_cast<double>(bench.voxels()) / 32;
  const auto sizes = static_cast<double>(bench.wanted.size() - 1);
  const int steps = granulometry_detail::gpu::steps_of_pass(granulometry_detail::gpu::Neighbours::Cross3, planes);
  // An erosion pass reads and writes bits and writes a count of two planes; a pass of the recursion moves all planes.
  const double erosion_passes = sizes / 4, recursion_passes = sizes / steps;
  const double dense_bytes = bits * (erosion_passes * 4 + recursion_passes * 2 * planes);
  const double erosions = words * erosion_operations * sizes / h200_logic_rate;
  const double recursion = words * step_operations_of_plane * planes * sizes / h200_logic_rate;
  // The paper's scheme: as many erosions as sizes, after the last of which nothing is left to dilate. Every pass reads
  // and writes the bits, but the last dilation of an opening writes nothing.
  const double dilations = sizes * (sizes - 1) / 2;
  const double paper_bits = 2 * (sizes + dilations) - (sizes - 1);
  return {{"logic_operations_per_s", h200_logic_rate},
          {"active_share", active_share},
          {"planes", planes},
          {"steps_of_pass", steps},
          {"read_bits_once_s", bits / speed},
          {"traffic_without_skipping_s", dense_bytes / speed},
          {"logic_without_skipping_s", erosions + recursion},
          {"logic_of_active_words_s", erosions + recursion * active_share},
          {"paper_passes", sizes + dilations},
          {"paper_traffic_s", bits * paper_bits / speed}};
}

Json time_ours(const Bench& bench, const cuda::Stream& stream, const DeviceBits& bits, double speed) {
  Json out;
  {
    Ours ours(stream, bits, {});
    const Timed plain = time_job(stream, ours.job(), bench.wanted, bench.repetitions);
    out["ours"] = to_json(plain);
    out["floors"] = floors(bench, ours.run().planes(), speed);
    stream.synchronize();
  }
  Ours ours(stream, bits, {}, true);
  const Timed with_map = time_job(stream, ours.job(), bench.wanted, bench.repetitions);
  require_same("the size map", curve_of_map(bench.cpu, stream, ours, bits.shape()), bench.wanted);
  out["ours_with_map"] = to_json(with_map);
  out["map_extra_s"] = with_map.device.median - out["ours"]["device"]["median_s"].get<double>();
  return out;
}

/// Cuts the samples into chunks; the device packs one while nothing else is wanted of it.
class DevicePacking {
 public:
  DevicePacking(const cuda::Stream& stream, const Shape& shape)
      : stream_(stream),
        shape_(shape),
        group_(std::clamp<std::int64_t>(chunk_bytes / (shape.y * shape.x), 1, shape.z)),
        samples_(stream, group_ * shape.y * shape.x) {}

  void queue(const PinnedVolume& volume, const DeviceBits& bits) const {
    threshold_detail::gpu::Cut cut;
    cut.above = threshold;
    for (std::int64_t z = 0; z < shape_.z; z += group_) {
      Shape part = shape_;
      part.z = std::min(group_, shape_.z - z);
      check(cudaMemcpyAsync(samples_.data(), volume.slice(z), static_cast<std::size_t>(part.count()),
                            cudaMemcpyHostToDevice, stream_.get()),
            "copy samples");
      threshold_detail::gpu::pack_bits(stream_, Type::U8, samples_.data(), part, cut,
                                       bits.words() + z * shape_.y * bits.words_of_row());
    }
  }

 private:
  const cuda::Stream& stream_;
  Shape shape_;
  std::int64_t group_;  ///< slices of a chunk
  cuda::DeviceBuffer<std::uint8_t> samples_;
};

Times time_host(const std::string& name, const Bench& bench, const std::function<Curve()>& work) {
  require_same(name, work(), bench.wanted);
  std::vector<double> seconds;
  for (int i = 0; i < std::min(bench.repetitions, 7); ++i) {
    Curve curve;
    seconds.push_back(seconds_of([&] { curve = work(); }));
    require_same(name + ", repeated", curve, bench.wanted);
  }
  return times_of(seconds);
}

/// The two ways to bits on the device, with everything prepared that a stream of volumes would prepare once.
void time_prepared_jobs(const Bench& bench, const cuda::Stream& stream, PinnedVolume& volume,
                        const ThresholdOptions& options, Json& out) {
  const DeviceBits bits(stream, bench.object.shape());
  Ours ours(stream, bits, {});
  const auto run = [&] {
    ours.queue();
    return ours.curve();
  };
  out["packed_by_the_cpu"] = to_json(time_host("u8, packed by the CPU", bench, [&] {
    const Binary binary = binarise(bench.cpu, volume, options);
    bits.upload(stream, binary.object.data());
    return run();
  }));
  const DevicePacking packing(stream, bench.object.shape());
  out["packed_by_the_gpu"] = to_json(time_host("u8, packed by the GPU", bench, [&] {
    packing.queue(volume, bits);
    return run();
  }));
  const bench::Timer timer(stream);
  timer.start();
  packing.queue(volume, bits);
  timer.stop();
  out["upload_and_pack_s"] = timer.milliseconds() / 1000;
  stream.synchronize();
}

/// The library's calls, from samples of the host to the curve: with the bits on the host between them, and with bits
/// that stay on the GPU.
Json time_public_calls(const Bench& bench, SliceSource& volume, const ThresholdOptions& options) {
  Json out;
  for (const auto& [name, packer] : {std::pair{"cpu_packs", &bench.cpu}, {"gpu_packs", &bench.gpu}}) {
    out[name] = to_json(time_host(name, bench, [&, packing = packer] {
      const Binary binary = binarise(*packing, volume, options);
      return granulometry(bench.gpu, binary.object).volume;
    }));
  }
  out["bits_stay"] = to_json(time_host(
      "bits that stay", bench, [&] { return granulometry(bench.gpu, GpuBinary(bench.gpu, volume, options)).volume; }));
  return out;
}

/// The whole job: samples in pinned host memory to the curve; then in memory as users have it.
Json time_jobs(const Bench& bench, const cuda::Stream& stream) {
  PinnedVolume volume(bench.cpu, bench.object);
  ThresholdOptions options;
  options.method = ThresholdMethod::Value;
  options.value = threshold;
  Json out;
  time_prepared_jobs(bench, stream, volume, options, out);
  stream.synchronize();
  cuda::trim_pool(stream.device());  // the library's calls start like a user's
  out["public_bits"] =
      to_json(time_host("bits of the host", bench, [&] { return granulometry(bench.gpu, bench.object).volume; }));
  out["public_pinned"] = time_public_calls(bench, volume, options);
  Image pageable(Type::U8, bench.object.shape());
  volume.read(0, pageable.shape().z, pageable.data());
  const std::unique_ptr<SliceSource> source = source_of(pageable);
  out["public_pageable"] = time_public_calls(bench, *source, options);
  options.method = ThresholdMethod::Otsu;  // of samples that are 0 and 255 any value between them will do
  out["public_pageable_otsu"] = time_public_calls(bench, *source, options);
  return out;
}

Bench bench_of(const std::string& what, int repetitions) {
  tamis::bench::require_gpu();
  Bench bench;
  bench.cpu = tamis::bench::on(Device::Cpu);
  bench.gpu = tamis::bench::on(Device::Cuda);
  bench.repetitions = repetitions;
  bench.object = load(bench.cpu, what);
  return bench;
}

Json description_of(const Bench& bench, const std::string& what) {
  const Shape& shape = bench.object.shape();
  return {{"volume", what.substr(what.rfind('/') + 1)}, {"shape_zyx", {shape.z, shape.y, shape.x}}};
}

}  // namespace

void bench_jobs(const std::string& what, int repetitions) {
  Bench bench = bench_of(what, repetitions);
  bench.wanted = granulometry(bench.cpu, bench.object).volume;
  const cuda::Stream stream(bench.gpu.gpu);
  Json out = description_of(bench, what);
  out["u8_job"] = time_jobs(bench, stream);
  tamis::bench::print(out);
}

void bench_one(const std::string& what, int repetitions) {
  Bench bench = bench_of(what, repetitions);
  const cuda::Stream stream(bench.gpu.gpu);
  Json out = description_of(bench, what);
  out["cpu"] = time_cpu(bench);
  out["sizes"] = bench.wanted.size() - 1;
  const double speed = copy_speed(stream);
  out["copy_bytes_per_s"] = speed;
  {
    const DeviceBits bits(stream, bench.object);
    out.update(time_ours(bench, stream, bits, speed));
    stream.synchronize();
    Papers papers(stream, bits, {});
    out["paper"] = to_json(time_job(stream, papers.job(), bench.wanted, std::min(repetitions, 3)));
    stream.synchronize();
  }
  out["u8_job"] = time_jobs(bench, stream);
  const auto device = [&](const char* key) { return out[key]["device"]["median_s"].get<double>(); };
  const Json& limits = out["floors"];
  out["ratios"] = {{"paper_over_ours", device("paper") / device("ours")},
                   {"cpu_over_ours", out["cpu"]["median_s"].get<double>() / device("ours")},
                   {"ours_over_active_logic", device("ours") / limits["logic_of_active_words_s"].get<double>()},
                   {"ours_over_dense_logic", device("ours") / limits["logic_without_skipping_s"].get<double>()},
                   {"ours_over_dense_traffic", device("ours") / limits["traffic_without_skipping_s"].get<double>()},
                   {"paper_over_its_traffic", device("paper") / limits["paper_traffic_s"].get<double>()}};
  tamis::bench::print(out);
}

}  // namespace tamis::gpu_bench
