// Whether samples lie on each other, of one view and of two, against the bytes that they are made of.
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/median.hpp>

#include "core/view/view.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using morphology_testing::random_image;

/// Addresses of all bytes of all samples, those that are met twice as often.
std::multiset<const std::byte*> bytes_of(const ConstImageView& view) {
  std::multiset<const std::byte*> bytes;
  for (std::int64_t z = 0; z < view.shape.z; ++z) {
    for (std::int64_t y = 0; y < view.shape.y; ++y) {
      for (std::int64_t x = 0; x < view.shape.x; ++x) {
        const auto* const sample =
            static_cast<const std::byte*>(view.data) + z * view.stride_z + y * view.stride_y + x * view.stride_x;
        for (std::int64_t i = 0; i < sample_bytes(view.type); ++i) bytes.insert(sample + i);
      }
    }
  }
  return bytes;
}

ConstImageView random_view(std::mt19937& random, const std::byte* memory) {
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  ConstImageView view{
      memory + 5000 + below(64), below(2) == 0 ? Type::U8 : Type::U16, {1 + below(3), 1 + below(4), 1 + below(5), 3}};
  view.stride_z = below(120) - 60;
  view.stride_y = below(40) - 20;
  view.stride_x = below(12) - 6;
  if (below(3) == 0) view.stride_z = 4 * below(30), view.stride_y = 4 * below(8), view.stride_x = 4;
  return view;
}

TEST(Overlap, of_samples_of_one_view_is_what_their_bytes_say) {
  std::mt19937 random(3);
  const std::vector<std::byte> memory(10000);
  int refused = 0, taken = 0;
  for (int i = 0; i < 20000; ++i) {
    const ConstImageView view = random_view(random, memory.data());
    const auto bytes = bytes_of(view);
    const bool apart = std::set(bytes.begin(), bytes.end()).size() == bytes.size();
    const ImageView out{const_cast<std::byte*>(static_cast<const std::byte*>(view.data)),
                        view.type,
                        view.shape,
                        view.stride_z,
                        view.stride_y,
                        view.stride_x};
    if (apart) {
      EXPECT_NO_THROW(require_view(out, "out"));
    } else {
      EXPECT_THROW(require_view(out, "out"), InputError);
    }
    ++(apart ? taken : refused);
  }
  EXPECT_GT(std::min(refused, taken), 2000);
}

TEST(Overlap, of_two_views_is_never_overlooked_and_seldom_seen_where_there_is_none) {
  std::mt19937 random(4);
  const std::vector<std::byte> memory(10000);
  int overlooked = 0, apart = 0, seen = 0;
  for (int i = 0; i < 20000; ++i) {
    const ConstImageView a = random_view(random, memory.data()), b = random_view(random, memory.data());
    const auto bytes = bytes_of(a), others = bytes_of(b);
    bool shared = false;
    for (const std::byte* const byte : bytes) shared = shared || others.count(byte) > 0;
    const bool may = view_detail::may_overlap(a, b);
    EXPECT_EQ(may, view_detail::may_overlap(b, a));
    overlooked += shared && !may ? 1 : 0;
    apart += shared ? 0 : 1;
    seen += !shared && may ? 1 : 0;
  }
  EXPECT_EQ(overlooked, 0);
  EXPECT_LT(seen, apart / 2);
}

TEST(Overlap, is_none_of_channels_rows_and_halves_of_rows_that_take_turns) {
  std::vector<float> memory(4 * 6 * 8);
  const Shape shape{1, 6, 8, 2};
  const auto at = [&](std::int64_t first, std::int64_t step_y, std::int64_t step_x) {
    return ConstImageView{memory.data() + first, Type::F32, shape, 0, 4 * step_y, 4 * step_x};
  };
  EXPECT_FALSE(view_detail::may_overlap(at(0, 16, 2), at(1, 16, 2)));    // real and imaginary parts
  EXPECT_FALSE(view_detail::may_overlap(at(0, 24, 3), at(2, 24, 3)));    // two of three channels
  EXPECT_FALSE(view_detail::may_overlap(at(0, 16, 1), at(8, 16, 1)));    // rows in turn, or halves of rows
  EXPECT_FALSE(view_detail::may_overlap(at(0, 1, 12), at(6, 1, 12)));    // columns in turn
  EXPECT_FALSE(view_detail::may_overlap(at(0, -16, 2), at(1, 16, -2)));  // the same, turned
  EXPECT_TRUE(view_detail::may_overlap(at(0, 16, 2), at(2, 16, 2)));
  EXPECT_TRUE(view_detail::may_overlap(at(0, 16, 1), at(7, 16, 1)));
}

TEST(Overlap, none_lets_a_filter_write_between_the_rows_that_it_reads) {
  const Image image = random_image(Type::U8, {1, 60, 80, 2}, 5), wanted = median({}, image, {.window = "square:5"});
  for (const std::int64_t step_x : {1, 2}) {  // rows in turn, and samples
    std::vector<std::uint8_t> memory(60 * 160);
    const ImageView in{memory.data(), Type::U8, image.shape(), 0, 160, step_x};
    const ImageView out{memory.data() + (step_x == 1 ? 80 : 1), Type::U8, image.shape(), 0, 160, step_x};
    copy({}, image, in);
    median({}, as_input(in), out, {.window = "square:5"});
    for (std::int64_t y = 0; y < 60; ++y) {
      for (std::int64_t x = 0; x < 80; ++x) {
        const std::int64_t at = y * in.stride_y + x * step_x;
        ASSERT_EQ(static_cast<std::uint8_t*>(in.data)[at], image.row<std::uint8_t>(0, y)[x]);
        ASSERT_EQ(static_cast<std::uint8_t*>(out.data)[at], wanted.row<std::uint8_t>(0, y)[x]);
      }
    }
  }
}

}  // namespace
}  // namespace tamis
