// The boxes of slabs, without a GPU: that planes which take what lies beyond an open side for object, and boxes which
// take it for background, tell the sizes of the volume wherever the halo suffices.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "granulometry/gpu/large/boxes.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/test/gpu/box_testing.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

using namespace box_testing;

std::string text_of(const Slab& s) {
  return std::to_string(s.from) + " " + std::to_string(s.begin) + " " + std::to_string(s.end) + " " +
         std::to_string(s.to);
}

/// The slab of these slices, with a halo where there is as much.
Slab slab_of(std::int64_t begin, std::int64_t end, std::int64_t depth, std::int64_t halo) {
  return {std::max<std::int64_t>(begin - halo, 0), begin, end, std::min(end + halo, depth)};
}

/// A volume with the sizes by its definition.
class CheckedVolume {
 public:
  explicit CheckedVolume(const Volume& object)
      : object_(object), distance_(distances(object, 0)), size_(sizes(distance_)), largest_(largest_of(distance_)) {}

  /// What planes and boxes come to. Returns whether the halo is found to suffice.
  bool expect_right(const Slab& slab, int top, int cap) const {
    SCOPED_TRACE("slab " + text_of(slab) + ", top " + std::to_string(top) + ", cap " + std::to_string(cap));
    const CountedSlices counted{slab.begin - slab.from, slab.end - slab.from};
    Volume part = cut_out(object_, {{slab.from, 0, 0}, {slab.to, object_.ny, object_.nx}});
    part.open_below = slab.from > 0;
    part.open_above = slab.to < object_.nz;
    const Volume planes = distances(part, top);
    const std::vector<int> from_planes = counts_from(sizes(planes), 1, counted);
    EXPECT_EQ(from_planes, capped(counts_from(size_, 1, {slab.begin, slab.end}), top));

    const Windows w(part.nz, part.ny, part.nx);
    const LargeBoxes found = boxes_around(w, runs_of(w, planes, top), top, cap, counted);
    std::vector<int> told;
    int largest = 0;
    for (const BoxStack& stack : stacks_of(found.boxes, counted)) {
      const Volume own = distances(stacked(part, stack), cap);
      largest = std::max(largest, largest_of(own));
      add(told, counts_from(sizes(own), top, stack.counted));
    }
    EXPECT_LE(largest, found.largest);
    EXPECT_EQ(capped(told, top), above(from_planes, top)) << "planes and boxes differ";
    const bool suffices = halo_suffices(slab, object_.nz, largest);
    if (suffices) {
      EXPECT_EQ(told, above(capped(counts_from(size_, 1, {slab.begin, slab.end}), cap), top));
    } else {
      EXPECT_FALSE(halo_suffices(slab, object_.nz, largest_)) << "it suffices";
    }
    return suffices;
  }

 private:
  static std::vector<int> capped(const std::vector<int>& counts, int cap) {
    if (cap == 0) return counts;
    std::vector<int> result;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::size_t size = std::min(i, static_cast<std::size_t>(cap));
      result.resize(std::max(result.size(), size + 1));
      result[size] += counts[i];
    }
    return result;
  }
  /// Without sizes below `top`.
  static std::vector<int> above(std::vector<int> counts, int top) {
    if (counts.size() <= static_cast<std::size_t>(top)) return {};
    std::fill_n(counts.begin(), top, 0);
    return counts;
  }

  Volume object_, distance_, size_;
  int largest_;
};

TEST(SlabBoxes, an_octahedron_anywhere_near_the_ends_of_a_slab) {
  constexpr int top = 3;
  for (const std::int64_t radius : {2, 3, 4, 5, 6, 9}) {
    Volume object(60, 22, 26);
    add_octahedron(object, 30, 11, 13, radius);
    const CheckedVolume volume(object);
    for (const std::int64_t halo : {6, 7, 8, 10}) {
      for (const std::int64_t thickness : {1, 2, 5, 12}) {
        for (std::int64_t begin = 8; begin + thickness <= 52; ++begin) {
          const bool suffices =
              volume.expect_right(slab_of(begin, begin + thickness, 60, halo), top, static_cast<int>(halo / 2 + 1));
          EXPECT_TRUE(suffices || radius + 1 > halo / 2);
        }
      }
    }
  }
}

/// What leads into the slab from far outside is noticed on its way.
TEST(SlabBoxes, sizes_that_come_from_beyond_the_halo_are_noticed) {
  for (const std::int64_t radius : {8, 9, 10, 11, 12, 14, 18}) {
    Volume object(70, 40, 40);
    add_octahedron(object, 20, 20, 20, radius);
    const CheckedVolume volume(object);
    for (std::int64_t begin = 14; begin < 45; ++begin) {
      volume.expect_right(slab_of(begin, begin + 3, 70, 12), 4, 7);
      volume.expect_right(slab_of(begin, begin + 3, 70, 13), 4, 0);
    }
  }
}

TEST(SlabBoxes, random_objects_slabs_halos_and_caps) {
  std::mt19937 random(11);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  int enough = 0, short_of = 0;
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    Volume object(20 + below(50), 8 + below(30), 20 + below(90));
    for (std::int64_t i = 2 + below(14); i > 0; --i) {
      add_octahedron(object, below(object.nz), below(object.ny), below(object.nx), 1 + below(12));
    }
    for (std::int64_t i = below(60); i > 0; --i) object.at(below(object.nz), below(object.ny), below(object.nx)) = 0;
    const CheckedVolume volume(object);
    for (int i = 0; i < 8; ++i) {
      const int top = static_cast<int>(2 + below(4));
      const std::int64_t halo = 2 * top + below(6);
      const std::int64_t begin = below(object.nz);
      const Slab slab = slab_of(begin, begin + 1 + below(object.nz - begin), object.nz, halo);
      const int of_halo = static_cast<int>(halo / 2 + 1);
      for (const int cap : {0, of_halo, std::min(of_halo, top + 1)}) {
        (volume.expect_right(slab, top, cap) ? enough : short_of) += 1;
      }
    }
  }
  EXPECT_GT(enough, 500);
  EXPECT_GT(short_of, 100);
}

TEST(SlabBoxes, boxes_that_only_begin_or_end_in_the_slab_are_the_ends_of_stacks) {
  const auto box = [](std::int64_t begin, std::int64_t end, std::int64_t x) {
    return Box{{begin, 0, x}, {end, 10, x + 10}};
  };
  const std::vector<Box> boxes = {box(0, 30, 0), box(25, 35, 20), box(30, 60, 40), box(5, 22, 60), box(0, 50, 80)};
  const std::vector<BoxStack> stacks = stacks_of(boxes, {20, 40});
  ASSERT_EQ(stacks.size(), 3U);
  EXPECT_EQ(stacks[0].boxes, (std::vector<Box>{boxes[4]}));
  EXPECT_EQ(stacks[0].counted.begin, 20);
  EXPECT_EQ(stacks[0].counted.end, 40);
  EXPECT_EQ(stacks[1].boxes, (std::vector<Box>{boxes[0], boxes[1], boxes[2]}));
  EXPECT_EQ(stacks[1].counted.begin, 20);
  EXPECT_EQ(stacks[1].counted.end, 30 + 1 + 10 + 1 + 10);
  EXPECT_EQ(stacks[2].boxes, (std::vector<Box>{boxes[3]}));
  EXPECT_EQ(stacks[2].counted.begin, 15);
  EXPECT_EQ(stacks[2].counted.end, 17);
  EXPECT_TRUE(stacks_of({}, {20, 40}).empty());
}

}  // namespace
}  // namespace tamis::granulometry_detail::gpu
