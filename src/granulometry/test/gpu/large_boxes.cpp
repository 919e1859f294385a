// The boxes for a few large sizes, without a GPU: that the sizes in them are all the large ones of the volume, each
// counted once.
#include "granulometry/gpu/large/boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "granulometry/test/gpu/box_testing.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

using namespace box_testing;

bool overlap(const Box& a, const Box& b) {
  bool all = true;
  for (std::size_t i = 0; i < 3; ++i) all = all && a.begin[i] < b.end[i] && b.begin[i] < a.end[i];
  return all;
}

LargeBoxes boxes_of(const Windows& w, const std::vector<TopRun>& runs, int top, int cap) {
  return boxes_around(w, runs, top, cap, {0, w.nz});
}

/// Returns the number of boxes.
std::size_t expect_right(const Volume& object, int top, int cap) {
  SCOPED_TRACE("top " + std::to_string(top) + ", cap " + std::to_string(cap));
  const Windows w(object.nz, object.ny, object.nx);
  const Volume distance = distances(object, cap);
  const LargeBoxes found = boxes_of(w, runs_of(w, distance, top), top, cap);
  std::vector<int> counts;
  for (const Box& box : found.boxes) {
    for (const Box& other : found.boxes) EXPECT_TRUE(&box == &other || !overlap(box, other)) << "boxes overlap";
    const Volume own = distances(cut_out(object, box), cap);
    EXPECT_LE(largest_of(own), found.largest) << "the bound is too small";
    add(counts, counts_from(sizes(own), top, {0, own.nz}));
  }
  EXPECT_EQ(counts, counts_from(sizes(distance), top, {0, object.nz}));
  return found.boxes.size();
}

TEST(LargeBoxes, one_octahedron_has_a_box_that_is_larger_by_what_a_window_blurs) {
  Volume object(60, 60, 200);
  add_octahedron(object, 30, 30, 90, 12);
  EXPECT_EQ(expect_right(object, 8, 0), 1U);
  const LargeBoxes found = boxes_of(Windows(60, 60, 200), {{1, 7, 25, 36}}, 8, 0);
  ASSERT_EQ(found.boxes.size(), 1U);
  // Four rows of the group are fewer than 56 columns and 11 slices: distances are 7 + 2 at most.
  EXPECT_EQ(found.largest, 9);
  EXPECT_EQ(found.boxes[0], (Box{{17, 20, 48}, {44, 40, 120}}));
}

TEST(LargeBoxes, two_that_are_near_share_a_box_and_two_that_are_far_do_not) {
  for (std::int64_t gap = 0; gap < 40; ++gap) {
    Volume object(100, 30, 120);
    add_octahedron(object, 20, 15, 40, 10);
    add_octahedron(object, 41 + gap, 15, 70, 9);
    SCOPED_TRACE(gap);
    EXPECT_LE(expect_right(object, 8, 0), 2U);
  }
  Volume object(100, 30, 120);
  add_octahedron(object, 20, 15, 40, 10);
  add_octahedron(object, 80, 15, 70, 9);
  EXPECT_EQ(expect_right(object, 8, 0), 2U);
}

TEST(LargeBoxes, octahedra_at_a_side_or_in_a_corner) {
  for (const std::int64_t at : {6, 9, 12}) {
    Volume object(30, 40, 120);
    add_octahedron(object, at, at, at, 14);
    add_octahedron(object, 29 - at, 39 - at, 119 - at, 14);
    for (const int top : {2, 5, 7}) expect_right(object, top, 0);
  }
}

TEST(LargeBoxes, an_object_that_fills_the_volume_is_its_own_box) {
  Volume object(21, 23, 70);
  std::fill(object.number.begin(), object.number.end(), 1);
  EXPECT_EQ(expect_right(object, 4, 0), 1U);
}

TEST(LargeBoxes, random_objects_with_and_without_a_cap) {
  std::mt19937 random(3);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < 120; ++round) {
    SCOPED_TRACE(round);
    Volume object(8 + below(60), 8 + below(50), 30 + below(180));
    for (std::int64_t i = 3 + below(20); i > 0; --i) {
      add_octahedron(object, below(object.nz), below(object.ny), below(object.nx), 1 + below(13));
    }
    for (std::int64_t i = below(60); i > 0; --i) object.at(below(object.nz), below(object.ny), below(object.nx)) = 0;
    const int top = static_cast<int>(2 + below(6));
    expect_right(object, top, 0);
    expect_right(object, top, static_cast<int>(top + 1 + below(4)));
  }
}

TEST(LargeBoxes, the_stack_has_room_for_all_boxes_and_a_slice_of_background_after_each) {
  const std::vector<BoxStack> stacks = stacks_of({{{0, 0, 0}, {10, 20, 30}}, {{50, 1, 2}, {55, 41, 12}}}, {0, 60});
  ASSERT_EQ(stacks.size(), 1U);
  const Windows shape = stacks[0].shape();
  EXPECT_EQ(shape.nz, 17);
  EXPECT_EQ(shape.ny, 40);
  EXPECT_EQ(shape.nx, 30);
  EXPECT_EQ(stacks[0].counted.begin, 0);
  EXPECT_EQ(stacks[0].counted.end, 16);
}

}  // namespace
}  // namespace tamis::granulometry_detail::gpu
