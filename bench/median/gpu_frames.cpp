#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/frames.hpp>
#include <tamis/gpu/median.hpp>
#include <tamis/median.hpp>

#include "bench/median/gpu_bench.hpp"

namespace tamis::median_bench {

using bench::figures;
using bench::on;
using bench::print;
using bench::Timer;

namespace {

constexpr int in_flight = 3;

struct Case {
  Type type;
  int window;
  Shape shape;

  [[nodiscard]] std::string text() const {
    return "frames " + std::string(name(type)) + " square:" + std::to_string(window) + " " + to_string(shape);
  }
  [[nodiscard]] MedianOptions options() const { return {.window = StructuringElement::square(window)}; }
};

Frames frames_of(const Case& what) {
  return {on(Device::Cuda), what.type, what.shape, MedianFrames{.median = what.options(), .in_flight = in_flight}};
}
/// An element of one sample: what the bus takes alone.
Frames bus_of(const Case& what) {
  return {on(Device::Cuda),
          Operation::Open,
          what.type,
          what.shape,
          {.morphology = {.element = "square:1"}, .in_flight = in_flight}};
}

/// Frames in turn and places for their results, as many as may be in flight and one more.
class Ring {
 public:
  explicit Ring(const Case& what)
      : image_(noise(what.type, what.shape)), frames_(places * image_.bytes()), results_(places * image_.bytes()) {
    for (int i = 0; i < places; ++i) {
      std::memcpy(frames_.data() + i * image_.bytes(), image_.data(), static_cast<std::size_t>(image_.bytes()));
    }
  }
  [[nodiscard]] const Image& image() const { return image_; }
  [[nodiscard]] const std::byte* frame(int i) const { return frames_.data() + i % places * image_.bytes(); }
  [[nodiscard]] std::byte* result(int i) const { return results_.data() + i % places * image_.bytes(); }
  [[nodiscard]] Image result_image(int i) const {
    Image one(image_.type(), image_.shape());
    std::memcpy(one.data(), result(i), static_cast<std::size_t>(one.bytes()));
    return one;
  }

 private:
  static constexpr int places = in_flight + 1;
  Image image_;
  PinnedMemory frames_, results_;
};

/// Milliseconds a frame, many in flight.
double stream_frames(Frames& filter, const Ring& ring, int count) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    if (filter.full()) static_cast<void>(filter.take());
    filter.submit(ring.frame(i), ring.result(i));
  }
  while (filter.in_flight() > 0) static_cast<void>(filter.take());
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / count;
}

/// The median alone, image after image on the device.
std::vector<double> on_device(const cuda::Stream& stream, const Case& what, const Image& image, int repetitions) {
  const cuda::DeviceBuffer<std::byte> input(stream, image.bytes()), result(stream, image.bytes());
  cuda::check(cudaMemcpyAsync(input.data(), image.data(), input.bytes(), cudaMemcpyHostToDevice, stream.get()), "copy");
  GpuMedian filter(on(Device::Cuda), what.type, what.shape,
                   GpuMedian::Options{.median = what.options(), .stream = stream.get()});
  return Timer(stream).batches(repetitions, [&] { filter.run(input.data(), result.data()); });
}

void measure(const cuda::Stream& stream, const Case& what, int repetitions) {
  const Ring ring(what);
  Frames filter = frames_of(what), bus = bus_of(what);
  filter.submit(ring.frame(0), ring.result(0));
  static_cast<void>(filter.take());
  require_same(ring.result_image(0), median(on(Device::Cpu), ring.image(), what.options()));
  constexpr double round_ms = 150;  // so many frames that beginning and end do not count
  const int count = std::clamp(static_cast<int>(round_ms / stream_frames(filter, ring, in_flight)), 10, 300);
  std::vector<double> ours, alone;
  for (int i = 0; i < repetitions; ++i) {  // in turn
    ours.push_back(stream_frames(filter, ring, count));
    alone.push_back(stream_frames(bus, ring, count));
  }
  std::sort(ours.begin(), ours.end());
  std::sort(alone.begin(), alone.end());
  const std::vector<double> kernel = on_device(stream, what, ring.image(), repetitions);
  const auto samples = static_cast<double>(what.shape.count());
  print({{"part", "frames"},
         {"type", name(what.type)},
         {"window", what.options().window.spec()},
         {"shape_yx", {what.shape.y, what.shape.x}},
         {"in_flight", in_flight},
         {"frames", figures(ours, samples)},
         {"bus", figures(alone, samples)},
         {"on_device", figures(kernel, samples)},
         {"times_slower_one", bench::median(ours) / std::max(bench::median(alone), bench::median(kernel))}});
}

}  // namespace

void measure_frames(const cuda::Stream& stream, Run& run) {
  const Shape image{1, 4096, 4096, 2}, camera{1, 5860, 10240, 2};  // 16 and 60 Mpx
  for (const Case& what : {Case{Type::U8, 3, image}, Case{Type::U8, 15, image}, Case{Type::U16, 5, image},
                           Case{Type::F32, 7, image}, Case{Type::U8, 15, camera}}) {
    if (!run.begins(what.text())) continue;
    try {
      measure(stream, what, run.repetitions());
    } catch (const Error& error) {
      run.failed(what.text(), error.what());
    }
  }
}

}  // namespace tamis::median_bench
