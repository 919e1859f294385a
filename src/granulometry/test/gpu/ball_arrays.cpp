// Balls and distances of arrays on a GPU, and balls of bits that lie there, against those of images.
#include <cstring>
#include <memory>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu/binary.hpp>

#include "core/test/gpu_arrays.hpp"
#include "distance/test/testing.hpp"

namespace tamis {
namespace {

using distance_testing::clip;
using distance_testing::random_object;
using tamis::testing::all_views;
using tamis::testing::on_stream;
using tamis::testing::View;
using tamis::testing::ViewedArray;

class GpuBallArrays : public GpuTest {};

Context cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

std::vector<std::uint8_t> bytes_of(const Image& image) {
  std::vector<std::uint8_t> bytes;
  const Shape& shape = image.shape();
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) bytes.push_back(image.bit(z, y, x) ? 1 : 0);
  return bytes;
}

std::unique_ptr<ViewedArray> upload(const cuda::Stream& stream, const Image& image, View view) {
  auto array = std::make_unique<ViewedArray>(stream, Type::Bool, image.shape(), view);
  array->upload(bytes_of(image).data());
  return array;
}

void expect_bytes(ViewedArray& found, const Image& expected) {
  ASSERT_EQ(found.array.type, expected.type());
  const std::vector<std::byte> bytes = found.download();
  ASSERT_EQ(static_cast<std::int64_t>(bytes.size()), expected.bytes());
  EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), bytes.size()), 0);
}

const Spacing long_voxels{2, 1, 1, "um"};

TEST_F(GpuBallArrays, maps_are_those_of_images_in_every_view) {
  const cuda::Stream stream(0);
  const Image domain = random_object({1, 30, 70, 3}, 0.02, 3);
  for (const View view : all_views)
    for (const BallMeasure measure : {BallMeasure::Size, BallMeasure::Radius})
      for (const bool by_slices : {false, true}) {
        Image object = random_object({9, 30, 70, 3}, 0.004, 7);
        clip(object, domain);
        object.spacing = long_voxels;
        const BallOptions options{DomainBorder::Neutral, BallConvention::Tamis, by_slices};
        const auto array = upload(stream, object, view);
        const auto inside = upload(stream, domain, view);
        std::unique_ptr<ViewedArray> map;
        const BallSizes found =
            ball_map(on_stream(stream), array->input(), measure, options, inside->input(), long_voxels, [&](Type type) {
              map = std::make_unique<ViewedArray>(stream, type, object.shape(), view);
              return map->array;
            });
        const BallSizes expected = ball_granulometry(cpu(), object, options, domain);
        EXPECT_EQ(found.sizes.volume, expected.sizes.volume);
        EXPECT_EQ(found.sizes.border_voxels, expected.sizes.border_voxels);
        EXPECT_EQ(found.sizes.spacing, long_voxels);
        expect_bytes(*map, ball_map(cpu(), object, measure, options, domain));
        EXPECT_EQ(ball_granulometry(on_stream(stream), array->input(), options, inside->input(), long_voxels).sizes.volume,
                  expected.sizes.volume);
      }
}

TEST_F(GpuBallArrays, distances_are_those_of_images_in_every_view) {
  const cuda::Stream stream(0);
  for (const View view : all_views)
    for (const double background : {0.004, 0.0}) {
      Image object = random_object({9, 30, 70, 3}, background, 7);
      object.spacing = long_voxels;
      const auto array = upload(stream, object, view);
      ViewedArray lengths(stream, Type::F32, object.shape(), view);
      distance(on_stream(stream), array->input(), lengths.array, {}, {}, long_voxels);
      expect_bytes(lengths, distance(cpu(), object));
      std::unique_ptr<ViewedArray> squares;
      const GpuSquares told = squared_distance(on_stream(stream), array->input(), {DomainBorder::Neutral}, {},
                                               long_voxels, [&](Type type) {
                                                 squares = std::make_unique<ViewedArray>(stream, type,
                                                                                         object.shape(), view);
                                                 return squares->array;
                                               });
      const SquaredDistances expected = squared_distance(cpu(), object, {DomainBorder::Neutral});
      EXPECT_EQ(told.largest, expected.largest);
      EXPECT_EQ(told.unbounded, expected.unbounded);
      expect_bytes(*squares, expected.squares);
    }
}

TEST_F(GpuBallArrays, long_distances_have_wide_squares) {
  const cuda::Stream stream(0);
  Image object = random_object({1, 3, 700, 2}, 0, 1);
  distance_testing::clear_bit(object, 0, 0, 0);
  const auto array = upload(stream, object, View::Dense);
  ViewedArray lengths(stream, Type::F32, object.shape(), View::Dense);
  distance(on_stream(stream), array->input(), lengths.array, {DomainBorder::Neutral});
  expect_bytes(lengths, distance(cpu(), object, {DomainBorder::Neutral}));
  for (const BallMeasure measure : {BallMeasure::Size, BallMeasure::Diameter}) {
    std::unique_ptr<ViewedArray> map;
    static_cast<void>(ball_map(on_stream(stream), array->input(), measure, {DomainBorder::Neutral}, {}, {}, [&](Type type) {
      map = std::make_unique<ViewedArray>(stream, type, object.shape(), View::Dense);
      return map->array;
    }));
    expect_bytes(*map, ball_map(cpu(), object, measure, {DomainBorder::Neutral}));
  }
}

TEST_F(GpuBallArrays, of_measured_voxels_are_those_of_images) {
  const cuda::Stream stream(0);
  for (const Spacing& spacing : distance_testing::measured_spacings()) {
    Image object = random_object({20, 30, 41, 3}, 0.0005, 7);
    object.spacing = spacing;
    const auto array = upload(stream, object, View::Dense);
    ViewedArray lengths(stream, Type::F32, object.shape(), View::Dense);
    distance(on_stream(stream), array->input(), lengths.array, {}, {}, spacing);
    expect_bytes(lengths, distance(cpu(), object));
    std::unique_ptr<ViewedArray> made;
    const auto allocate = [&](Type type) {
      made = std::make_unique<ViewedArray>(stream, type, object.shape(), View::Dense);
      return made->array;
    };
    static_cast<void>(squared_distance(on_stream(stream), array->input(), {}, {}, spacing, allocate));
    expect_bytes(*made, squared_distance(cpu(), object).squares);
    for (const BallMeasure measure : {BallMeasure::Size, BallMeasure::Diameter}) {
      static_cast<void>(ball_map(on_stream(stream), array->input(), measure, {}, {}, spacing, allocate));
      expect_bytes(*made, ball_map(cpu(), object, measure));
    }
  }
}

TEST_F(GpuBallArrays, refuse_what_is_no_binary_array) {
  const cuda::Stream stream(0);
  ViewedArray grey(stream, Type::U8, {2, 3, 4, 3}, View::Dense);
  EXPECT_THROW((void)ball_granulometry(on_stream(stream), grey.input()), InputError);
  ViewedArray bits(stream, Type::Bool, {2, 3, 4, 3}, View::Dense);
  EXPECT_THROW(distance(on_stream(stream), bits.input(), grey.array), InputError);
}

TEST_F(GpuBallArrays, of_bits_on_the_gpu_are_those_of_images) {
  const Image domain = random_object({1, 40, 67, 2}, 0.02, 3);
  const Image everywhere;
  for (const bool bounded : {false, true})
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
      for (const double background : {0.004, 0.0}) {
        Image object = random_object({20, 40, 67, 3}, background, 5);
        if (bounded) clip(object, domain);
        const std::unique_ptr<SliceSource> source = source_of(object);
        const std::unique_ptr<SliceSource> mask = source_of(domain);
        Region region;
        if (bounded) region = {Region::Kind::Mask, mask.get()};
        const GpuBinary binary(on_gpu(), *source, {.method = ThresholdMethod::Value}, region);
        const BallOptions options{border};
        const BallSizes expected = ball_granulometry(cpu(), object, options, bounded ? domain : everywhere);
        const BallSizes found = ball_granulometry(on_gpu(), binary, options);
        EXPECT_EQ(found.sizes.volume, expected.sizes.volume);
        EXPECT_EQ(found.sizes.border_voxels, expected.sizes.border_voxels);
        EXPECT_EQ(found.sizes.rank, expected.sizes.rank);
        Image map;
        static_cast<void>(ball_map(
            on_gpu(), binary, BallMeasure::Size, options,
            [&](const BallSizes&, Type type) { map = Image(type, object.shape()); },
            [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
              std::memcpy(map.row<std::byte>(z0, 0), slices,
                          static_cast<std::size_t>(count * map.shape().y * map.row_bytes()));
            }));
        const Image wanted = ball_map(cpu(), object, BallMeasure::Size, options, bounded ? domain : everywhere);
        ASSERT_EQ(map.type(), wanted.type());
        EXPECT_EQ(std::memcmp(map.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0);
      }
}

}  // namespace
}  // namespace tamis
