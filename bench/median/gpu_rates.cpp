#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu/median.hpp>
#include <tamis/median.hpp>

#include "bench/median/gpu_bench.hpp"

namespace tamis::median_bench {

using bench::figures;
using bench::Json;
using bench::median;  // of times; the filter is tamis::median
using bench::on;
using bench::print;
using bench::Timer;

namespace {

constexpr std::int64_t edge = 4096;  // of an image
constexpr std::int64_t volume_edge = 512;
constexpr std::int64_t batch_bytes = 256 << 20;  // at least: what the L2 holds is no help

struct Case {
  Type type = Type::U8;
  std::string window;  ///< an element, or smooth:N
  bool smooth_image = false;
  double percentile = 50;
  Border border = Border::reflect();

  [[nodiscard]] bool is_smoother() const { return window.starts_with("smooth:"); }
  [[nodiscard]] bool in_3d() const { return window.starts_with("cube:"); }
  [[nodiscard]] std::string border_name() const { return border == Border::shrink() ? "shrink" : to_string(border); }
  [[nodiscard]] std::string text() const {
    std::string all = "rates " + std::string(name(type)) + " " + window;
    if (percentile != 50) all += " percentile:" + std::to_string(static_cast<int>(percentile));
    if (border != Border::reflect()) all += " " + border_name();
    return all + (smooth_image ? " smooth" : "");
  }
};

/// Most important first: what the table of targets has, then what depends on data, then other options.
std::vector<Case> cases() {
  constexpr Type types[] = {Type::U8, Type::U16, Type::F32};
  std::vector<Case> all;
  const auto add = [&](const std::vector<std::string>& windows, bool smooth_image) {
    for (const std::string& window : windows) {
      for (const Type type : types) all.push_back({type, window, smooth_image});
    }
  };
  add({"square:3", "square:5", "square:7", "square:15", "square:31", "square:75"}, false);
  for (const char* const cube : {"cube:3", "cube:5", "cube:7"}) all.push_back({Type::U8, cube});
  add({"square:9", "square:11"}, false);
  for (const char* const cube : {"cube:3", "cube:5", "cube:7"}) all.push_back({Type::F32, cube});
  add({"square:15", "square:31", "square:75", "square:3", "square:7"}, true);
  add({"smooth:55"}, false);
  add({"disk:7"}, false);
  for (const char* const window : {"square:5", "square:15"}) {
    for (const Type type : types) all.push_back({type, window, false, 30});
    for (const Type type : types) all.push_back({type, window, false, 50, Border::shrink()});
  }
  add({"square:4", "disk:3"}, false);
  for (const char* const window : {"square:3", "square:7", "square:9"}) {
    for (const Type type : types) all.push_back({type, window, false, 30});
  }
  return all;
}

MedianOptions median_options(const Case& what) {
  return {.window = StructuringElement(what.window), .percentile = what.percentile, .border = what.border};
}
SmoothOptions smooth_options(const Case& what) {
  SmoothOptions options;
  options.width = options.height = std::stoll(what.window.substr(what.window.find(':') + 1));
  options.border = what.border;
  return options;
}

GpuMedian filter_of(const Case& what, const Shape& shape, const cuda::Stream& stream) {
  if (what.is_smoother()) return {on(Device::Cuda), what.type, shape, smooth_options(what), stream.get()};
  return {on(Device::Cuda), what.type, shape,
          GpuMedian::Options{.median = median_options(what), .stream = stream.get()}};
}

Image answer(const Case& what, const Image& image) {
  if (what.is_smoother()) return smooth(on(Device::Cpu), image, smooth_options(what));
  return tamis::median(on(Device::Cpu), image, median_options(what));
}

/// Images of 4096^2 as the slices of one volume, or volumes that are taken one after the other; on the device, with
/// room for their results.
class Batch {
 public:
  Batch(const Case& what, const cuda::Stream& stream)
      : stream_(stream), shape_(shape_of(what)), volumes_(what.in_3d() ? volumes_of(what.type) : 1) {
    image_ = what.smooth_image ? smooth_with_noise(what.type, shape_) : noise(what.type, shape_);
    input_ = cuda::DeviceBuffer<std::byte>(stream, bytes());
    result_ = cuda::DeviceBuffer<std::byte>(stream, bytes());
    for (int i = 0; i < volumes_; ++i) copy(input_.data() + i * image_.bytes(), image_.data(), image_.bytes());
    stream.synchronize();
    const std::vector<double> times = Timer(stream).batches(copy_batches, [&] { copy_all(); });
    copy_ = figures(times, samples());
  }

  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::int64_t bytes() const { return image_.bytes() * volumes_; }
  [[nodiscard]] double samples() const { return static_cast<double>(shape_.count() * volumes_); }
  [[nodiscard]] int volumes() const { return volumes_; }
  /// A copy on the device of the same bytes.
  [[nodiscard]] const Json& copied() const { return copy_; }

  void filter(GpuMedian& filter) const {
    for (int i = 0; i < volumes_; ++i) {
      filter.run(input_.data() + i * image_.bytes(), result_.data() + i * image_.bytes());
    }
  }
  void copy_all() const { copy(result_.data(), input_.data(), bytes()); }

  /// The last image of a stack or the last volume, and the result of it.
  [[nodiscard]] Image last_input(bool in_3d) const {
    Image one = part(in_3d);
    std::memcpy(one.data(), image_.data() + image_.bytes() - one.bytes(), static_cast<std::size_t>(one.bytes()));
    return one;
  }
  [[nodiscard]] Image last_result(bool in_3d) const {
    Image one = part(in_3d);
    copy(one.data(), result_.data() + bytes() - one.bytes(), one.bytes());
    stream_.synchronize();
    return one;
  }

 private:
  static constexpr int copy_batches = 5;

  [[nodiscard]] static Shape shape_of(const Case& what) {
    if (what.in_3d()) return {volume_edge, volume_edge, volume_edge, 3};
    return {batch_bytes / (edge * edge * sample_bytes(what.type)), edge, edge, 3};
  }
  [[nodiscard]] static int volumes_of(Type type) {
    const std::int64_t one = volume_edge * volume_edge * volume_edge * sample_bytes(type);
    return static_cast<int>((batch_bytes + one - 1) / one);
  }
  [[nodiscard]] Image part(bool in_3d) const {
    return {image_.type(), in_3d ? shape_ : Shape{1, shape_.y, shape_.x, 2}};
  }
  void copy(void* to, const void* from, std::int64_t bytes) const {
    cuda::check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream_.get()), "copy");
  }

  const cuda::Stream& stream_;
  Shape shape_;
  int volumes_;
  Image image_;
  cuda::DeviceBuffer<std::byte> input_, result_;
  Json copy_;
};

/// Made when they are first needed, and kept.
class Batches {
 public:
  explicit Batches(const cuda::Stream& stream) : stream_(stream) {}
  [[nodiscard]] const Batch& of(const Case& what) {
    const std::string key =
        std::string(name(what.type)) + (what.in_3d() ? " volumes" : " images") + (what.smooth_image ? " smooth" : "");
    std::unique_ptr<Batch>& batch = batches_[key];
    if (!batch) batch = std::make_unique<Batch>(what, stream_);
    return *batch;
  }

 private:
  const cuda::Stream& stream_;
  std::map<std::string, std::unique_ptr<Batch>> batches_;
};

Json measure(const Batch& batch, const Case& what, int repetitions) {
  GpuMedian filter = filter_of(what, batch.shape(), batch.stream());
  batch.copy_all();  // what is compared must not be there already
  batch.filter(filter);
  filter.wait();
  require_same(batch.last_result(what.in_3d()), answer(what, batch.last_input(what.in_3d())));
  const std::vector<double> times = Timer(batch.stream()).batches(repetitions, [&] { batch.filter(filter); });
  return {{"part", "rates"},
          {"type", name(what.type)},
          {"window", what.window},
          {"image", what.smooth_image ? "smooth" : "noise"},
          {"percentile", what.percentile},
          {"border", what.border_name()},
          {"shape_zyx", {batch.shape().z, batch.shape().y, batch.shape().x}},
          {"volumes", batch.volumes()},
          {"bytes", batch.bytes()},
          {"median", figures(times, batch.samples())},
          {"copy", batch.copied()},
          {"times_copy", median(times) / batch.copied()["median_ms"].get<double>()}};
}

}  // namespace

void measure_rates(const cuda::Stream& stream, Run& run) {
  Batches batches(stream);
  for (const Case& what : cases()) {
    if (!run.begins(what.text())) continue;
    try {
      print(measure(batches.of(what), what, run.repetitions()));
    } catch (const Error& error) {
      run.failed(what.text(), error.what());
    }
  }
}

}  // namespace tamis::median_bench
