// Frames of a camera through an opening: while one is filtered the next one is fetched. The same on the CPU and on a GPU.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <vector>

#include <tamis/frames.hpp>

namespace {

constexpr tamis::Shape shape{.z = 1, .y = 480, .x = 640, .rank = 2};
constexpr int in_flight = 3;

using Frame = std::vector<std::uint8_t>;

/// In the place of a camera: a bright square of 32 by 32 that wanders over a dark ground, and one sample of noise.
void fetch(int number, Frame& frame) {
  for (std::int64_t y = 0; y < shape.y; ++y) {
    for (std::int64_t x = 0; x < shape.x; ++x) {
      const bool square = x >= 100 + number && x < 132 + number && y >= 100 && y < 132;
      frame[static_cast<std::size_t>(y * shape.x + x)] = square ? 200 : 20;
    }
  }
  frame[static_cast<std::size_t>(50 * shape.x + 10)] = 255;
}

std::int64_t bright_samples(const std::uint8_t* frame) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < shape.count(); ++i) count += frame[i] > 100 ? 1 : 0;
  return count;
}

}  // namespace

int main() {
  try {
    tamis::Frames filter(tamis::Context::best(), tamis::Operation::Open, tamis::Type::U8, shape,
                         {.morphology = {.element = "square:5"}, .in_flight = in_flight});
    // A place more than frames in flight: the one that is being fetched. On a GPU tamis::PinnedMemory is faster.
    const Frame dark(static_cast<std::size_t>(shape.count()));
    std::vector<Frame> frames(in_flight + 1, dark), results(in_flight + 1, dark);
    const auto use = [&](const void* result) {
      std::cout << bright_samples(static_cast<const std::uint8_t*>(result)) << '\n';
    };
    for (int number = 0; number < 10; ++number) {
      const auto place = static_cast<std::size_t>(number % (in_flight + 1));
      fetch(number, frames[place]);
      if (filter.full()) use(filter.take());
      filter.submit(frames[place].data(), results[place].data());
    }
    while (filter.in_flight() > 0) use(filter.take());
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
