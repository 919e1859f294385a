#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "papers/karas/study/gpu_study.hpp"

namespace tamis::karas {

Image noise(std::int64_t nx, std::int64_t ny) {
  Image image(Type::U8, {1, ny, nx, 2});
  std::mt19937 random(5);
  for (std::int64_t i = 0; i < image.shape().count(); ++i) {
    image.row<std::uint8_t>(0, 0)[i] = static_cast<std::uint8_t>(random());
  }
  return image;
}

Image texture(std::int64_t nx, std::int64_t ny) {
  Image image(Type::U8, {1, ny, nx, 2});
  std::minstd_rand random(3);
  // A table of one period: sines of 67 million samples take seconds.
  constexpr int period = 1024;
  double wave[period];
  for (int i = 0; i < period; ++i) wave[i] = 127 + 80 * std::sin(2 * std::numbers::pi * i / period);
  for (std::int64_t y = 0; y < ny; ++y) {
    for (std::int64_t x = 0; x < nx; ++x) {
      const auto across = static_cast<double>(x - nx / 3), down = static_cast<double>(y - ny / 2);
      const double radius = std::sqrt(across * across + down * down);
      const double ridge = wave[static_cast<int>(radius / 9 * period) % period];
      image.row<std::uint8_t>(0, y)[x] = static_cast<std::uint8_t>(ridge + static_cast<double>(random() >> 8 & 31));
    }
  }
  return image;
}

Image music(std::int64_t nx, std::int64_t ny) {
  Image image(Type::U8, {1, ny, nx, 2});
  std::minstd_rand random(4);
  const double slope = std::tan(2 * std::numbers::pi / 180);
  for (std::int64_t y = 0; y < ny; ++y) {
    for (std::int64_t x = 0; x < nx; ++x) {
      const std::int64_t row = y + static_cast<std::int64_t>(std::lround(static_cast<double>(x) * slope));
      const bool staff = row % 120 < 50 && row % 10 < 2;
      const bool note = row % 120 < 60 && x % 37 < 8 && (row / 8 + x / 37) % 5 == 0;
      const int ink = staff || note ? 30 : 225;
      image.row<std::uint8_t>(0, y)[x] = static_cast<std::uint8_t>(ink + static_cast<int>(random() >> 8 & 15));
    }
  }
  return image;
}

}  // namespace tamis::karas
