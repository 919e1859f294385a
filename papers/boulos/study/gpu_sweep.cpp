// The figures of the paper's section III: time against the size of the volume, 50 openings.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>

#include "papers/boulos/study/gpu_bench.hpp"
#include "phantom/bit_rows.hpp"
#include "phantom/split_mix.hpp"

namespace tamis::gpu_bench {
namespace {

constexpr std::int64_t openings = 50;  // as in the paper: objects of 100 voxels at most
constexpr std::int64_t pace = 32;      // from one size to the next
constexpr std::int64_t longest = 1024;
constexpr std::int64_t others = 512;  // the two axes that stay
constexpr std::int64_t fit_from = 256;
constexpr int repetitions_of_ours = 9;
constexpr int repetitions_of_paper = 5;
constexpr int repetitions_of_cpu = 3;

/// Foam that is the same everywhere: a set of spheres (radii 4 to 50, pores 64 %) that repeats on the lattice of the
/// points 32 (k, j, i) with i + 4 j + 16 k a multiple of 61, which are 132 voxels apart or more. Every slab of 32
/// planes, across any axis, then holds nearly the same pores, though no two slabs next to each other are alike: time
/// against size shows the kernels, not the luck of a random foam.
class LatticeFoam {
 public:
  explicit LatticeFoam(const Shape& shape) : image_(Type::Bool, shape) {
    phantom_detail::SplitMix random(7);
    const double wanted = 0.6 * static_cast<double>(shape.count());
    std::int64_t radius = largest;
    for (std::int64_t pores = 0; static_cast<double>(pores) < wanted; radius = random.between(4, largest)) {
      Point offset;
      for (std::int64_t* const axis : {&offset.z, &offset.y, &offset.x}) *axis = random.between(0, 127);
      pores += paint_everywhere(offset, radius);
    }
  }
  [[nodiscard]] const Image& image() const { return image_; }

 private:
  static constexpr std::int64_t largest = 50;
  struct Point {
    std::int64_t z = 0, y = 0, x = 0;
  };

  std::int64_t paint_everywhere(const Point& offset, std::int64_t radius) {
    const Shape& shape = image_.shape();
    // 0 .. 127 and a radius reach less than six steps of the lattice's grid outside.
    constexpr std::int64_t before = -6, beyond = 2;
    std::int64_t fresh = 0;
    for (std::int64_t k = before; k < shape.z / pace + beyond; ++k)
      for (std::int64_t j = before; j < shape.y / pace + beyond; ++j)
        for (std::int64_t i = before; i < shape.x / pace + beyond; ++i) {
          if ((i + 4 * j + 16 * k) % 61 != 0) continue;
          fresh += paint({k * pace + offset.z, j * pace + offset.y, i * pace + offset.x}, radius);
        }
    return fresh;
  }

  std::int64_t paint(const Point& centre, std::int64_t radius) {
    const Shape& shape = image_.shape();
    std::int64_t fresh = 0;
    for (std::int64_t z = std::max<std::int64_t>(0, centre.z - radius); z <= std::min(shape.z - 1, centre.z + radius);
         ++z) {
      for (std::int64_t y = std::max<std::int64_t>(0, centre.y - radius); y <= std::min(shape.y - 1, centre.y + radius);
           ++y) {
        const std::int64_t dz = z - centre.z, dy = y - centre.y;
        const std::int64_t rest = radius * radius - dz * dz - dy * dy;
        if (rest < 0) continue;
        const auto half = static_cast<std::int64_t>(std::sqrt(static_cast<double>(rest)));
        const std::int64_t first = std::max<std::int64_t>(0, centre.x - half);
        const std::int64_t last = std::min(shape.x - 1, centre.x + half);
        if (first <= last) fresh += phantom_detail::fill_run(image_.row<std::uint64_t>(z, y), first, last);
      }
    }
    return fresh;
  }

  Image image_;
};

/// The first slices, rows and samples.
Image corner(const Image& image, const Shape& shape) {
  Image out(Type::Bool, shape);
  const std::int64_t words = out.row_bytes() / 8;
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      auto* const row = out.row<std::uint64_t>(z, y);
      std::memcpy(row, image.row<std::uint64_t>(z, y), static_cast<std::size_t>(out.row_bytes()));
      if (shape.x % 64 != 0) row[words - 1] &= ~std::uint64_t{0} >> (64 - shape.x % 64);
    }
  }
  return out;
}

Shape shape_of(const std::string& which, std::int64_t n) {
  if (which == "x") return {others, others, n, 3};
  if (which == "y") return {others, n, others, 3};
  if (which == "z") return {n, others, others, 3};
  return {n, n, n, 3};
}

struct Point {
  double voxels = 0, seconds = 0;
};

/// The line seconds = constant + per_voxel * voxels with the least squares of relative deviations: without weights the
/// largest volumes alone would decide.
Json affine_fit(const std::vector<Point>& points) {
  double w = 0, wv = 0, wvv = 0, wt = 0, wvt = 0;
  for (const Point& p : points) {
    const double weight = 1 / (p.seconds * p.seconds);
    w += weight;
    wv += weight * p.voxels;
    wvv += weight * p.voxels * p.voxels;
    wt += weight * p.seconds;
    wvt += weight * p.voxels * p.seconds;
  }
  const double per_voxel = (w * wvt - wv * wt) / (w * wvv - wv * wv);
  const double constant = (wt - per_voxel * wv) / w;
  double largest = 0, at = 0;
  for (const Point& p : points) {
    const double deviation = p.seconds / (constant + per_voxel * p.voxels) - 1;
    if (std::abs(deviation) <= std::abs(largest)) continue;
    largest = deviation;
    at = p.voxels;
  }
  return {{"constant_s", constant}, {"per_voxel_s", per_voxel}, {"largest_deviation", largest}, {"at_voxels", at}};
}

Curve on_cpu(const Image& object) {
  GranulometryOptions options;
  options.max_size = openings;
  return granulometry(bench::on(Device::Cpu), object, options).volume;
}

/// What the paper's kernel is compared with where the CPU, which is slow, is not asked.
Curve on_device(const cuda::Stream& stream, const DeviceBits& bits) {
  Ours ours(stream, bits, openings);
  ours.queue();
  return ours.curve();
}

void add(Json& line, const std::string& key, const Times& times) {
  line[key + "_s"] = times.median;
  line[key + "_min_s"] = times.least;
  line[key + "_max_s"] = times.most;
}

Json head(const std::string& which, const Shape& shape) {
  return {{"sweep", which}, {"z", shape.z}, {"y", shape.y}, {"x", shape.x}, {"voxels", shape.count()}};
}

/// Figures 6, 9, 11 and 12: both kernels, from bits on the device to the curve on the host.
void sweep_sizes(const cuda::Stream& stream, const std::string& which) {
  const LatticeFoam foam(shape_of(which, longest));
  std::vector<Point> ours_points, paper_points;
  for (std::int64_t n = pace; n <= longest; n += pace) {
    const Shape shape = shape_of(which, n);
    const Image object = corner(foam.image(), shape);
    const DeviceBits bits(stream, object);
    // The two kernels check each other everywhere; the CPU checks both now and then.
    const Curve wanted = n % 256 == 0 ? on_cpu(object) : on_device(stream, bits);
    Ours ours(stream, bits, openings);
    Papers papers(stream, bits, openings);
    const Times ours_times = time_job(stream, ours.job(), wanted, repetitions_of_ours).device;
    const Times paper_times = time_job(stream, papers.job(), wanted, repetitions_of_paper).device;
    Json line = head(which, shape);
    line["openings"] = wanted.size() - 1;
    add(line, "ours", ours_times);
    add(line, "paper", paper_times);
    bench::print(line);
    const auto voxels = static_cast<double>(shape.count());
    if (n < fit_from) continue;
    ours_points.push_back({voxels, ours_times.median});
    paper_points.push_back({voxels, paper_times.median});
  }
  const Json fit = {
      {"sweep", which}, {"fit_from", fit_from}, {"ours", affine_fit(ours_points)}, {"paper", affine_fit(paper_points)}};
  bench::print(fit);
}

/// Figure 7: the CPU's time over the GPU's. The CPU has its bits in memory; the GPU once on the device and once, like
/// the CPU, in the host's memory, from where they are copied first.
void sweep_speedup(const cuda::Stream& stream) {
  const LatticeFoam foam(shape_of("cube", longest));
  for (std::int64_t n = 128; n <= longest; n += 128) {
    const Shape shape = shape_of("cube", n);
    const Image object = corner(foam.image(), shape);
    std::vector<double> seconds;
    const Curve wanted = on_cpu(object);
    for (int i = 0; i < repetitions_of_cpu; ++i) {
      Curve curve;
      seconds.push_back(seconds_of([&] { curve = on_cpu(object); }));
      require_same("the CPU, repeated", curve, wanted);
    }
    const DeviceBits bits(stream, object);
    const cuda::PinnedBuffer<std::byte> pinned(object.bytes());
    std::memcpy(pinned.data(), object.data(), static_cast<std::size_t>(object.bytes()));
    Ours ours(stream, bits, openings);
    Papers papers(stream, bits, openings);
    Job with_copy = ours.job();
    with_copy.name = "ours, bits from the host";
    with_copy.queue = [&] {
      bits.upload(stream, pinned.data());
      ours.queue();
    };
    Json line = head("openings", shape);
    line["openings"] = wanted.size() - 1;
    add(line, "cpu", times_of(seconds));
    add(line, "ours", time_job(stream, ours.job(), wanted, repetitions_of_ours).device);
    add(line, "ours_with_copy", time_job(stream, with_copy, wanted, repetitions_of_ours).host);
    add(line, "paper", time_job(stream, papers.job(), wanted, repetitions_of_paper).device);
    const auto ratio = [&](const char* key) { return line["cpu_s"].get<double>() / line[key].get<double>(); };
    line["speedup"] = ratio("ours_s");
    line["speedup_with_copy"] = ratio("ours_with_copy_s");
    line["paper_speedup"] = ratio("paper_s");
    bench::print(line);
  }
}

}  // namespace

void bench_sweep(const std::string& which) {
  bench::require_gpu();
  const cuda::Stream stream(Context{}.gpu);
  if (which == "openings") {
    sweep_speedup(stream);
  } else {
    sweep_sizes(stream, which);
  }
}

}  // namespace tamis::gpu_bench
