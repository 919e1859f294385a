#include <chrono>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include <tamis/error.hpp>
#include <tamis/orientation.hpp>

#include "bench/line/gpu_bench.hpp"
#include "line/sweep/gpu/run.hpp"

namespace tamis::line_bench {
namespace {

using line_detail::SweepResult;
using line_detail::SweepTask;
using line_detail::gpu::DeviceImage;
using line_detail::gpu::DeviceSweep;

struct Case {
  const char* name;
  std::int64_t nx, ny;
  int length;
  AngleRange angles;
  Phase phase;
  bool maps;  ///< supremum and its arg max beside the counts
};
const Case cases[] = {{"texture", 640, 640, 41, {0, 180, 180}, Phase::Bright, true},
                      {"music", 1000, 1411, 250, {-10, 10.25, 81}, Phase::Dark, false},
                      {"fingerprint", 784, 1133, 41, {0, 180, 180}, Phase::Bright, true}};

/// Curved ridges 9 samples apart, and noise.
Image ridges(std::int64_t nx, std::int64_t ny) {
  Image image(Type::U8, {1, ny, nx, 2});
  std::mt19937 random(3);
  for (std::int64_t y = 0; y < ny; ++y) {
    for (std::int64_t x = 0; x < nx; ++x) {
      const double radius = std::hypot(static_cast<double>(x) - 0.4 * static_cast<double>(nx),
                                       static_cast<double>(y) - 0.6 * static_cast<double>(ny));
      const double ridge = 127 + 80 * std::sin(2 * std::numbers::pi * radius / 9);
      image.row<std::uint8_t>(0, y)[x] = static_cast<std::uint8_t>(ridge + random() % 40);
    }
  }
  return image;
}

SweepTask task_of(const Case& what, Lines lines) {
  SweepTask task;
  for (std::int64_t i = 0; i < what.angles.count; ++i) task.angles.push_back(what.angles.at(i));
  task.cyclic = what.angles.is_whole();
  task.length = what.length;
  task.lines = lines;
  task.dark = what.phase == Phase::Dark;
  task.maps = what.maps;
  return task;
}

/// A slice whose rows begin at multiples of 16 bytes.
struct Slice {
  Slice(const cuda::Stream& stream, std::int64_t row, std::int64_t rows, std::int64_t count = 1)
      : row_bytes(row), ny(rows) {
    place.pitch = (row + 15) / 16 * 16;
    place.slice = place.pitch * rows;
    memory = cuda::DeviceBuffer<std::byte>(stream, place.slice * count);
    place.data = memory.data();
  }
  void copy(const cuda::Stream& stream, void* to, std::int64_t to_pitch, const void* from, std::int64_t pitch) const {
    cuda::check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(pitch),
                                  static_cast<std::size_t>(row_bytes), static_cast<std::size_t>(ny), cudaMemcpyDefault,
                                  stream.get()),
                "copy a slice");
  }
  [[nodiscard]] Image download(const cuda::Stream& stream, Type type, const Shape& shape) const {
    Image image(type, shape);
    copy(stream, image.data(), row_bytes, place.data, place.pitch);
    stream.synchronize();
    return image;
  }

  std::int64_t row_bytes, ny;
  DeviceImage place;
  cuda::DeviceBuffer<std::byte> memory;
};

/// A sweep along traced lines of an image that is on the device, with all that it needs there.
class OnDevice {
 public:
  OnDevice(const cuda::Stream& stream, const Image& image, SweepTask task)
      : stream_(stream),
        shape_(image.shape()),
        task_(std::move(task)),
        from_(stream, shape_.x, shape_.y),
        best_(stream, shape_.x, shape_.y),
        worst_(stream, shape_.x, shape_.y),
        twice_(stream, 2 * shape_.x, shape_.y),
        tied_(stream, line_detail::gpu::tied_room(Type::U8, shape_)),
        stack_(stream, task_.maps ? from_.place.slice * static_cast<std::int64_t>(task_.angles.size()) : 1),
        counts_(stream, static_cast<std::int64_t>(task_.angles.size())) {
    from_.copy(stream, from_.place.data, from_.place.pitch, image.data(), shape_.x);
    stream.synchronize();
  }

  void run() const {
    counts_.clear();
    DeviceSweep sweep;
    sweep.from = from_.place;
    if (task_.maps) {
      sweep.best = best_.place;
      sweep.worst = worst_.place;
      sweep.twice = twice_.place;
      sweep.tied = tied_.data();
    }
    sweep.counts = counts_.data();
    line_detail::gpu::sweep_slice(stream_, task_, Type::U8, {1, shape_.y, shape_.x, 2}, sweep, stack_);
  }

  void require(const SweepResult& expected, const std::string& what) const {
    std::vector<unsigned long long> counts(task_.angles.size());
    cuda::check(cudaMemcpyAsync(counts.data(), counts_.data(), counts_.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
                "read counts");
    stream_.synchronize();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (static_cast<std::int64_t>(counts[i]) == expected.counts[i]) continue;
      throw Error(what + ": the GPU's sums are not the CPU's; nothing was timed");
    }
    if (!task_.maps) return;
    require_same(best_.download(stream_, Type::U8, shape_), expected.best, what + ", supremum");
    require_same(twice_.download(stream_, Type::U16, shape_), expected.twice, what + ", arg max");
  }

 private:
  const cuda::Stream& stream_;
  Shape shape_;
  SweepTask task_;
  Slice from_, best_, worst_, twice_;
  cuda::DeviceBuffer<line_detail::TiedAngles> tied_;
  cuda::DeviceBuffer<std::byte> stack_;
  cuda::DeviceBuffer<unsigned long long> counts_;
};

/// Milliseconds on the clock of the host, sorted.
template <class Work>
std::vector<double> on_host(int count, const Work& work) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  work();
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times;
}

/// orientation() or angular_spectra(), from an image of the host to results there.
Json measure_call(const Image& image, const Case& what, Lines lines, Device device, int repetitions) {
  OrientationOptions options;
  options.lengths = {static_cast<double>(what.length)};
  options.angles = what.angles;
  options.lines = lines;
  options.phase = what.phase;
  const auto spectra = [&](Device on_device) { return angular_spectra(on(on_device), image, options); };
  const std::string text = std::string(what.name) + ", " + std::string(name(lines)) + " lines";
  if (spectra(device).front().left != spectra(Device::Cpu).front().left) {
    throw Error(text + ": the GPU's spectrum is not the CPU's; nothing was timed");
  }
  if (what.maps) {
    require_same(orientation(on(device), image, options).enhanced,
                 orientation(on(Device::Cpu), image, options).enhanced, text);
  }
  return figures(on_host(repetitions,
                         [&] {
                           if (what.maps) {
                             static_cast<void>(orientation(on(device), image, options));
                           } else {
                             static_cast<void>(spectra(device));
                           }
                         }),
                 static_cast<double>(image.shape().count() * what.angles.count));
}

}  // namespace

void measure_sweeps(const cuda::Stream& stream, const Arguments& arguments) {
  for (const Case& what : cases) {
    const std::string text = std::string("sweeps ") + what.name;
    if (!wanted(arguments, text)) continue;
    const Image image = ridges(what.nx, what.ny);
    const SweepTask task = task_of(what, Lines::Traced);
    const OnDevice sweep(stream, image, task);
    sweep.run();
    sweep.require(line_detail::sweep(on(Device::Cpu), image, task), text);
    const Timer timer(stream);
    const auto samples = static_cast<double>(image.shape().count() * what.angles.count);
    print({{"part", "sweeps"},
           {"case", what.name},
           {"shape_yx", {what.ny, what.nx}},
           {"angles", what.angles.count},
           {"length", what.length},
           {"maps", what.maps},
           {"traced", figures(timer.batches(arguments.repetitions, [&] { sweep.run(); }), samples)},
           {"call_traced", measure_call(image, what, Lines::Traced, Device::Cuda, arguments.repetitions)},
           {"call_invariant", measure_call(image, what, Lines::Invariant, Device::Cuda, 3)},
           {"call_traced_cpu", measure_call(image, what, Lines::Traced, Device::Cpu, 3)}});
  }
}

}  // namespace tamis::line_bench
