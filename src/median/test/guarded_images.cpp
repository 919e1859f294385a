// Python's arrays are filtered where they lie: nothing may be read or written behind their last sample.
#include <cstring>

#include <gtest/gtest.h>
#include <tamis/median.hpp>

#include "core/test/guarded_memory.hpp"
#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;

void expect_the_same_within_guards(const Image& image, const MedianOptions& options) {
  const GuardedMemory from_memory(image.bytes()), to_memory(image.bytes());
  Image from = from_memory.image(image.type(), image.shape());
  Image to = to_memory.image(image.type(), image.shape());
  std::memcpy(from.data(), image.data(), static_cast<std::size_t>(image.bytes()));
  for (Context context : morphology_testing::instruction_sets()) {
    context.device = Device::Cpu;
    const Image wanted = median(context, image, options);
    median(context, from, options, to);
    EXPECT_EQ(0, std::memcmp(to.data(), wanted.data(), static_cast<std::size_t>(image.bytes())))
        << name(image.type()) << " " << to_string(image.shape()) << " " << to_text(options);
  }
}

TEST(GuardedImages, nothing_is_read_or_written_beside_an_image) {
  Sampled some(13);
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
    for (const std::int64_t width : {1, 7, 31, 64, 65, 127, 130, 200, 515}) {
      const Image image = random_image(type, {1, 37, width, 2}, 5);
      for (const char* window : {"square:3", "square:5", "square:9", "square:15", "square:31", "rect:60x1", "rect:1x60",
                                 "disk:4", "square:4"}) {
        for (const Border& border : {Border::reflect(), Border::shrink(), Border::constant(3)}) {
          if (!some.skips()) expect_the_same_within_guards(image, {window, 50, 1, border, NanPolicy::Refuse});
        }
      }
      expect_the_same_within_guards(image, {"square:3", 30, 2, Border::reflect(), NanPolicy::Refuse});
    }
    const Image volume = random_image(type, {7, 11, 45, 3}, 6);
    for (const char* window : {"cube:3", "cube:5", "cube:7", "ball:2"}) {
      expect_the_same_within_guards(volume, {window, 50, 1, Border::reflect(), NanPolicy::Refuse});
    }
  }
  const Image holes = random_image(Type::F32, {1, 41, 77, 2}, 7, 0.2);
  for (const char* window : {"square:3", "square:9", "square:25", "disk:3"}) {
    expect_the_same_within_guards(holes, {window, 50, 1, Border::reflect(), NanPolicy::Ignore});
  }
}

}  // namespace
}  // namespace tamis
