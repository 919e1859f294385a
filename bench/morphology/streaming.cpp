// Frames of a camera: a prepared opening on frames from page-locked memory and back, transfers included. Lines of JSON.
//
//   morphology_streaming_bench [frames]      opening by square:15 of u8 frames of 6 and 60 Mpx; 300 frames each
//
// latency_ms: one frame alone, from its submission to its result. streaming: three in flight; `latency_ms` is then that
// of a frame among others. `bus` is the same with an element of one sample, which copies: what the transfers take.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu/morphology.hpp>

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr int in_flight = 3;

double milliseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

/// Frames in turn and places for their results, as many as may be in flight and one more.
struct Ring {
  explicit Ring(const tamis::Shape& shape) : bytes(shape.count()), frames(all()), results(all()) {
    std::mt19937_64 random(1);
    for (std::int64_t i = 0; i + 8 <= all(); i += 8) {
      const std::uint64_t samples = random();
      std::memcpy(frames.data() + i, &samples, sizeof samples);
    }
  }
  [[nodiscard]] const std::byte* frame(int i) const { return frames.data() + i % (in_flight + 1) * bytes; }
  [[nodiscard]] std::byte* result(int i) const { return results.data() + i % (in_flight + 1) * bytes; }
  [[nodiscard]] std::int64_t all() const { return (in_flight + 1) * bytes; }

  std::int64_t bytes;
  tamis::PinnedMemory frames, results;
};

/// Median and 99th percentile.
Json figures(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) { return times[static_cast<std::size_t>(share * double(times.size() - 1) + 0.5)]; };
  return {{"median", at(0.5)}, {"p99", at(0.99)}, {"least", times.front()}, {"most", times.back()}};
}

Json one_at_a_time(tamis::Frames& filter, const Ring& ring, int frames) {
  std::vector<double> latency;
  for (int i = 0; i < frames; ++i) {
    const auto start = Clock::now();
    filter.submit(ring.frame(i), ring.result(i));
    filter.take();
    latency.push_back(milliseconds(start));
  }
  return figures(std::move(latency));
}

Json streaming(tamis::Frames& filter, const Ring& ring, int frames) {
  std::vector<double> latency;
  std::deque<Clock::time_point> submitted;
  const auto take = [&] {
    filter.take();
    latency.push_back(milliseconds(submitted.front()));
    submitted.pop_front();
  };
  const auto start = Clock::now();
  for (int i = 0; i < frames; ++i) {
    if (filter.full()) take();
    submitted.push_back(Clock::now());
    filter.submit(ring.frame(i), ring.result(i));
  }
  while (filter.in_flight() > 0) take();
  const double seconds = milliseconds(start) / 1000;
  const double bytes = double(ring.bytes) * frames;
  return {{"in_flight", in_flight},
          {"frames_per_s", frames / seconds},
          {"gpx_per_s", bytes / seconds / 1e9},
          {"gb_per_s_each_way", bytes / seconds / 1e9},
          {"latency_ms", figures(std::move(latency))}};
}

/// Nothing is timed after a wrong answer.
void require_same(const Ring& ring, tamis::Frames& filter, const tamis::Shape& shape, const char* element) {
  filter.submit(ring.frame(0), ring.result(0));
  filter.take();
  tamis::Image image(tamis::Type::U8, shape);
  std::memcpy(image.data(), ring.frame(0), static_cast<std::size_t>(ring.bytes));
  tamis::Context cpu;
  cpu.device = tamis::Device::Cpu;
  const tamis::Image wanted = tamis::open(cpu, image, {.element = element});
  if (std::memcmp(ring.result(0), wanted.data(), static_cast<std::size_t>(ring.bytes)) == 0) return;
  throw tamis::Error("the GPU's opening by " + std::string(element) + " of " + to_string(shape) +
                     " is not the CPU's: nothing was timed");
}

Json measure(const tamis::Shape& shape, const char* element, const Ring& ring, int frames) {
  tamis::Context context;
  context.device = tamis::Device::Cuda;
  tamis::Frames filter(context, tamis::Operation::Open, tamis::Type::U8, shape,
                          {.morphology = {.element = element}, .in_flight = in_flight});
  require_same(ring, filter, shape, element);
  one_at_a_time(filter, ring, 10);
  const Json alone = one_at_a_time(filter, ring, frames);
  return {{"latency_ms", alone}, {"streaming", streaming(filter, ring, frames)}};
}

void run(int frames) {
  const std::vector<tamis::Gpu> gpus = tamis::gpus();
  if (gpus.empty()) throw tamis::ResourceError("no GPU to measure: " + tamis::why_no_gpu());
  for (const tamis::Shape& shape : {tamis::Shape{1, 2048, 3072, 2}, tamis::Shape{1, 5860, 10240, 2}}) {
    const Ring ring(shape);
    Json line = {{"benchmark", "streaming"}, {"gpu", gpus.front().name}, {"type", "u8"},           {"width", shape.x},
                 {"height", shape.y},        {"operation", "open"},      {"element", "square:15"}, {"frames", frames}};
    line["filter"] = measure(shape, "square:15", ring, frames);
    line["bus"] = measure(shape, "square:1", ring, frames);
    std::puts(line.dump().c_str());
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const int frames = count > 1 ? std::atoi(arguments[1]) : 300;
    if (count > 2 || frames < 1) throw tamis::InputError("usage: morphology_streaming_bench [frames, 1 or more]");
    run(frames);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "morphology_streaming_bench: %s\n", error.what());
    return dynamic_cast<const tamis::InputError*>(&error) || dynamic_cast<const tamis::ResourceError*>(&error) ? 2 : 1;
  }
}
