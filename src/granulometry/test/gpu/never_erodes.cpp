// What never erodes under a neutral border, on the GPU: its value is the number of rows, whatever planes hold the
// numbers, however many rounds of erosions it takes to find out, and whatever else the map holds.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <tamis/granulometry.hpp>

#include "core/test/gpu_arrays.hpp"
#include "core/test/gpu_test.hpp"
#include "granulometry/test/testing.hpp"

namespace tamis {
namespace {

using namespace granulometry_testing;
using tamis::testing::on_stream;
using tamis::testing::View;
using tamis::testing::ViewedArray;

class GpuNeverErodes : public GpuTest {};

Context cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

/// Where numbers get another plane (15, 16, 63, 64, 255, 256), and where a round of erosions ends (64, 128, 192, 256).
constexpr std::int64_t limits[] = {13,  14,  15,  16,  17,  18,  29,  30,  31,  32,  33,  34,  61,  62,
                                   63,  64,  65,  66,  67,  68,  125, 126, 127, 128, 129, 130, 131, 189,
                                   190, 191, 192, 193, 194, 252, 253, 254, 255, 256, 257, 258, 259, 260};

void clear(Image& image, std::int64_t z, std::int64_t y, std::int64_t x) {
  image.row<std::uint64_t>(z, y)[x / 64] &= ~(std::uint64_t{1} << (x % 64));
}

Image full(const Shape& shape) { return random_object(shape, 1.0, 1); }

/// Curve, map and its type of both devices; of arrays too.
void expect_as_on_the_cpu(const Context& gpu, const Image& object, const GranulometryOptions& options,
                          const Image& domain) {
  SCOPED_TRACE(std::string(name(options.element)) + ", up to " +
               std::to_string(options.max_size.value_or(-1)));
  const Sizes sizes = granulometry(cpu(), object, options, domain);
  const Image wanted = size_map(cpu(), object, options, domain);
  const std::int64_t top = sizes.limited ? *options.max_size + 1 : sizes.rows();
  EXPECT_EQ(wanted.type(), top > 255 ? Type::U16 : Type::U8);
  EXPECT_EQ(granulometry(gpu, object, options, domain).volume, sizes.volume);
  const Image got = size_map(gpu, object, options, domain);
  ASSERT_EQ(got.type(), wanted.type());
  EXPECT_TRUE(values(got) == values(wanted)) << "the maps differ";
}

TEST_F(GpuNeverErodes, a_slice_without_background_beside_one_that_has_some) {
  for (const std::int64_t n : limits) {
    SCOPED_TRACE(n);
    Image object = full({2, n + 1, n + 1, 3});
    clear(object, 1, n, n);
    GranulometryOptions options{Element::Square, DomainBorder::Neutral, {}};
    expect_as_on_the_cpu(on_gpu(), object, options, {});
    const Image map = size_map(on_gpu(), object, options);
    EXPECT_EQ(values(map).front(), static_cast<std::uint32_t>(n + 1)) << "the number of rows";
    for (const std::int64_t less : {2, 1, 0, -1}) {
      options.max_size = n - less;
      expect_as_on_the_cpu(on_gpu(), object, options, {});
    }
  }
}

/// Two boxes of the domain with a gap between them. One has a hole in a corner, from which distances grow along it.
struct Apart {
  Image object, domain;

  Apart(const Shape& shape, std::int64_t rows) : object(full(shape)), domain(full(shape)) {
    for (std::int64_t z = 0; z < shape.z; ++z) {
      for (std::int64_t x = 0; x < shape.x; ++x) clear(domain, z, rows, x);
    }
    clip(object, domain);
    clear(object, 0, 0, 0);
  }
};

TEST_F(GpuNeverErodes, a_region_of_its_own_under_every_element) {
  for (const std::int64_t n : limits) {
    SCOPED_TRACE(n);
    for (const Shape& shape : {Shape{1, 5, n + 1, 2}, Shape{3, 6, n, 3}, Shape{n, 4, 5, 3}, Shape{3, n + 1, 4, 3}}) {
      SCOPED_TRACE(to_string(shape));
      const Apart apart(shape, 2);
      for (const Element element : elements_for(shape)) {
        expect_as_on_the_cpu(on_gpu(), apart.object, {element, DomainBorder::Neutral, {}},
                             apart.domain);
      }
    }
  }
}

TEST_F(GpuNeverErodes, arrays_have_the_values_and_the_type_of_images) {
  const cuda::Stream stream(0);
  for (const std::int64_t n : limits) {
    SCOPED_TRACE(n);
    Image object = full({2, n + 1, n + 1, 3});
    clear(object, 1, n, n);
    const GranulometryOptions options{Element::Square, DomainBorder::Neutral, {}};
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(object.shape().count()), 1);
    bytes.back() = 0;
    ViewedArray array(stream, Type::Bool, object.shape(), View::Sliced);
    array.upload(bytes.data());
    std::unique_ptr<ViewedArray> map;
    static_cast<void>(size_map(on_stream(stream), array.input(), options, {}, [&](Type type) {
      map = std::make_unique<ViewedArray>(stream, type, object.shape(), View::Dense);
      return map->array;
    }));
    const Image wanted = size_map(cpu(), object, options);
    ASSERT_EQ(map->array.type, wanted.type());
    const std::vector<std::byte> got = map->download();
    EXPECT_EQ(std::memcmp(got.data(), wanted.data(), got.size()), 0) << "the maps differ";
  }
}

TEST_F(GpuNeverErodes, an_object_that_fills_its_domain_has_a_map_of_bytes) {
  const Image object = full({3, 300, 40, 3});
  for (const Element element : {Element::Cross, Element::Square, Element::Cube}) {
    expect_as_on_the_cpu(on_gpu(), object, {element, DomainBorder::Neutral, {}}, {});
  }
}

}  // namespace
}  // namespace tamis
