// Sizes of a file at the limits of the words that they are stored in.
#include "io/checked.hpp"

#include <array>

#include "io/test/testing.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::array<int, 5> words{6, 8, 16, 31, 32};

TEST(Checked, numbers_at_the_limits_of_words_are_kept) {
  for (const int bits : words) {
    for (const std::int64_t step : {-1, 0, 1}) {
      const std::int64_t number = (std::int64_t{1} << bits) + step;
      EXPECT_TRUE(Checked(number).is(number));
      EXPECT_TRUE((Checked(number) + 1).is(number + 1));
      EXPECT_TRUE((Checked(number) - number).is(0));
      EXPECT_TRUE((Checked(number) * 2).is(2 * number));
      EXPECT_TRUE((Checked(number) / 2).is(number / 2));
      EXPECT_TRUE((Checked(number) % 2).is(number % 2));
    }
  }
  EXPECT_TRUE(Checked(std::uint8_t{255}).is(255));
  EXPECT_TRUE(Checked(std::uint32_t{0xffffffff}).is(0xffffffffLL));
  EXPECT_TRUE(Checked(most).is(most));
}

TEST(Checked, numbers_from_2_to_the_63rd_on_are_lost) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  EXPECT_TRUE(Checked(limit - 1).ok());
  for (const std::uint64_t number : {limit, limit + 1, ~std::uint64_t{0}}) {
    EXPECT_FALSE(Checked(number).ok());
    EXPECT_EQ(Checked(number).value_or(7), 7);
  }
  EXPECT_FALSE((Checked(most) + 1).ok());
  EXPECT_FALSE((Checked(most) * 2).ok());
  EXPECT_TRUE((Checked(std::int64_t{1} << 31) * (std::int64_t{1} << 31)).is(std::int64_t{1} << 62));
  EXPECT_FALSE((Checked(std::int64_t{1} << 32) * (std::int64_t{1} << 31)).ok());
  EXPECT_FALSE((Checked(std::int64_t{1} << 32) * (std::int64_t{1} << 32)).ok());
}

TEST(Checked, negative_numbers_and_divisions_by_nothing_are_lost) {
  EXPECT_FALSE(Checked(-1).ok());
  EXPECT_FALSE(Checked(std::numeric_limits<std::int64_t>::min()).ok());
  EXPECT_FALSE((Checked(3) - 4).ok());
  EXPECT_FALSE((Checked(3) / 0).ok());
  EXPECT_FALSE((Checked(3) % 0).ok());
}

TEST(Checked, what_is_lost_stays_lost) {
  const Checked lost = Checked(most) + 1;
  for (const Checked result : {lost + 0, lost - 1, lost * 0, lost / most, lost % 2, 0 * lost, 1 - lost, 1 / lost}) {
    EXPECT_FALSE(result.ok());
    EXPECT_FALSE(result.at_most(most));
    EXPECT_FALSE(result.is(-1));
  }
  expect_says(refusal([&] { static_cast<void>(lost.value("a.raw", "the offset")); }),
              {"a.raw", "the offset", "larger than any file"});
}

TEST(Checked, a_range_loses_what_lies_outside) {
  for (const int bits : words) {
    const std::int64_t limit = std::int64_t{1} << bits;
    EXPECT_TRUE(Checked::within(limit, 1, limit).is(limit));
    EXPECT_FALSE(Checked::within(limit + 1, 1, limit).ok());
    EXPECT_FALSE(Checked::within(limit - 1, limit, most).ok());
  }
  EXPECT_FALSE(Checked::within(0, 1, most).ok());
  EXPECT_FALSE(Checked::within(-1, 0, most).ok());
  EXPECT_FALSE(Checked::within(std::uint64_t{1} << 63, 0, most).ok());
}

TEST(Checked, a_place_lies_within_a_file_or_it_does_not) {
  for (const int bits : {6, 8, 16, 31, 32, 62}) {
    const std::int64_t length = std::int64_t{1} << bits;
    EXPECT_TRUE(within(0, length, length));
    EXPECT_TRUE(within(length, 0, length));
    EXPECT_TRUE(within(length - 1, 1, length));
    EXPECT_FALSE(within(1, length, length));
    EXPECT_FALSE(within(length, 1, length));
    EXPECT_FALSE(within(length + 1, 0, length));
    EXPECT_FALSE(within(-1, 1, length));
    EXPECT_FALSE(within(most, 1, length));
    EXPECT_FALSE(within(std::uint64_t{1} << 63, 0, length));
    EXPECT_FALSE(within(1, ~std::uint64_t{0}, length));
  }
}

}  // namespace
}  // namespace tamis::io
