// Which elements have kernels of their own on the GPU, without a GPU.
#include "morphology/plan/symmetric_rows.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tamis::morphology_detail {
namespace {

OffsetSet set_of(const std::string& spec, int rank) { return StructuringElement(spec).sets(rank).front(); }

OffsetSet set_of(const SymmetricRows& rows) {
  std::vector<OffsetSet::Run> runs;
  for (int z = 0; z < rows.depth; ++z) {
    for (int y = 0; y < rows.height; ++y) {
      const int radius = rows.at(z, y);
      if (radius != SymmetricRows::none) runs.push_back({{rows.low_z + z, rows.low_y + y, -radius}, 2 * radius + 1});
    }
  }
  return OffsetSet(std::move(runs));
}

TEST(SymmetricRows, hold_the_same_offsets) {
  for (const char* const spec : {"disk:1", "disk:7.5", "octagon:9", "hexagon:6", "cross:4", "square:7", "rect:3x8",
                                 "shift(disk:4,0,-9)", "shift(rect:1x2,0,5)"}) {
    const auto rows = symmetric_rows(set_of(spec, 2));
    ASSERT_TRUE(rows) << spec;
    EXPECT_EQ(set_of(*rows), set_of(spec, 2)) << spec;
  }
  for (const char* const spec : {"ball:5", "cross:3", "cube:3", "shift(ball:2,0,1,-4)"}) {
    const auto rows = symmetric_rows(set_of(spec, 3));
    ASSERT_TRUE(rows) << spec;
    EXPECT_EQ(set_of(*rows), set_of(spec, 3)) << spec;
  }
}

TEST(SymmetricRows, are_not_found_in_other_elements) {
  for (const char* const spec : {"square:2", "shift(disk:3,1,0)", "circle:5", "line:9@30"}) {
    EXPECT_FALSE(symmetric_rows(set_of(spec, 2))) << spec;
  }
}

TEST(SymmetricRows, are_the_union_of_their_parts) {
  const SymmetricRows whole = *symmetric_rows(set_of("ball:4", 3));
  std::vector<OffsetSet::Run> runs;
  for (const auto& [z, slices] : {std::pair{0, 4}, {4, 5}}) {
    for (const auto& [y, height] : {std::pair{0, 7}, {7, 2}}) {
      const OffsetSet part = set_of(whole.part(z, slices, y, height));
      runs.insert(runs.end(), part.runs().begin(), part.runs().end());
    }
  }
  EXPECT_EQ(OffsetSet(std::move(runs)), set_of("ball:4", 3));
}

TEST(UnitSteps, are_diamonds_octahedra_squares_and_cubes) {
  struct Case {
    std::string spec;
    int rank;
    UnitSteps steps;
  };
  for (const Case& given : std::vector<Case>{{"cross:1", 2, {false, false, 1}},
                                             {"cross:5", 2, {false, false, 5}},
                                             {"cross:5", 3, {false, true, 5}},
                                             {"square:7", 2, {true, false, 3}},
                                             {"cube:3", 3, {true, true, 1}}}) {
    const auto steps = unit_steps(set_of(given.spec, given.rank), Border::Kind::Neutral);
    ASSERT_TRUE(steps) << given.spec;
    EXPECT_EQ(steps->box, given.steps.box) << given.spec;
    EXPECT_EQ(steps->volume, given.steps.volume) << given.spec;
    EXPECT_EQ(steps->count, given.steps.count) << given.spec;
  }
  for (const char* const spec : {"disk:3", "square:2", "rect:3x5", "octagon:3", "shift(square:3,0,1)", "rect:1x1"}) {
    EXPECT_FALSE(unit_steps(set_of(spec, 2), Border::Kind::Neutral)) << spec;
  }
  // Square slices in a volume are not cubes.
  EXPECT_FALSE(unit_steps(set_of("box:3x3x5", 3), Border::Kind::Neutral));
}

TEST(UnitSteps, repeat_only_where_that_is_the_same) {
  EXPECT_TRUE(unit_steps(set_of("cross:1", 2), Border::Kind::Reflect));
  EXPECT_FALSE(unit_steps(set_of("cross:2", 2), Border::Kind::Reflect));
  EXPECT_FALSE(unit_steps(set_of("cross:2", 2), Border::Kind::Nearest));
  EXPECT_TRUE(unit_steps(set_of("square:5", 2), Border::Kind::Nearest));
  EXPECT_FALSE(unit_steps(set_of("square:5", 2), Border::Kind::Reflect));
}

}  // namespace
}  // namespace tamis::morphology_detail
