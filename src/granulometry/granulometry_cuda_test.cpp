// The GPU against the definition and the CPU, on whole images: every option, odd sizes, large distances, slabs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/phantom.hpp>

#include "core/gpu_testing.hpp"
#include "granulometry/granulometry_testing.hpp"

namespace tamis {
namespace {

using namespace granulometry_testing;

class GpuGranulometry : public GpuTest {};

Context cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

void expect_same(const Sizes& got, const Sizes& wanted) {
  EXPECT_EQ(got.volume, wanted.volume);
  EXPECT_EQ(got.border_voxels, wanted.border_voxels);
  EXPECT_EQ(got.limited, wanted.limited);
  EXPECT_EQ(got.never_empties, wanted.never_empties);
}

void expect_same(const Image& got, const Image& wanted) {
  ASSERT_EQ(got.type(), wanted.type());
  EXPECT_TRUE(values(got) == values(wanted)) << "the maps differ";
}

/// Curve and map of both backends.
void expect_as_on_the_cpu(const Context& gpu, const Image& object, const GranulometryOptions& options,
                          const Image& domain = {}) {
  expect_same(granulometry(gpu, object, options, domain), granulometry(cpu(), object, options, domain));
  expect_same(size_map(gpu, object, options, domain), size_map(cpu(), object, options, domain));
}

Image full(const Shape& shape) { return random_object(shape, 1.0, 1); }

/// One hole in the middle: distances grow as far as they can.
Image with_one_hole(const Shape& shape) {
  Image image = full(shape);
  image.row<std::uint64_t>(shape.z / 2, shape.y / 2)[shape.x / 2 / 64] &= ~(std::uint64_t{1} << (shape.x / 2 % 64));
  return image;
}

TEST_F(GpuGranulometry, follows_the_definition_for_every_option_and_odd_shape) {
  for (const Shape& shape : odd_shapes) {
    for_every_option(shape, [&](const Case& c) {
      SCOPED_TRACE(describe(c));
      const Image domain = random_domain(shape, c.roi, c.seed);
      Image object = random_object(shape, c.density, c.seed);
      clip(object, domain);
      const Expected wanted = reference(object, c.options, domain);
      EXPECT_EQ(granulometry(on_gpu(), object, c.options, domain).volume, wanted.volume);
      EXPECT_TRUE(values(size_map(on_gpu(), object, c.options, domain)) == wanted.map) << "the maps differ";
    });
  }
}

TEST_F(GpuGranulometry, gives_the_cpus_answer_for_every_option) {
  for_every_option({40, 70, 130, 3}, [&](const Case& c) {
    SCOPED_TRACE(describe(c));
    const Image domain = random_domain(c.shape, c.roi, c.seed);
    Image object = random_object(c.shape, 0.995, c.seed);
    clip(object, domain);
    expect_as_on_the_cpu(on_gpu(), object, c.options, domain);
  });
}

TEST_F(GpuGranulometry, gives_the_cpus_answer_where_an_axis_is_odd) {
  for (const std::int64_t n : {1, 31, 32, 33, 55, 56, 57, 63, 64, 65, 111, 112, 113, 127, 128, 129, 1000}) {
    for (const Shape& shape : {Shape{n, 30, 40, 3}, Shape{30, n, 40, 3}, Shape{30, 40, n, 3}}) {
      for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
        SCOPED_TRACE(to_string(shape) + " " + std::string(name(element)));
        GranulometryOptions options;
        options.element = element;
        expect_as_on_the_cpu(on_gpu(), random_object(shape, 0.998, 5), options);
      }
    }
  }
}

TEST_F(GpuGranulometry, gives_the_cpus_answer_for_foam) {
  FoamOptions foam;
  foam.shape = {150, 170, 190, 3};
  const Image pores = phantom_foam(cpu(), foam);
  for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
    for (const Border border : {Border::Background, Border::Neutral}) {
      GranulometryOptions options;
      options.element = element;
      options.border = border;
      SCOPED_TRACE(std::string(name(element)) + " " + std::string(name(border)));
      expect_as_on_the_cpu(on_gpu(), pores, options);
    }
  }
}

TEST_F(GpuGranulometry, holds_distances_of_any_size) {
  // 15, 16, 63, 64, 255 and 256 are where numbers get another plane.
  for (const std::int64_t n : {29, 31, 33, 61, 63, 65, 125, 127, 129, 131, 509, 511, 513}) {
    SCOPED_TRACE(n);
    GranulometryOptions options;
    options.element = Element::Cube;
    if (n <= 131) expect_as_on_the_cpu(on_gpu(), full({n, n, n, 3}), options);
    options.element = Element::Square;
    expect_as_on_the_cpu(on_gpu(), full({1, n, n, 2}), options);
    options.element = Element::Cross;
    expect_as_on_the_cpu(on_gpu(), full({1, n, n, 2}), options);
    options.border = Border::Neutral;
    expect_as_on_the_cpu(on_gpu(), with_one_hole({1, n, n, 2}), options);
    options.max_size = n;
    expect_as_on_the_cpu(on_gpu(), with_one_hole({1, n, n, 2}), options);
  }
}

TEST_F(GpuGranulometry, slabs_of_any_height_give_the_same_answer) {
  FoamOptions foam;
  foam.shape = {400, 60, 100, 3};
  foam.max_radius = 12;
  const Image pores = phantom_foam(cpu(), foam);
  for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
    for (const std::int64_t mebibytes : {34, 40, 60}) {
      SCOPED_TRACE(std::string(name(element)) + " " + std::to_string(mebibytes));
      GranulometryOptions options;
      options.element = element;
      Context context = on_gpu();
      context.device_memory_bytes = mebibytes << 20;
      expect_as_on_the_cpu(context, pores, options);
    }
  }
}

TEST_F(GpuGranulometry, says_how_much_memory_it_wants) {
  Context context = on_gpu();
  context.device_memory_bytes = 17 << 20;
  try {
    static_cast<void>(granulometry(context, full({300, 300, 300, 3})));
    FAIL() << "no error";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("GPU memory"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("got 17 MiB"), std::string::npos) << error.what();
  }
}

TEST_F(GpuGranulometry, repeats_itself) {
  FoamOptions foam;
  foam.shape = {120, 120, 120, 3};
  const Image pores = phantom_foam(cpu(), foam);
  const Sizes first = granulometry(on_gpu(), pores);
  for (int i = 0; i < 20; ++i) expect_same(granulometry(on_gpu(), pores), first);
}

}  // namespace
}  // namespace tamis
