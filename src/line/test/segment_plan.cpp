// Patterns and parts cover their segments exactly.
#include "line/segment/plan.hpp"

#include <gtest/gtest.h>

namespace tamis {
namespace {

using line_detail::covered;
using line_detail::plan_segment;
using line_detail::SegmentPlan;

TEST(SegmentPlan, covers_the_segment_at_every_angle) {
  for (const double length : {5.0, 8.0, 21.0, 41.0, 49.0, 50.5, 101.0, 255.0}) {
    for (int angle = 0; angle < 360; ++angle) {
      const OffsetSet set = StructuringElement::line(length, angle / 2.0).sum(2);
      const std::optional<SegmentPlan> plan = plan_segment(set);
      if (set.count() < 5) continue;
      ASSERT_TRUE(plan) << length << " " << angle / 2.0;
      EXPECT_EQ(covered(*plan), set) << length << " " << angle / 2.0;
    }
  }
}

TEST(SegmentPlan, covers_displaced_segments) {
  const OffsetSet set = StructuringElement("shift(line:60@20,3,-40)").sum(2);
  const std::optional<SegmentPlan> plan = plan_segment(set);
  ASSERT_TRUE(plan);
  EXPECT_EQ(covered(*plan), set);
}

TEST(SegmentPlan, leaves_other_sets_alone) {
  for (const char* spec : {"disk:3", "square:5", "circle:4", "line:3@20", "line:21@30+line:21@60"}) {
    EXPECT_FALSE(plan_segment(StructuringElement(spec).sum(2))) << spec;
  }
  EXPECT_FALSE(plan_segment(StructuringElement("line:21@30,45").sum(3)));
}

}  // namespace
}  // namespace tamis
