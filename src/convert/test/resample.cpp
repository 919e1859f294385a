#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>

namespace tamis {
namespace {

const Spacing old_sides{3, 1, 1.5, "um"};

Image noise(const Shape& shape, const Spacing& spacing) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  Image image(Type::F32, shape, spacing);
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      std::generate_n(image.row<float>(z, y), shape.x, [&] { return normal(random); });
    }
  }
  return image;
}

double weight(Interpolation interpolation, double distance) {
  const double x = std::abs(distance);
  if (interpolation == Interpolation::Linear) return std::max(0.0, 1 - x);
  if (x <= 1) return 1.5 * x * x * x - 2.5 * x * x + 1;
  return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0;
}

double place(std::int64_t i, double new_side, double old_side) {
  return (static_cast<double>(i) + 0.5) * (new_side / old_side) - 0.5;
}

/// The definition: all samples around a place, one by one.
double by_definition(const Image& image, Interpolation interpolation, double z, double y, double x) {
  const auto at = [](double place, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, count - 1);
  };
  const Shape& shape = image.shape();
  if (interpolation == Interpolation::Nearest) {
    return image.row<float>(at(std::floor(z + 0.5), shape.z),
                            at(std::floor(y + 0.5), shape.y))[at(std::floor(x + 0.5), shape.x)];
  }
  double sum = 0;
  for (double k = std::floor(z) - 2; k <= z + 3; ++k) {
    for (double j = std::floor(y) - 2; j <= y + 3; ++j) {
      for (double i = std::floor(x) - 2; i <= x + 3; ++i) {
        const double all = weight(interpolation, z - k) * weight(interpolation, y - j) * weight(interpolation, x - i);
        sum += all * image.row<float>(at(k, shape.z), at(j, shape.y))[at(i, shape.x)];
      }
    }
  }
  return sum;
}

std::vector<float> samples_of(SliceSource& source, std::int64_t at_once) {
  const Shape& shape = source.layout().shape;
  std::vector<float> all(static_cast<std::size_t>(shape.count()));
  for (std::int64_t z = 0; z < shape.z; z += at_once) {
    source.read(z, std::min(at_once, shape.z - z), reinterpret_cast<std::byte*>(all.data() + z * shape.y * shape.x));
  }
  return all;
}

TEST(Resample, is_its_definition_however_it_is_read) {
  const Image image = noise({6, 9, 7, 3}, old_sides);
  for (const Spacing& sides :
       {Spacing{1, 1, 1, "um"}, Spacing{7, 0.4, 2, "um"}, Spacing{0.0005, 0.0005, 0.0005, "mm"}}) {
    const double scale = sides.unit == "mm" ? 1000 : 1;
    for (const auto interpolation : {Interpolation::Nearest, Interpolation::Linear, Interpolation::Cubic}) {
      for (const int threads : {1, 3}) {
        Context context;
        context.threads = threads;
        const auto source = resample(context, source_of(image), sides, interpolation);
        const Shape& shape = source->layout().shape;
        EXPECT_EQ(shape, resampled_shape({Type::F32, image.shape(), 1, old_sides}, sides));
        EXPECT_EQ(source->layout().spacing, sides);
        const std::vector<float> found = samples_of(*source, 4);
        EXPECT_EQ(samples_of(*source, 1), found);  // from the front again
        std::size_t at = 0;
        for (std::int64_t z = 0; z < shape.z; ++z) {
          for (std::int64_t y = 0; y < shape.y; ++y) {
            for (std::int64_t x = 0; x < shape.x; ++x, ++at) {
              const double wanted =
                  by_definition(image, interpolation, place(z, sides.z * scale, old_sides.z),
                                place(y, sides.y * scale, old_sides.y), place(x, sides.x * scale, old_sides.x));
              ASSERT_NEAR(found[at], wanted, 1e-5) << name(interpolation) << ' ' << z << ' ' << y << ' ' << x;
            }
          }
        }
      }
    }
  }
}

TEST(Resample, of_a_constant_is_that_constant) {
  Image image(Type::U16, {4, 5, 6, 3}, old_sides);
  for (std::int64_t z = 0; z < 4; ++z) {
    for (std::int64_t y = 0; y < 5; ++y) std::fill_n(image.row<std::uint16_t>(z, y), 6, std::uint16_t{41'000});
  }
  for (const auto interpolation : {Interpolation::Nearest, Interpolation::Linear, Interpolation::Cubic}) {
    const auto source = resample(Context(), source_of(image), {0.7, 0.7, 0.7, "um"}, interpolation);
    std::vector<std::uint16_t> samples(static_cast<std::size_t>(source->layout().shape.count()));
    source->read(0, source->layout().shape.z, reinterpret_cast<std::byte*>(samples.data()));
    EXPECT_EQ(std::count(samples.begin(), samples.end(), 41'000), std::ssize(samples));
  }
}

TEST(Resample, keeps_the_rank_and_slices_of_an_image) {
  const Image image = noise({1, 8, 8, 2}, {1, 1, 1, "um"});
  const auto source = resample(Context(), source_of(image), {0.1, 2, 2, "um"}, Interpolation::Linear);
  EXPECT_EQ(source->layout().shape, (Shape{1, 4, 4, 2}));
}

std::string refusal(const Image& image, const Spacing& sides, Interpolation interpolation) {
  try {
    static_cast<void>(resample(Context(), source_of(image), sides, interpolation));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Resample, says_what_it_cannot_do) {
  const Spacing one{1, 1, 1, "um"};
  const Shape shape{2, 3, 4, 3};
  EXPECT_NE(refusal(Image(Type::F32, shape), one, Interpolation::Linear).find("not known"), std::string::npos);
  EXPECT_NE(refusal(Image(Type::F32, shape, one), {1, 1, 1, ""}, Interpolation::Linear).find("no unit"),
            std::string::npos);
  EXPECT_NE(refusal(Image(Type::F32, shape, one), {1, 0, 1, "um"}, Interpolation::Linear).find("above 0"),
            std::string::npos);
  EXPECT_NE(refusal(Image(Type::Bool, shape, one), one, Interpolation::Cubic).find("wanted nearest"),
            std::string::npos);
  EXPECT_EQ(refusal(Image(Type::Bool, shape, one), one, Interpolation::Nearest), "");
  EXPECT_NE(refusal(Image(Type::U8, shape, one), {1, 1, 1e-10, "um"}, Interpolation::Nearest).find("at most 1e+09"),
            std::string::npos);
}

}  // namespace
}  // namespace tamis
