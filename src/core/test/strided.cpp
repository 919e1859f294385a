// The plan of an element-wise pass: it meets every sample once, in memory order, with as few axes as there can be.
#include "core/gpu/array/strided.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace tamis::cuda {
namespace {

template <int arrays>
std::vector<std::vector<std::int64_t>> offsets(const StridedWalk<arrays>& walk) {
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t k = 0; k < walk.extent[2]; ++k)
    for (std::int64_t j = 0; j < walk.extent[1]; ++j)
      for (std::int64_t i = 0; i < walk.extent[0]; ++i) {
        std::vector<std::int64_t> at;
        for (int a = 0; a < arrays; ++a) {
          at.push_back(walk.start[a] + i * walk.stride[a][0] + j * walk.stride[a][1] + k * walk.stride[a][2]);
        }
        all.push_back(at);
      }
  return all;
}

std::vector<std::vector<std::int64_t>> straightforward(const Shape& shape, const Strides& a, const Strides& b) {
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        all.push_back({z * a.z + y * a.y + x * a.x, z * b.z + y * b.y + x * b.x});
      }
  return all;
}

const Shape shape{3, 4, 5, 3};
const Strides dense{20, 5, 1}, reversed{-20, -5, -1}, slow_x{1, 3, 12}, sliced{100, 10, 1}, repeated{0, 5, 1};

TEST(GpuArrayPlan, meets_the_same_pairs_of_samples_as_three_loops) {
  for (const Strides& a : {dense, reversed, slow_x, sliced}) {
    for (const Strides& b : {dense, reversed, slow_x, sliced, repeated}) {
      auto got = offsets(plan_walk<2>(shape, {a, b}));
      auto wanted = straightforward(shape, a, b);
      EXPECT_TRUE(std::is_sorted(got.begin(), got.end())) << "not in the order of the first array";
      std::sort(got.begin(), got.end());
      std::sort(wanted.begin(), wanted.end());
      EXPECT_EQ(got, wanted);
    }
  }
}

TEST(GpuArrayPlan, makes_one_axis_of_arrays_without_gaps) {
  const auto walk = plan_walk<2>(shape, {reversed, reversed});
  EXPECT_EQ(walk.extent[0], 60);
  EXPECT_EQ(walk.stride[0][0], 1);
  EXPECT_EQ(walk.start[1], -59);
  EXPECT_EQ(plan_walk<2>(shape, {dense, sliced}).extent[1], 4);
}

TEST(GpuArrayPlan, leaves_out_axes_of_one_sample_whatever_their_strides) {
  const auto walk = plan_walk<1>({1, 7, 1, 3}, {{-3, 2, 999}});
  EXPECT_EQ(walk.extent[0], 7);
  EXPECT_EQ(walk.stride[0][0], 2);
  EXPECT_EQ(walk.start[0], 0);
  EXPECT_EQ(plan_walk<1>({1, 1, 1, 3}, {dense}).extent[0], 1);
}

TEST(GpuArrayPlan, takes_samples_together_only_where_they_are_neighbours_and_aligned) {
  const auto* const aligned = reinterpret_cast<const void*>(std::uintptr_t{256});
  const auto* const odd = reinterpret_cast<const void*>(std::uintptr_t{257});
  EXPECT_TRUE(can_take_together<1>(plan_walk<1>(shape, {dense}), {1}, {aligned}, 4));
  EXPECT_FALSE(can_take_together<1>(plan_walk<1>(shape, {dense}), {1}, {odd}, 4));
  EXPECT_FALSE(can_take_together<1>(plan_walk<1>(shape, {sliced}), {1}, {aligned}, 4));
  EXPECT_FALSE(can_take_together<1>(plan_walk<1>(shape, {reversed}), {1}, {aligned}, 4));
  EXPECT_FALSE(can_take_together<2>(plan_walk<2>(shape, {dense, slow_x}), {1, 1}, {aligned, aligned}, 4));
}

}  // namespace
}  // namespace tamis::cuda
