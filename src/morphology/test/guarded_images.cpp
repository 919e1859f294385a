// Python's arrays are filtered where they lie: nothing may be read or written behind their last sample.
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "core/test/guarded_memory.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;

void expect_the_same_within_guards(Operation operation, const Image& image, const MorphologyOptions& options) {
  const GuardedMemory from_memory(image.bytes()), to_memory(image.bytes());
  Image from = from_memory.image(image.type(), image.shape());
  Image to = to_memory.image(image.type(), image.shape());
  std::memcpy(from.data(), image.data(), static_cast<std::size_t>(image.bytes()));
  for (const Context& context : instruction_sets()) {
    const Image wanted = morphology(context, operation, image, options);
    morphology(context, operation, from, options, to);
    EXPECT_EQ(first_difference(grid_of(to), grid_of(wanted)), -1)
        << name(operation) << " of " << name(image.type()) << " " << to_string(image.shape()) << " by "
        << options.element.spec() << " border " << to_string(options.border);
  }
}

TEST(MorphologyGuardedImages, nothing_is_read_or_written_beside_an_image) {
  unsigned number = 0;
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
    for (const std::int64_t width : {1, 7, 31, 64, 65, 127, 130, 200, 515, 1030}) {
      const Image image = random_image(type, {1, 37, width, 2}, 5);
      for (const char* spec : {"square:3", "square:2", "square:15", "rect:60x1", "rect:1x60", "disk:4", "cross:7",
                               "line:9@30", "shift(square:3,40,-9)", "square:1"}) {
        const std::vector<Border> borders = borders_for(type);
        for (const Operation operation : {Operation::Erode, Operation::Dilate, Operation::Open}) {
          expect_the_same_within_guards(operation, image,
                                        {.element = spec, .border = borders[++number % borders.size()]});
        }
        expect_the_same_within_guards(all_operations[number % all_operations.size()], image, {.element = spec});
      }
      expect_the_same_within_guards(Operation::Open, image, {.element = "line:9@30", .lines = Lines::Traced});
    }
    const Image volume = random_image(type, {9, 11, 45, 3}, 6);
    for (const char* spec : {"cube:3", "cube:9", "ball:2", "box:1x1x5", "cross:3", "square:3"}) {
      for (const Operation operation : all_operations) {
        expect_the_same_within_guards(operation, volume, {.element = spec});
      }
    }
  }
  const Image holes = random_image(Type::F32, {1, 41, 77, 2}, 7, 0.2);
  for (const char* spec : {"square:3", "square:25", "disk:3"}) {
    expect_the_same_within_guards(Operation::Close, holes, {.element = spec, .nan = NanPolicy::Ignore});
  }
}

TEST(MorphologyGuardedImages, reconstructions_read_nothing_beside_an_image) {
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
    for (const Shape& shape : {Shape{1, 37, 130, 2}, Shape{7, 11, 45, 3}, Shape{1, 5, 3, 2}}) {
      const Image image = random_image(type, shape, 8);
      const GuardedMemory memory(image.bytes());
      Image from = memory.image(type, shape);
      std::memcpy(from.data(), image.data(), static_cast<std::size_t>(image.bytes()));
      for (const Context& context : instruction_sets()) {
        for (const Connectivity connectivity : {Connectivity::Face, Connectivity::Full}) {
          const MorphologyOptions options{.element = "square:3"};
          EXPECT_EQ(first_difference(grid_of(open_by_reconstruction(context, from, options, connectivity)),
                                     grid_of(open_by_reconstruction(context, image, options, connectivity))),
                    -1);
          EXPECT_EQ(first_difference(grid_of(close_by_reconstruction(context, from, options, connectivity)),
                                     grid_of(close_by_reconstruction(context, image, options, connectivity))),
                    -1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tamis
