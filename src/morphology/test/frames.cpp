// Frames on the CPU; test/gpu has those on a GPU.
#include <tamis/frames.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;

Context on_the_cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

bool same(const Image& got, const Image& wanted) {
  return got.type() == wanted.type() && got.shape() == wanted.shape() &&
         std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(got.bytes())) == 0;
}

template <class Work>
std::string refusal(Work work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Random frames and places for their results.
struct Reel {
  Reel(Type type, const Shape& shape, int count) {
    for (int i = 0; i < count; ++i) {
      frames.push_back(random_image(type, shape, static_cast<unsigned>(i + 1)));
      results.emplace_back(type, shape);
    }
  }
  std::vector<Image> frames, results;
};

TEST(MorphologyOfFrames, results_are_those_of_images_in_the_order_of_the_frames) {
  const MorphologyOptions options{.element = "disk:3"};
  for (const Type type : filter_types) {
    for (const Shape& shape : {Shape{1, 61, 133, 2}, Shape{3, 20, 65, 3}}) {
      for (const int in_flight : {1, 2, 5}) {
        Reel reel(type, shape, 9);
        Frames filter(on_the_cpu(), Operation::Open, type, shape, {.morphology = options, .in_flight = in_flight});
        EXPECT_EQ(filter.device(), Device::Cpu);
        std::size_t taken = 0;
        const auto take = [&] {
          ASSERT_EQ(filter.take(), reel.results[taken].data());
          const Image wanted = open(on_the_cpu(), reel.frames[taken], options);
          EXPECT_TRUE(same(reel.results[taken], wanted)) << name(type) << " frame " << taken;
          ++taken;
        };
        for (std::size_t i = 0; i < reel.frames.size(); ++i) {
          if (filter.full()) take();
          filter.submit(reel.frames[i].data(), reel.results[i].data());
          EXPECT_LE(filter.in_flight(), in_flight);
        }
        while (filter.in_flight() > 0) take();
        EXPECT_EQ(taken, reel.frames.size());
      }
    }
  }
}

TEST(MorphologyOfFrames, a_result_may_take_the_place_of_its_frame) {
  Image image = random_image(Type::U16, {1, 40, 50, 2}, 1);
  const Image wanted = erode(on_the_cpu(), image);
  Frames filter(on_the_cpu(), Operation::Erode, Type::U16, image.shape(), {});
  filter.submit(image.data(), image.data());
  EXPECT_EQ(filter.take(), image.data());
  EXPECT_TRUE(same(image, wanted));
}

TEST(MorphologyOfFrames, a_frame_too_many_and_a_result_too_many_are_errors) {
  const Shape shape{1, 16, 16, 2};
  Reel reel(Type::U8, shape, 3);
  Frames filter(on_the_cpu(), Operation::Erode, Type::U8, shape, {.in_flight = 2});
  EXPECT_EQ(refusal([&] { filter.take(); }), "a result while no frame is in flight; wanted submit() first");
  filter.submit(reel.frames[0].data(), reel.results[0].data());
  filter.submit(reel.frames[1].data(), reel.results[1].data());
  EXPECT_TRUE(filter.full());
  EXPECT_EQ(refusal([&] { filter.submit(reel.frames[2].data(), reel.results[2].data()); }),
            "a frame while 2 are in flight; wanted take() first, or more in flight");
  EXPECT_EQ(filter.take(), reel.results[0].data());
  EXPECT_EQ(filter.take(), reel.results[1].data());
}

TEST(MorphologyOfFrames, what_cannot_be_is_said_before_the_first_frame) {
  const Shape shape{1, 16, 16, 2};
  const auto why = [&](Type type, const Frames::Options& options) {
    return refusal([&] { Frames(on_the_cpu(), Operation::Erode, type, shape, options); });
  };
  for (const int in_flight : {0, 65}) {
    EXPECT_EQ(why(Type::U8, {.in_flight = in_flight}),
              "frames in flight: " + std::to_string(in_flight) + "; wanted 1 to 64");
  }
  EXPECT_EQ(why(Type::U8, {.morphology = {.element = "ball:2"}}),
            refusal([&] { (void)erode(on_the_cpu(), Image(Type::U8, shape), {.element = "ball:2"}); }));
  EXPECT_NE(why(Type::F64, {}), "");
}

TEST(MorphologyOfFrames, nan_is_told_with_its_frame) {
  const Shape shape{1, 20, 40, 2};
  Reel reel(Type::F32, shape, 3);
  reel.frames[1] = random_image(Type::F32, shape, 1, 0.1);
  Frames filter(on_the_cpu(), Operation::Close, Type::F32, shape, {});
  for (std::size_t i = 0; i < 3; ++i) filter.submit(reel.frames[i].data(), reel.results[i].data());
  EXPECT_EQ(filter.take(), reel.results[0].data());
  EXPECT_NE(refusal([&] { filter.take(); }).find("NaN"), std::string::npos);
  EXPECT_EQ(filter.in_flight(), 1);
  EXPECT_EQ(filter.take(), reel.results[2].data());
  EXPECT_TRUE(same(reel.results[2], close(on_the_cpu(), reel.frames[2])));
}

TEST(MorphologyOfFrames, may_end_or_move_with_frames_in_flight) {
  const Shape shape{1, 300, 500, 2};
  Reel reel(Type::U8, shape, 3);
  for (int round = 0; round < 5; ++round) {
    auto filter = std::make_unique<Frames>(on_the_cpu(), Operation::Open, Type::U8, shape, Frames::Options{});
    for (std::size_t i = 0; i < 3; ++i) filter->submit(reel.frames[i].data(), reel.results[i].data());
    Frames moved = std::move(*filter);
    filter.reset();
    EXPECT_EQ(moved.take(), reel.results[0].data());
  }
  // The memory of the frames is nobody's any more: the last round has written it whole.
  EXPECT_TRUE(same(reel.results[2], open(on_the_cpu(), reel.frames[2])));
}

TEST(MorphologyOfFrames, a_stop_is_told_when_a_frame_is_taken) {
  Image image = random_image(Type::U8, {1, 300, 500, 2}, 1);
  std::stop_source stop;
  Context context = on_the_cpu();
  context.cancel = stop.get_token();
  Frames filter(context, Operation::Open, Type::U8, image.shape(), {});
  stop.request_stop();
  filter.submit(image.data(), image.data());
  EXPECT_THROW(filter.take(), Cancelled);
}

}  // namespace
}  // namespace tamis
