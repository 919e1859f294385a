// Bits of volumes by large balls on a GPU, which go by distance: against the CPU, which goes through rows or by distances of
// its own.
#include <string>

#include "morphology/test/device_images.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;

class GpuBall : public GpuTest {
 protected:
  static void expect_the_same(const Image& image, std::string_view element, std::int64_t device_memory = 0) {
    for (const Operation operation : {Operation::Erode, Operation::Dilate, Operation::Open, Operation::Close, Operation::Gradient}) {
      const MorphologyOptions options{.element = element};
      Context gpu = on_gpu();
      gpu.device_memory_bytes = device_memory;
      const Image found = morphology(gpu, operation, image, options);
      EXPECT_EQ(first_difference(grid_of(found), grid_of(morphology(on_cpu(), operation, image, options))), -1)
          << name(operation) << " of " << to_string(image.shape()) << " by " << element;
    }
  }
};

/// Single voxels of the other kind in a volume of one kind, so that balls show whole.
Image sparse(const Shape& shape, bool ones, unsigned seed) {
  const Image noise = random_image(Type::U16, shape, seed);
  Image bits(Type::Bool, shape);
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const bool rare = noise.row<std::uint16_t>(z, y)[x] % 1000 == 0;
        if (rare == ones) bits.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
      }
    }
  }
  return bits;
}

TEST_F(GpuBall, is_that_of_the_cpu_for_every_shape) {
  unsigned seed = 0;
  for (const Shape& shape : {Shape{40, 37, 130, 3}, Shape{61, 64, 64, 3}, Shape{70, 30, 200, 3}, Shape{30, 90, 33, 3}}) {
    for (const char* element : {"ball:10", "ball:11", "ball:12.5", "ball:14"}) {
      for (const bool ones : {false, true}) expect_the_same(sparse(shape, ones, ++seed), element);
      expect_the_same(random_image(Type::Bool, shape, ++seed), element);
    }
  }
}

TEST_F(GpuBall, of_the_largest_radius_by_distance_and_the_next) {
  const Shape shape{340, 336, 345, 3};
  Image one(Type::Bool, shape);
  one.row<std::uint64_t>(170, 168)[2] = 1;
  for (const char* element : {"ball:167", "ball:168"}) {
    const Image found = dilate(on_gpu(), one, {.element = element});
    EXPECT_EQ(first_difference(grid_of(found), grid_of(dilate(on_cpu(), one, {.element = element}))), -1) << element;
  }
}

TEST_F(GpuBall, of_volumes_of_one_kind) {
  const Shape shape{50, 40, 70, 3};
  Image full(Type::Bool, shape);
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) full.row<std::uint64_t>(z, y)[0] = ~std::uint64_t{0}, full.row<std::uint64_t>(z, y)[1] = 63;
  }
  expect_the_same(full, "ball:11");
  expect_the_same(Image(Type::Bool, shape), "ball:11");
}

TEST_F(GpuBall, in_slabs_is_that_of_the_whole) {
  const Image image = sparse({300, 150, 260, 3}, true, 9);
  for (const std::int64_t mebibytes : {24, 40, 60}) expect_the_same(image, "ball:12", mebibytes << 20);
}

}  // namespace
}  // namespace tamis
