#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "papers/perrot/study/measure.hpp"

namespace tamis::perrot {

Image grey_image(const Shape& shape) {
  Image image(Type::U16, shape);
  std::minstd_rand random(11);
  constexpr double period = 61;
  std::vector<double> wave(static_cast<std::size_t>(std::max(shape.x, shape.y)));
  for (std::size_t i = 0; i < wave.size(); ++i) {
    wave[i] = std::sin(2 * std::numbers::pi * static_cast<double>(i) / period);
  }
  for (std::int64_t y = 0; y < shape.y; ++y) {
    auto* const row = image.row<std::uint16_t>(0, y);
    for (std::int64_t x = 0; x < shape.x; ++x) {
      const double shade = wave[static_cast<std::size_t>(x)] * wave[static_cast<std::size_t>(y)];
      // Of eight draws two are noise: density 0.25.
      const auto draw = random() >> 8;
      const int noisy = draw % 8 == 0 ? 255 : 0;
      row[x] = static_cast<std::uint16_t>(draw % 8 < 2 ? noisy : std::lround(120 + 80 * shade));
    }
  }
  return image;
}

Image noise(const Shape& shape) {
  Image image(Type::U16, shape);
  std::mt19937 random(12);
  auto* const samples = image.row<std::uint16_t>(0, 0);
  for (std::int64_t i = 0; i < shape.count(); ++i) samples[i] = static_cast<std::uint16_t>(random());
  return image;
}

}  // namespace tamis::perrot
