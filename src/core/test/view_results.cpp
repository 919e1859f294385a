// Functions that read an image in memory of the caller, or write a result of another type or shape there.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/image/view.hpp>

#include "core/test/guarded_memory.hpp"
#include "core/test/view_buffer.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using morphology_testing::random_image;
using namespace view_testing;

/// Measures refuse infinities.
Image finite_image(Type type, const Shape& shape, unsigned seed) {
  Image image = random_image(type, shape, seed);
  if (type != Type::F32) return image;
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    float& sample = image.row<float>(0, 0)[i];
    if (!std::isfinite(sample)) sample = 0;
  }
  return image;
}

/// The measures of an image that are numbers, by functions that take it as it is or as a view of it.
template <class Seen>
std::vector<double> measures(const Context& context, const Seen& image, Type type) {
  std::vector<double> all;
  const auto add = [&](const auto& values) { all.insert(all.end(), values.begin(), values.end()); };
  const OrientationOptions lines{.lengths = {5}, .angles = {0, 180, 6}};
  for (const AngularSpectrum& spectrum : angular_spectra(context, image, lines)) add(spectrum.removed);
  const Orientation maps = orientation(context, image, lines);
  add(maps.histogram);
  for (std::int64_t i = 0; i < maps.orientation.shape().count(); ++i) {
    const float angle = maps.orientation.row<float>(0, 0)[i];
    all.push_back(std::isnan(angle) ? -1 : angle);
  }
  const auto add_sizes = [&](const Sizes& sizes) {
    for (std::int64_t row = 0; row < sizes.rows(); ++row) all.push_back(sizes.sum(row));
  };
  add_sizes(line_granulometry(context, image, {.angle = 30}));
  if (type != Type::Bool) add_sizes(grey_granulometry(context, image, {.max_size = 3}));
  if (maps.orientation.shape().rank == 2) add(find_skew(context, image).scores);
  return all;
}

TEST(ImageViews, are_measured_as_images_are) {
  unsigned seed = 20;
  for (const Type type : morphology_testing::filter_types) {
    for (const Shape& shape : {Shape{1, 40, 71, 2}, Shape{3, 9, 22, 3}}) {
      const Image image = finite_image(type, shape, ++seed);
      const std::vector<double> wanted = measures({}, image, type);
      for (const Way way : ways) {
        Buffer buffer(type, shape, way);
        buffer.put(image);
        EXPECT_EQ(measures({}, as_input(buffer.view), type), wanted)
            << name(type) << " " << to_string(shape) << " way " << static_cast<int>(way);
      }
    }
  }
}

/// Views of samples without gaps are read where they lie, so nothing behind their last sample may be.
TEST(ImageViews, are_read_up_to_their_last_sample) {
  unsigned seed = 40;
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
    for (const Shape& shape : {Shape{1, 37, 130, 2}, Shape{1, 33, 7, 2}, Shape{5, 11, 45, 3}}) {
      const Image image = finite_image(type, shape, ++seed);
      const GuardedMemory from_memory(image.bytes()), to_memory(image.bytes());
      Image from = from_memory.image(type, shape), to = to_memory.image(type, shape);
      std::memcpy(from.data(), image.data(), static_cast<std::size_t>(image.bytes()));
      for (const Context& context : morphology_testing::instruction_sets()) {
        EXPECT_EQ(measures(context, view_of(std::as_const(from)), type), measures(context, image, type));
        rotate(context, view_of(std::as_const(from)), 33, {}, view_of(to));
        EXPECT_TRUE(samples_of(to) == samples_of(rotate(context, image, 33)));
        traced_opening(context, view_of(std::as_const(from)), view_of(to), 9, 20);
        EXPECT_TRUE(samples_of(to) == samples_of(traced_opening(context, image, 9, 20)));
      }
    }
  }
}

TEST(ImageViews, take_a_result_of_another_shape) {
  const Image image = random_image(Type::U8, {1, 30, 50, 2}, 3);
  const Shape room = rotated_shape(image.shape(), 30);
  for (const Way way : ways) {
    Buffer to(Type::U8, room, way);
    rotate({}, view_of(image), 30, {.fill = 7, .size = room}, to.view);
    EXPECT_TRUE(to.samples() == samples_of(rotate({}, image, 30, {.fill = 7, .size = room})));
  }
  Image out(Type::U8, image.shape());
  try {
    rotate({}, view_of(image), 30, {.size = room}, view_of(out));
    FAIL() << "the shape was taken";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "rotate: the output is 50x30 u8; wanted " + to_string(room) + " u8");
  }
}

TEST(ImageViews, take_distances) {
  for (const Shape& shape : {Shape{1, 30, 70, 2}, Shape{6, 9, 21, 3}}) {
    const Image object = random_image(Type::Bool, shape, 4);
    const std::vector<std::byte> wanted = samples_of(distance({}, object));
    for (const Way way : ways) {
      Buffer from(Type::Bool, shape, way), to(Type::F32, shape, way);
      from.put(object);
      distance({}, as_input(from.view), to.view);
      EXPECT_TRUE(to.samples() == wanted) << to_string(shape) << " way " << static_cast<int>(way);
      EXPECT_TRUE(samples_of(image_of({}, as_input(from.view))) == samples_of(object));
    }
    Image narrow(Type::U16, shape);
    EXPECT_THROW(distance({}, object.shape().rank == 2 ? as_input(Buffer(Type::Bool, shape, Way::Dense).view) : ConstImageView{},
                          view_of(narrow)),
                 InputError);
  }
}

}  // namespace
}  // namespace tamis
