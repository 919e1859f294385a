#include "core/parts/tally.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include <tamis/error.hpp>

namespace tamis::parts {
namespace {

Tally some(const std::vector<std::int64_t>& sizes, std::int64_t largest) {
  Tally tally;
  tally.counts("sizes") = sizes;
  tally.largest("square") = largest;
  return tally;
}

TEST(PartTally, adds_counts_of_different_length_and_keeps_the_largest) {
  Tally tally = some({1, 2, 3}, 7);
  tally.add(some({10}, 9));
  tally.add(some({0, 0, 0, 0, 5}, 2));
  EXPECT_EQ(tally, some({11, 2, 3, 0, 5}, 9));
  EXPECT_EQ(Tally().sum("nothing"), 0);
  EXPECT_TRUE(std::as_const(tally).counts("nothing").empty());
}

RC_GTEST_PROP(PartTally, does_not_depend_on_the_order, (const std::vector<std::vector<std::int64_t>>& all)) {
  Tally forwards, backwards;
  for (auto it = all.begin(); it != all.end(); ++it) forwards.add(some(*it, static_cast<std::int64_t>(it->size())));
  for (auto it = all.rbegin(); it != all.rend(); ++it) backwards.add(some(*it, static_cast<std::int64_t>(it->size())));
  RC_ASSERT(forwards == backwards);
}

RC_GTEST_PROP(PartTally, comes_back_from_its_bytes, (const std::vector<std::int64_t>& numbers, std::int64_t largest)) {
  const Tally tally = some(numbers, largest);
  RC_ASSERT(Tally::from_bytes(tally.to_bytes(), "bytes") == tally);
}

TEST(PartTally, bytes_are_those_of_version_1) {
  // What this version writes the next ones have to read, or refuse by its version.
  EXPECT_EQ(
      some({300, -1}, 1).to_bytes(),
      std::string("tamis tally 1\n\x01\x05sizes\x02\xac\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x06square\x01",
                  43));
}

RC_GTEST_PROP(PartTally, other_bytes_are_refused, (const std::string& bytes)) {
  const std::string whole = some({1, 2, 300}, 4).to_bytes();
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    RC_ASSERT_THROWS_AS(static_cast<void>(Tally::from_bytes(whole.substr(0, kept), "bytes")), InputError);
  }
  try {
    static_cast<void>(Tally::from_bytes("tamis tally 1\n" + bytes, "bytes"));
  } catch (const InputError&) {
  }
  RC_ASSERT_THROWS_AS(static_cast<void>(Tally::from_bytes("tamis tally 2\n" + bytes, "bytes")), InputError);
}

}  // namespace
}  // namespace tamis::parts
