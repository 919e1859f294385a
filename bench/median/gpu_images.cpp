#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <tamis/error.hpp>

#include "bench/median/gpu_bench.hpp"

namespace tamis::median_bench {
namespace {

template <class T>
void fill_smooth(Image& image, double range) {
  constexpr double period = 97;
  const Shape& shape = image.shape();
  std::vector<float> wave(static_cast<std::size_t>(std::max(shape.x, shape.y)));
  for (std::size_t i = 0; i < wave.size(); ++i) {
    wave[i] = static_cast<float>(0.45 + 0.35 * std::sin(2 * std::numbers::pi * static_cast<double>(i) / period));
  }
  std::mt19937_64 random(8);
  std::uint64_t draw = 0;
  const auto steps = static_cast<float>(range / 8 / 65535);  // of the noise
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const float shade = static_cast<float>(range) * wave[static_cast<std::size_t>((y + z) % shape.y)];
      T* const row = image.row<T>(z, y);
      for (std::int64_t x = 0; x < shape.x; ++x, draw >>= 16) {
        if (x % 4 == 0) draw = random();
        row[x] = static_cast<T>(shade * wave[static_cast<std::size_t>(x)] + steps * static_cast<float>(draw & 0xffff));
      }
    }
  }
}

}  // namespace

Image smooth_with_noise(Type type, const Shape& shape) {
  Image image(type, shape);
  if (type == Type::U8) {
    fill_smooth<std::uint8_t>(image, std::numeric_limits<std::uint8_t>::max());
  } else if (type == Type::U16) {
    fill_smooth<std::uint16_t>(image, std::numeric_limits<std::uint16_t>::max());
  } else if (type == Type::F32) {
    fill_smooth<float>(image, 1);
  } else {
    throw InputError("smooth images: " + std::string(name(type)) + "; wanted u8, u16 or f32");
  }
  return image;
}

}  // namespace tamis::median_bench
