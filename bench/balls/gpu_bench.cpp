// Balls on a GPU, step by step: bits on the device to the map there, and from samples of the host to curve and map.
// Usage: balls_gpu_bench EDGE foam | EDGE FILE   (FILE: bits of EDGE^3 voxels, or of 256^3, which are then mirrored)
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tamis/balls.hpp>
#include <tamis/error.hpp>
#include <tamis/gpu/binary.hpp>
#include <tamis/phantom.hpp>

#include "bench/gpu_timer.hpp"
#include "core/cpu/parallel.hpp"
#include "distance/gpu/squares.hpp"
#include "distance/gpu/steps.hpp"
#include "granulometry/gpu/balls/engine.hpp"
#include "granulometry/gpu/balls/painter.hpp"
#include "granulometry/gpu/balls/squares.hpp"

namespace tamis::ball_bench {
namespace {

using namespace granulometry_detail::gpu::balls;
using distance_detail::gpu::Squares;
using distance_detail::gpu::Task;

Image read_bits(const std::string& path, std::int64_t edge) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  const std::int64_t from = static_cast<std::int64_t>(bytes.size()) * 8 == edge * edge * edge ? edge : 256;
  if (static_cast<std::int64_t>(bytes.size()) * 8 != from * from * from) throw InputError(path + ": not EDGE^3 bits");
  Image image(Type::Bool, {edge, edge, edge, 3});
  const auto mirrored = [from](std::int64_t at) { return at / from % 2 ? from - 1 - at % from : at % from; };
  parallel_for(Context(), edge, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < edge; ++y) {
      const char* const row = bytes.data() + (mirrored(z) * from + mirrored(y)) * from / 8;
      std::uint64_t* const words = image.row<std::uint64_t>(z, y);
      for (std::int64_t x = 0; x < edge; ++x) {
        const std::int64_t at = mirrored(x);
        words[x / 64] |= std::uint64_t(static_cast<unsigned char>(row[at / 8]) >> (at % 8) & 1) << (x % 64);
      }
    }
  });
  return image;
}

/// Samples of 1 byte in page-locked memory.
class Pinned final : public SliceSource {
 public:
  explicit Pinned(const Image& object) : samples_(object.shape().count()) {
    layout_.shape = object.shape();
    parallel_for(Context(), object.shape().z, [&](std::int64_t z) {
      std::uint8_t* to = samples_.data() + z * object.shape().y * object.shape().x;
      for (std::int64_t y = 0; y < object.shape().y; ++y)
        for (std::int64_t x = 0; x < object.shape().x; ++x) *to++ = object.bit(z, y, x) ? 255 : 0;
    });
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    const Shape& shape = layout_.shape;
    return MappedSlices{reinterpret_cast<const std::byte*>(samples_.data()), shape.x, shape.y * shape.x};
  }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const std::int64_t slice = layout_.shape.y * layout_.shape.x;
    std::memcpy(out, samples_.data() + z0 * slice, static_cast<std::size_t>(count * slice));
  }

 private:
  Layout layout_;
  cuda::PinnedBuffer<std::uint8_t> samples_;
};

class Bench {
 public:
  Bench(Image object, std::string name)
      : object_(std::move(object)),
        name_(std::move(name)),
        stream_(0),
        bits_(stream_, object_.bytes() / 8),
        timer_(stream_) {
    cuda::check(cudaMemcpyAsync(bits_.data(), object_.data(), bits_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
                "copy to the device");
    task_.plan = distance_detail::make_plan(object_, {});
    task_.object = {bits_.data(), object_.shape().z};
  }

  void run() {
    steps();
    whole();
    if (object_.shape().count() <= std::int64_t{1} << 28) compare();
    from_host();
  }

 private:
  [[nodiscard]] PaintTask paint_task(const Squares& squares) const {
    return {squares.rows<std::uint16_t>(), bits_.data(), {}, false, squares.largest};
  }

  void steps() {
    Squares squares = squares_of(stream_, task_);
    const auto rows = squares.rows<std::uint16_t>();
    bench::Json line = {{"what", "steps"}, {"volume", name_}};
    const auto time = [&](const char* step, const auto& work) {
      work();
      std::vector<double> times;
      for (int i = 0; i < 7; ++i) times.push_back(timer_.milliseconds(1, work));
      std::sort(times.begin(), times.end());
      line[step] = bench::median(times);
    };
    using namespace distance_detail::gpu;
    const cuda::DeviceBuffer<Word> words(stream_, rows.z * rows.slice() / 32);
    time("x_ms", [&] { find_words(stream_, task_, narrow_steps, words.data()); });
    time("y_ms", [&] { lower_narrow(stream_, task_.plan, Along::Y, words.data(), rows, nullptr); });
    time("yz_ms", [&] {
      lower_narrow(stream_, task_.plan, Along::Y, words.data(), rows, nullptr);
      lower_narrow(stream_, task_.plan, Along::Z, nullptr, rows, nullptr);
    });
    for (const auto& [step, milliseconds] : steps_of_painting(line)) line[step + "_ms"] = milliseconds;
    const cuda::DeviceBuffer<unsigned long long> counts(stream_, table_size);
    time("count_ms", [&] { count(stream_, rows, counts.data()); });
    bench::print(line);
  }

  /// Waiting for the lists' lengths is part of the step.
  std::map<std::string, double> steps_of_painting(bench::Json& line) {
    std::map<std::string, std::vector<double>> times;
    Painter painter(stream_, [&](std::string_view step) {
      timer_.stop();
      times[std::string(step)].push_back(timer_.milliseconds());
      timer_.start();
    });
    for (int i = 0; i < 7; ++i) {
      const Squares squares = squares_of(stream_, task_);
      timer_.start();
      painter.paint(paint_task(squares));
    }
    line["boxes_per_voxel"] = static_cast<double>(painter.boxes()) / static_cast<double>(object_.shape().count());
    std::map<std::string, double> medians;
    for (auto& [step, all] : times) {
      std::sort(all.begin(), all.end());
      medians[step] = bench::median(all);
    }
    return medians;
  }

  void whole() {
    Painter painter(stream_);
    std::vector<double> distance;
    std::vector<double> map;
    for (int i = 0; i < 9; ++i) {
      timer_.start();
      const Squares squares = squares_of(stream_, task_);
      timer_.stop();
      distance.push_back(timer_.milliseconds());
      timer_.start();
      painter.paint(paint_task(squares));
      timer_.stop();
      map.push_back(distance.back() + timer_.milliseconds());
    }
    std::sort(distance.begin(), distance.end());
    std::sort(map.begin(), map.end());
    bench::print({{"what", "bits on the device to squares there"},
                  {"volume", name_},
                  {"distance_ms", bench::median(distance)},
                  {"map_ms", bench::median(map)}});
  }

  void compare() {
    Context gpu = bench::on(Device::Cuda);
    const Image expected = ball_map(bench::on(Device::Cpu), object_, BallMeasure::Size);
    const Image found = ball_map(gpu, object_, BallMeasure::Size);
    bench::print({{"what", "same map as the CPU's"},
                  {"volume", name_},
                  {"same", std::memcmp(expected.data(), found.data(), static_cast<std::size_t>(found.bytes())) == 0}});
  }

  void from_host() {
    Pinned source(object_);
    const Context context = bench::on(Device::Cuda);
    ThresholdOptions threshold;
    threshold.method = ThresholdMethod::Value;
    threshold.value = 127;
    std::vector<double> curve;
    std::vector<double> map;
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const GpuBinary bits(context, source, threshold);
      static_cast<void>(ball_granulometry(context, bits));
      curve.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
      const auto again = std::chrono::steady_clock::now();
      const GpuBinary more(context, source, threshold);
      static_cast<void>(ball_map(context, more, BallMeasure::Size, {}, [](const BallSizes&, Type) {},
                                 [](const std::byte*, std::int64_t, std::int64_t) {}));
      map.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - again).count());
    }
    std::sort(curve.begin(), curve.end());
    std::sort(map.begin(), map.end());
    bench::print({{"what", "u8 in page-locked memory"},
                  {"volume", name_},
                  {"curve_ms", bench::median(curve)},
                  {"map_ms", bench::median(map)}});
  }

  Image object_;
  std::string name_;
  cuda::Stream stream_;
  cuda::DeviceBuffer<std::uint64_t> bits_;
  bench::Timer timer_;
  Task task_;
};

int run(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: balls_gpu_bench EDGE foam | EDGE FILE\n", stderr);
    return 2;
  }
  const std::int64_t edge = std::atoll(arguments[1]);
  const std::string what = arguments[2];
  const cuda::DeviceScope scope(0);
  bench::print(bench::machine());
  const bool foam = what == "foam";
  Bench(foam ? phantom_foam({}, {.shape = {edge, edge, edge, 3}}) : read_bits(what, edge),
        fmt::format("{}^3 {}", edge, what))
      .run();
  return 0;
}

}  // namespace
}  // namespace tamis::ball_bench

int main(int count, char** arguments) {
  try {
    return tamis::ball_bench::run(count, arguments);
  } catch (const tamis::Error& error) {
    std::fprintf(stderr, "balls_gpu_bench: %s\n", error.what());
    return 2;
  }
}
