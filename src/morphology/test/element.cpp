#include <tamis/element.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <tamis/element_shapes.hpp>
#include <tamis/error.hpp>

namespace tamis {
namespace {

/// A picture of the set, rows from its lowest to its highest y: '#' in, '.' out, capitals at the origin.
std::string picture(const StructuringElement& element) {
  const OffsetSet set = element.sum(2);
  std::string text;
  for (std::int64_t y = set.box().low.y; y <= set.box().high.y; ++y) {
    for (std::int64_t x = set.box().low.x; x <= set.box().high.x; ++x) {
      const bool origin = x == 0 && y == 0;
      text += set.contains({0, y, x}) ? (origin ? 'O' : '#') : (origin ? 'o' : '.');
    }
    text += '\n';
  }
  return text;
}

std::string message_of(const std::string& spec) {
  try {
    const StructuringElement element(spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Element, small_shapes_look_as_they_should) {
  EXPECT_EQ(picture("square:3"), "###\n#O#\n###\n");
  EXPECT_EQ(picture("square:2"), "##\n#O\n");  // offsets -1 and 0
  EXPECT_EQ(picture("rect:4x1"), "##O#\n");
  EXPECT_EQ(picture("cross:2"), "..#..\n.###.\n##O##\n.###.\n..#..\n");
  EXPECT_EQ(picture("disk:1.5"), "###\n#O#\n###\n");
  EXPECT_EQ(picture("disk:2"), "..#..\n.###.\n##O##\n.###.\n..#..\n");
  EXPECT_EQ(picture("circle:2"), "..#..\n.#.#.\n#.o.#\n.#.#.\n..#..\n");
  EXPECT_EQ(picture("ellipse:3x1"), "...#...\n###O###\n...#...\n");
  EXPECT_EQ(picture("ellipse:3x2"), "...#...\n.#####.\n###O###\n.#####.\n...#...\n");
  EXPECT_EQ(picture("ellipse:0x1"), "#\nO\n#\n");
  EXPECT_EQ(picture("octagon:3"), "..###..\n.#####.\n#######\n###O###\n#######\n.#####.\n..###..\n");
  EXPECT_EQ(picture("hexagon:2"), ".###.\n##O##\n.###.\n");
  EXPECT_EQ(picture("line:5@0"), "##O##\n");
  EXPECT_EQ(picture("line:5@90"), "#\n#\nO\n#\n#\n");
  EXPECT_EQ(picture("line:5@45"), "..#\n.O.\n#..\n");  // counter-clockwise as the picture is seen
  EXPECT_EQ(picture("line:1@77"), "O\n");
}

TEST(Element, shapes_contain_what_their_definitions_say) {
  for (const double radius : {0.0, 0.5, 1.0, 2.5, 4.0, 7.3, 13.0}) {
    const StructuringElement disk = StructuringElement::disk(radius);
    const StructuringElement ball = StructuringElement::ball(radius);
    const StructuringElement hexagon = StructuringElement::hexagon(radius);
    std::set<Offset> in_disk, in_ball, in_hexagon;
    const auto reach = static_cast<std::int64_t>(radius) + 1;
    for (std::int64_t z = -reach; z <= reach; ++z)
      for (std::int64_t y = -reach; y <= reach; ++y)
        for (std::int64_t x = -reach; x <= reach; ++x) {
          const auto squares = static_cast<double>(x * x + y * y + z * z);
          if (squares <= radius * radius) in_ball.insert({z, y, x});
          if (z != 0) continue;
          if (squares <= radius * radius) in_disk.insert({z, y, x});
          const auto across = static_cast<double>(std::abs(x)), up = static_cast<double>(std::abs(y));
          if (up <= radius * std::numbers::sqrt3 / 2 && across + up / std::numbers::sqrt3 <= radius) {
            in_hexagon.insert({z, y, x});
          }
        }
    const auto as_set = [](const StructuringElement& element) {
      const std::vector<Offset> all = element.offsets(3);
      return std::set<Offset>(all.begin(), all.end());
    };
    EXPECT_EQ(as_set(disk), in_disk) << radius;
    EXPECT_EQ(as_set(ball), in_ball) << radius;
    EXPECT_EQ(as_set(hexagon), in_hexagon) << radius;
  }
}

TEST(Element, ellipses_with_equal_axes_are_disks_and_balls) {
  for (const int radius : {0, 1, 5, 12, 1000}) {
    const std::string r = std::to_string(radius);
    EXPECT_EQ(StructuringElement("ellipse:" + r + "x" + r), StructuringElement("disk:" + r));
    if (radius > 12) continue;
    EXPECT_EQ(StructuringElement("ellipsoid:" + r + "x" + r + "x" + r), StructuringElement("ball:" + r));
  }
}

TEST(Element, a_cross_takes_the_rank_of_the_image) {
  const StructuringElement cross("cross:2");
  EXPECT_EQ(cross.rank(), 0);
  EXPECT_EQ(cross.sum(2).count(), 13);
  EXPECT_EQ(cross.sum(3).count(), 25);
  EXPECT_EQ(StructuringElement("cross:1+square:3").rank(), 2);
  EXPECT_EQ(StructuringElement("cross:1+cube:3").rank(), 3);
}

TEST(Element, segments_follow_the_rule_of_matlab) {
  EXPECT_EQ(StructuringElement("line:41@45").sum(2).count(), 29);
  EXPECT_EQ(StructuringElement("line:41@60"), StructuringElement("line:41@240"));
  EXPECT_EQ(StructuringElement("line:9@-30"), StructuringElement("line:9@150"));
  // (L-1)/2 cos 60 = 2.5 counts as the half it is, whatever the cosine is rounded to.
  EXPECT_EQ(StructuringElement("line:11@60").sum(2).box().high.x, 3);
  const OffsetBox tilted = StructuringElement("line:11@0,90").sum(3).box();
  EXPECT_EQ(tilted, (OffsetBox{{-5, 0, 0}, {5, 0, 0}}));
  EXPECT_EQ(StructuringElement("line:11@30,0").sum(3), StructuringElement("line:11@30").sum(3));
}

TEST(Element, reflections_shifts_and_sums_nest) {
  EXPECT_EQ(picture("reflect(square:2)"), "O#\n##\n");
  EXPECT_EQ(picture("shift(square:2,1,0)"), "##\nO#\n");
  EXPECT_EQ(StructuringElement("shift(line:5@0,3,1)"), StructuringElement("line:5@0").shifted({0, 1, 3}));
  EXPECT_EQ(StructuringElement("shift( (line:5@0,30) , 3,1)"), StructuringElement("line:5@0,30").shifted({0, 1, 3}));
  EXPECT_EQ(StructuringElement("shift(cross:1,0,0,2)").rank(), 3);
  EXPECT_EQ(StructuringElement("reflect(shift(cross:1,4,0))").sum(2).box().low.x, -5);
  const StructuringElement sum("square:3 + reflect(square:2+rect:1x4)+line:3@+90");
  EXPECT_EQ(sum.sets(2).size(), 4U);
  EXPECT_EQ(sum.sets(2)[1], StructuringElement("reflect(rect:1x4)").sum(2));  // turned round
  EXPECT_EQ(sum.sum(2).box(), (OffsetBox{{0, -3, -1}, {0, 5, 2}}));
}

TEST(Element, the_text_of_what_is_shifted_gives_the_same_again) {
  for (const char* const text : {"line:5@0,30", "line:5@30", "shift(cube:3,1,2,3)", "square:3"}) {
    for (const Offset& by : {Offset{0, 1, 3}, Offset{2, 0, 0}, Offset{}}) {
      const StructuringElement shifted = StructuringElement(text).shifted(by);
      EXPECT_EQ(StructuringElement(shifted.spec()), shifted) << shifted.spec();
    }
  }
}

TEST(Element, masks_come_with_their_origin) {
  Image mask(Type::U8, {1, 2, 3, 2});
  mask.row<std::uint8_t>(0, 0)[2] = 7;
  mask.row<std::uint8_t>(0, 1)[0] = 1;
  std::vector<std::string> asked;
  const MaskLoader load = [&](const std::string& path) {
    asked.push_back(path);
    Image copy(Type::U8, mask.shape());
    std::copy_n(mask.data(), mask.bytes(), copy.data());
    return copy;
  };
  EXPECT_EQ(StructuringElement("file:a+b@c.png", load).offsets(2), (std::vector<Offset>{{0, -1, 1}, {0, 0, -1}}));
  EXPECT_EQ(StructuringElement("file:m.png@0,0+square:1", load).sets(2)[0].offsets(),
            (std::vector<Offset>{{0, 0, 2}, {0, 1, 0}}));
  EXPECT_EQ(asked, (std::vector<std::string>{"a+b@c.png", "m.png"}));
  EXPECT_EQ(StructuringElement("file:m.png@0,0", load).spec(), "file:m.png@0,0");
  EXPECT_THROW(StructuringElement("file:m.png@0,0,0", load), InputError);
  EXPECT_THROW(StructuringElement("file:m.png"), InputError);
  EXPECT_THROW(StructuringElement::from_mask(Image(Type::U8, {1, 2, 3, 2})), InputError);
}

TEST(Element, errors_name_the_part_and_what_there_is) {
  EXPECT_NE(message_of("blob:3").find("blob:3"), std::string::npos);
  EXPECT_NE(message_of("blob:3").find("octagon"), std::string::npos);
  EXPECT_NE(message_of("square:3+disk:x").find("disk:x"), std::string::npos);
  EXPECT_NE(message_of("disk:x").find("disk:4.5"), std::string::npos);
  EXPECT_NE(message_of("rect:3").find("rect:7x3"), std::string::npos);
  EXPECT_NE(message_of("shift(square:3,1)").find("dx,dy"), std::string::npos);
  for (const char* const wrong : {"",
                                  "square",
                                  "square:",
                                  "square:0",
                                  "square:-3",
                                  "square:2.5",
                                  "square:3+",
                                  "+square:3",
                                  "disk:-1",
                                  "disk:nan",
                                  "line:5",
                                  "line:0@3",
                                  "line:5@",
                                  "box:1x2",
                                  "cube:99999999",
                                  "ball:5000",
                                  "reflect(square:3",
                                  "shift(,1,2)",
                                  "square:3)",
                                  "octagon:1e9",
                                  "box:1000000x1000000x1000000",
                                  "shift(square:3,99999999999,0)",
                                  "file:"}) {
    EXPECT_NE(message_of(wrong), "no error") << wrong;
    EXPECT_EQ(message_of(wrong).find('\n'), std::string::npos) << wrong;
  }
  EXPECT_THROW((void)StructuringElement("cube:3").sets(2), InputError);
  EXPECT_THROW((void)StructuringElement("cross:5000").sets(3), InputError);
  EXPECT_THROW(StructuringElement(OffsetSet(OffsetBox{{0, 0, 0}, {1, 0, 0}}), 2), InputError);
}

TEST(Element, specs_give_back_the_element) {
  for (const char* const spec :
       {"square:3", "rect:2x7", "cube:4", "box:1x2x3", "cross:3", "disk:2.5", "ball:3", "circle:5", "octagon:4",
        "hexagon:3.5", "line:7@22.5", "line:7@10,20", "reflect(shift(rect:2x1,3,-4))", "square:3+disk:2"}) {
    const StructuringElement element(spec);
    EXPECT_EQ(element.spec(), spec);
    EXPECT_EQ(StructuringElement(element.spec()), element);
  }
}

TEST(Element, what_the_catalogue_says_of_a_shape_holds) {
  EXPECT_EQ(element_shapes().front().form(), "square:N");
  for (const ElementShape& shape : element_shapes()) {
    const StructuringElement example{shape.example};
    EXPECT_EQ(example.spec(), shape.example);
    EXPECT_EQ(example.rank(), shape.rank) << shape.name;
    for (const ElementSize& size : shape.sizes) {
      EXPECT_NE(shape.form().find(size.before + std::string(size.letter)), std::string::npos) << shape.name;
    }
    const ElementSize& first = shape.sizes.front();
    const std::size_t number = shape.example.find_first_of("0123456789");
    const std::string rest(
        shape.example.substr(std::min(shape.example.find_first_not_of("0123456789", number), shape.example.size())));
    const std::string low = std::string(shape.name) + ":" + std::to_string(first.lowest - 1) + rest;
    const std::string wanted = "wanted " + std::to_string(first.lowest) + " to " + std::to_string(first.highest);
    EXPECT_NE(message_of(low).find(wanted), std::string::npos) << low << ": " << message_of(low);
  }
}

TEST(Element, a_radius_that_is_a_root_keeps_its_rim) {
  for (int square = 1; square <= 200; ++square) {
    const double radius = std::sqrt(square);
    std::size_t disk = 0, ball = 0, rim = 0;
    for (int z = -15; z <= 15; ++z)
      for (int y = -15; y <= 15; ++y)
        for (int x = -15; x <= 15; ++x) {
          const int found = x * x + y * y + z * z;
          if (found <= square) ++ball;
          if (found <= square && z == 0) ++disk;
          if (found == square) ++rim;
        }
    for (const double nearly : {radius, std::nextafter(radius, 0.0), std::nextafter(radius, 99.0)}) {
      EXPECT_EQ(StructuringElement::disk(nearly).offsets(2).size(), disk) << square;
      EXPECT_EQ(StructuringElement::ball(nearly).offsets(3).size(), ball) << square;
    }
    EXPECT_EQ(StructuringElement::ball(radius * (1 - 1e-8)).offsets(3).size(), ball - rim) << square;
  }
}

RC_GTEST_PROP(ElementLaw, sets_are_the_same_whatever_the_order_of_their_runs, ()) {
  const auto points = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(-6, 7), rc::gen::inRange(-6, 7))));
  std::set<Offset> wanted;
  std::vector<OffsetSet::Run> runs;
  for (const auto& [y, x] : points) {
    runs.push_back({{0, y, x}, 1});
    wanted.insert({0, y, x});
  }
  const OffsetSet set(runs);
  std::reverse(runs.begin(), runs.end());
  RC_ASSERT(set == OffsetSet(runs));
  const std::vector<Offset> all = set.offsets();
  RC_ASSERT(std::set<Offset>(all.begin(), all.end()) == wanted);
  RC_ASSERT(all.size() == wanted.size());
  for (int y = -7; y <= 7; ++y)
    for (int x = -7; x <= 7; ++x) RC_ASSERT(set.contains({0, y, x}) == (wanted.count({0, y, x}) == 1));
  RC_ASSERT(set.reflected().reflected() == set);
  RC_ASSERT(set.shifted({1, -2, 3}).shifted({-1, 2, -3}) == set);
}

}  // namespace
}  // namespace tamis
