// The boxes for a few large sizes, without a GPU: that the sizes in them are all the large ones of the volume, each
// counted once.
#ifdef TAMIS_CUDA
#include "granulometry/gpu/large/boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace tamis::granulometry_detail::gpu {
namespace {

/// Numbers of voxels, 0 outside.
struct Volume {
  std::int64_t nz, ny, nx;
  std::vector<int> number;

  Volume(std::int64_t z, std::int64_t y, std::int64_t x)
      : nz(z), ny(y), nx(x), number(static_cast<std::size_t>(z * y * x)) {}
  [[nodiscard]] bool has(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return z >= 0 && z < nz && y >= 0 && y < ny && x >= 0 && x < nx;
  }
  [[nodiscard]] int& at(std::int64_t z, std::int64_t y, std::int64_t x) {
    return number[static_cast<std::size_t>((z * ny + y) * nx + x)];
  }
  [[nodiscard]] int of(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return has(z, y, x) ? number[static_cast<std::size_t>((z * ny + y) * nx + x)] : 0;
  }
  template <class Choose>
  [[nodiscard]] int of_neighbours(std::int64_t z, std::int64_t y, std::int64_t x, Choose choose) const {
    return choose(
        {of(z - 1, y, x), of(z + 1, y, x), of(z, y - 1, x), of(z, y + 1, x), of(z, y, x - 1), of(z, y, x + 1)});
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t z = 0; z < nz; ++z)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x) visit(z, y, x);
  }
};

/// Erodes until nothing is left, and counts; no further than to `cap`, if there is one.
Volume distances(const Volume& object, int cap) {
  Volume now = object;
  for (int level = 1; cap == 0 || level < cap; ++level) {
    Volume next = now;
    bool any = false;
    now.for_each([&](auto z, auto y, auto x) {
      const auto least = [](std::initializer_list<int> of) { return std::min(of); };
      if (now.of(z, y, x) < level || now.of_neighbours(z, y, x, least) < level) return;
      next.at(z, y, x) = level + 1;
      any = true;
    });
    if (!any) break;
    now = next;
  }
  return now;
}

/// By the definition: each octahedron raises what it covers.
Volume sizes(const Volume& distance) {
  Volume size(distance.nz, distance.ny, distance.nx);
  distance.for_each([&](auto z, auto y, auto x) {
    const std::int64_t radius = distance.of(z, y, x) - 1;
    for (std::int64_t dz = -radius; dz <= radius; ++dz)
      for (std::int64_t dy = -radius + std::abs(dz); dy <= radius - std::abs(dz); ++dy) {
        const std::int64_t rest = radius - std::abs(dz) - std::abs(dy);
        for (std::int64_t dx = -rest; dx <= rest; ++dx) {
          int& own = size.at(z + dz, y + dy, x + dx);
          own = std::max(own, distance.of(z, y, x));
        }
      }
  });
  return size;
}

std::vector<int> large_counts(const Volume& size, int top) {
  std::vector<int> counts;
  for (const int n : size.number) {
    if (n < top) continue;
    counts.resize(std::max(counts.size(), static_cast<std::size_t>(n) + 1));
    ++counts[static_cast<std::size_t>(n)];
  }
  return counts;
}

std::vector<TopRun> runs_of(const Windows& w, const Volume& distance, int top) {
  std::vector<TopRun> runs;
  for (int column = 0; column < w.columns; ++column)
    for (int group = 0; group < w.peak_groups(); ++group)
      for (int z = 0; z < w.nz; ++z) {
        bool has = false;
        for (std::int64_t y = 0; y < Windows::peak_rows; ++y)
          for (std::int64_t x = 0; x < Windows::own_x; ++x)
            has |= distance.of(z, group * Windows::peak_rows + y, column * Windows::own_x + x) >= top;
        if (!has) continue;
        const bool goes_on =
            !runs.empty() && runs.back().column == column && runs.back().group == group && runs.back().end == z;
        if (goes_on)
          ++runs.back().end;
        else
          runs.push_back({column, group, z, z + 1});
      }
  return runs;
}

Volume cut_out(const Volume& object, const Box& box) {
  Volume part(box.length(0), box.length(1), box.length(2));
  part.for_each([&](auto z, auto y, auto x) {
    part.at(z, y, x) = object.of(box.begin[0] + z, box.begin[1] + y, box.begin[2] + x);
  });
  return part;
}

bool overlap(const Box& a, const Box& b) {
  bool all = true;
  for (std::size_t i = 0; i < 3; ++i) all = all && a.begin[i] < b.end[i] && b.begin[i] < a.end[i];
  return all;
}

/// Returns the number of boxes.
std::size_t expect_right(const Volume& object, int top, int cap) {
  SCOPED_TRACE("top " + std::to_string(top) + ", cap " + std::to_string(cap));
  const Windows w(object.nz, object.ny, object.nx);
  const Volume distance = distances(object, cap);
  const LargeBoxes found = boxes_around(w, runs_of(w, distance, top), top, cap);
  std::vector<int> counts;
  for (const Box& box : found.boxes) {
    for (const Box& other : found.boxes) EXPECT_TRUE(&box == &other || !overlap(box, other)) << "boxes overlap";
    const Volume own = distances(cut_out(object, box), cap);
    EXPECT_LE(*std::max_element(own.number.begin(), own.number.end()), found.largest) << "the bound is too small";
    const std::vector<int> more = large_counts(sizes(own), top);
    counts.resize(std::max(counts.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i) counts[i] += more[i];
  }
  EXPECT_EQ(counts, large_counts(sizes(distance), top));
  return found.boxes.size();
}

void add_octahedron(Volume& volume, std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t radius) {
  volume.for_each([&](auto vz, auto vy, auto vx) {
    if (std::abs(vz - z) + std::abs(vy - y) + std::abs(vx - x) <= radius) volume.at(vz, vy, vx) = 1;
  });
}

TEST(LargeBoxes, one_octahedron_has_a_box_that_is_larger_by_what_a_window_blurs) {
  Volume object(60, 60, 200);
  add_octahedron(object, 30, 30, 90, 12);
  EXPECT_EQ(expect_right(object, 8, 0), 1U);
  const LargeBoxes found = boxes_around(Windows(60, 60, 200), {{1, 7, 25, 36}}, 8, 0);
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
  const LargeBoxes found{{{{0, 0, 0}, {10, 20, 30}}, {{50, 1, 2}, {55, 41, 12}}}, 9};
  const Windows stacked = found.stacked();
  EXPECT_EQ(stacked.nz, 17);
  EXPECT_EQ(stacked.ny, 40);
  EXPECT_EQ(stacked.nx, 30);
}

}  // namespace
}  // namespace tamis::granulometry_detail::gpu
#endif
