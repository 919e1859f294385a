#include <chrono>
#include <cstring>
#include <random>

#include <tamis/gpu/morphology.hpp>

#include "bench/line/gpu_bench.hpp"

namespace tamis::line_bench {
namespace {

constexpr int in_flight = 3;
constexpr const char* segment = "line:41@30";

/// Frames in turn and places for their results, as many as may be in flight and one more.
struct Ring {
  explicit Ring(const Shape& of) : shape(of), bytes(of.count()), frames(all()), results(all()) {
    std::mt19937_64 random(1);
    for (std::int64_t i = 0; i + 8 <= all(); i += 8) {
      const std::uint64_t samples = random();
      std::memcpy(frames.data() + i, &samples, sizeof samples);
    }
  }
  [[nodiscard]] const std::byte* frame(int i) const { return frames.data() + i % (in_flight + 1) * bytes; }
  [[nodiscard]] std::byte* result(int i) const { return results.data() + i % (in_flight + 1) * bytes; }
  [[nodiscard]] std::int64_t all() const { return (in_flight + 1) * bytes; }
  [[nodiscard]] Image image(const std::byte* samples) const {
    Image one(Type::U8, shape);
    std::memcpy(one.data(), samples, static_cast<std::size_t>(bytes));
    return one;
  }

  Shape shape;
  std::int64_t bytes;
  PinnedMemory frames, results;
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

Frames frames_of(const Ring& ring, const MorphologyOptions& options) {
  return {on(Device::Cuda), Operation::Open, Type::U8, ring.shape, {.morphology = options, .in_flight = in_flight}};
}

}  // namespace

void measure_frames(const Arguments& arguments) {
  if (!wanted(arguments, "frames")) return;
  for (const Shape& shape : {Shape{1, 2048, 3072, 2}, Shape{1, 5860, 10240, 2}}) {
    const Ring ring(shape);
    const MorphologyOptions options{.element = segment, .lines = Lines::Traced};
    Frames filter = frames_of(ring, options), bus = frames_of(ring, {.element = "square:1"});
    filter.submit(ring.frame(0), ring.result(0));
    static_cast<void>(filter.take());
    require_same(ring.image(ring.result(0)), open(on(Device::Cpu), ring.image(ring.frame(0)), options), "a frame");
    const int count = shape.x > 4000 ? 60 : 300;
    std::vector<double> ours, alone;
    for (int i = 0; i < arguments.repetitions; ++i) {  // in turn
      ours.push_back(stream_frames(filter, ring, count));
      alone.push_back(stream_frames(bus, ring, count));
    }
    std::sort(ours.begin(), ours.end());
    std::sort(alone.begin(), alone.end());
    const auto samples = static_cast<double>(ring.bytes);
    print({{"part", "frames"},
           {"shape_yx", {shape.y, shape.x}},
           {"element", segment},
           {"in_flight", in_flight},
           {"filter", figures(ours, samples)},
           {"bus", figures(alone, samples)},
           {"times_bus", median(ours) / median(alone)}});
  }
}

}  // namespace tamis::line_bench
