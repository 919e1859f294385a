#include "morphology/plan/program.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "morphology/element/catalogue.hpp"

namespace tamis::morphology_detail {
namespace {

void expect_exact(const OffsetSet& set, const std::string& what) {
  for (const bool x_last : {false, true}) {
    const Program program = make_program(set, x_last);
    EXPECT_EQ(covered(program), set) << what << ": " << describe(program);
    int index = 0;
    for (const Node& node : program.nodes) {
      EXPECT_FALSE(node.terms.empty());
      for (const Term& term : node.terms) EXPECT_LT(term.source, index);
      if (node.length > 1) {
        EXPECT_EQ(node.terms.size(), 1U);
        EXPECT_TRUE(node.axis == Axis::X || node.terms[0].shift.x == 0);
      }
      ++index;
    }
  }
}

TEST(Program, covers_every_named_shape_exactly) {
  for (std::int64_t r = 0; r <= 40; ++r) {
    const auto radius = static_cast<double>(r);
    expect_exact(diamond_set(r), "diamond " + std::to_string(r));
    expect_exact(octagon_set(r), "octagon " + std::to_string(r));
    expect_exact(disk_set(radius), "disk " + std::to_string(r));
    expect_exact(disk_set(radius + 0.5), "disk and a half " + std::to_string(r));
    expect_exact(ring_set(radius), "ring " + std::to_string(r));
    expect_exact(hexagon_set(radius), "hexagon " + std::to_string(r));
    expect_exact(box_set(r + 1, 2 * r + 1, 1), "rectangle " + std::to_string(r));
    for (const double angle : {0.0, 17.0, 45.0, 60.0, 90.0, 130.0}) {
      expect_exact(line_set(3 * radius + 1, angle, 0), "line " + std::to_string(angle));
    }
    if (r > 24) continue;
    expect_exact(octahedron_set(r), "octahedron " + std::to_string(r));
    expect_exact(ball_set(radius), "ball " + std::to_string(r));
    expect_exact(box_set(r + 1, 4, r / 2 + 1), "box " + std::to_string(r));
    expect_exact(line_set(3 * radius + 1, 30, 40), "line in space " + std::to_string(r));
  }
}

TEST(Program, finds_cheap_ways_for_shapes_that_are_not_at_the_origin) {
  const OffsetSet octagon = octagon_set(20).shifted({0, 7, -3});
  expect_exact(octagon, "octagon");
  EXPECT_LT(cost(make_program(octagon)), 50);
  const OffsetSet octahedron = octahedron_set(20).shifted({1, 7, -3});
  expect_exact(octahedron, "octahedron");
  EXPECT_LT(cost(make_program(octahedron)), 100);
}

TEST(Program, steep_segments_use_runs_along_y) {
  const double shallow = cost(make_program(line_set(61, 5, 0)));
  const double steep = cost(make_program(line_set(61, 85, 0)));
  EXPECT_LT(shallow, 25);
  EXPECT_LT(steep, 25);
}

TEST(Program, segments_of_any_length_and_angle_are_exact) {
  for (int half_degrees = 0; half_degrees < 360; half_degrees += 3) {
    for (const double length : {5.0, 8.0, 21.0, 41.0, 64.0, 101.0}) {
      expect_exact(line_set(length, half_degrees / 2.0, 0), "segment " + std::to_string(half_degrees / 2.0));
    }
  }
  for (const double elevation : {-70.0, -20.0, 10.0, 45.0}) {
    for (int azimuth = 0; azimuth < 360; azimuth += 25) {
      expect_exact(line_set(41, azimuth, elevation), "segment in space " + std::to_string(azimuth));
    }
  }
  expect_exact(line_set(1500, 33.3, 0), "a very long segment");
}

TEST(Program, the_price_of_segments_grows_with_the_logarithm) {
  for (const auto& [length, price] : {std::pair{21.0, 14.0}, {41.0, 18.0}, {101.0, 28.0}, {201.0, 32.0}}) {
    for (int degrees = 0; degrees < 180; ++degrees) {
      EXPECT_LE(cost(make_program(line_set(length, degrees, 0))), price) << length << "@" << degrees;
    }
  }
}

TEST(Program, runs_of_any_length_are_exact) {
  for (const std::int64_t length : {2047, 2048, 2049, 5000, 8192, 8193, 70000}) {
    expect_exact(box_set(length, 2, 1), "run " + std::to_string(length));
  }
}

TEST(Program, the_price_of_rectangles_grows_with_the_logarithm_at_most) {
  const double small = cost(make_program(box_set(7, 7, 1)));
  EXPECT_LT(cost(make_program(box_set(7 * 64, 7 * 64, 1))), small + 3 * 6);
}

RC_GTEST_PROP(ProgramLaw, covers_any_set_exactly, ()) {
  const auto points = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::tuple<int, int, int>>>(
      rc::gen::tuple(rc::gen::inRange(-2, 3), rc::gen::inRange(-5, 6), rc::gen::inRange(-9, 10))));
  std::vector<OffsetSet::Run> runs;
  const int length = *rc::gen::inRange(1, 7);
  for (const auto& [z, y, x] : points) runs.push_back({{z, y, x}, length});
  const OffsetSet set(runs);
  RC_ASSERT(covered(make_program(set, false)) == set);
  RC_ASSERT(covered(make_program(set, true)) == set);
}

}  // namespace
}  // namespace tamis::morphology_detail
