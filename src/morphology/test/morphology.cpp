#include <tamis/morphology.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;

/// An operation on each context against the definition, the whole image.
void expect_reference(const std::vector<Context>& contexts, Operation operation, const Image& image,
                      const MorphologyOptions& options) {
  const Grid wanted = reference(operation, grid_of(image), options);
  for (const Context& context : contexts) {
    const Image out = morphology(context, operation, image, options);
    ASSERT_EQ(out.type(), image.type());
    const std::int64_t at = first_difference(grid_of(out), wanted);
    ASSERT_EQ(at, -1) << name(operation) << " of " << to_string(image.shape()) << " rank " << image.shape().rank << " "
                      << name(image.type()) << " by " << options.element.spec() << " border "
                      << to_string(options.border) << " iterations " << options.iterations << " on "
                      << context.describe() << ": got " << grid_of(out).values[static_cast<std::size_t>(at)]
                      << ", wanted " << wanted.values[static_cast<std::size_t>(at)] << "\n"
                      << explain(operation, image.shape(), options);
  }
}

const std::vector<std::string> flat_elements = {"square:3",
                                                "square:2",
                                                "rect:5x1",
                                                "rect:1x4",
                                                "rect:9x7",
                                                "cross:1",
                                                "cross:4",
                                                "disk:2",
                                                "disk:5.5",
                                                "circle:4",
                                                "octagon:5",
                                                "hexagon:4",
                                                "line:9@30",
                                                "line:13@80",
                                                "square:25",
                                                "rect:41x3",
                                                "shift(square:2,3,-2)",
                                                "shift(cross:1,9,0)",
                                                "square:2+shift(rect:3x1,2,0)",
                                                "shift(rect:1x1,0,-6)+disk:2",
                                                "shift(disk:3,-40,70)"};
const std::vector<std::string> solid_elements = {
    "cube:3", "cube:2", "box:5x3x2", "ball:2", "ball:3.5", "cross:1", "cross:3", "line:7@30,40", "shift(cube:2,1,-3,2)",
    "cube:9"};
const std::vector<Shape> flat_shapes = {{1, 1, 1, 2}, {1, 1, 37, 2},  {1, 29, 1, 2},
                                        {1, 3, 2, 2}, {1, 31, 67, 2}, {1, 13, 131, 2}};

TEST(Morphology, agrees_with_the_definition_for_every_element_type_border_and_shape) {
  Sampled some(31, 2);
  const std::vector<Context> contexts = instruction_sets();
  unsigned seed = 1;
  for (const std::string& spec : flat_elements) {
    for (const Type type : filter_types) {
      for (const Border& border : borders_for(type)) {
        for (const Shape& shape : flat_shapes) {
          if (some.skips()) continue;
          const Image image = random_image(type, shape, seed++);
          for (const Operation operation : {Operation::Erode, Operation::Dilate, Operation::Open, Operation::Close}) {
            expect_reference(contexts, operation, image, {.element = spec, .border = border});
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Morphology, agrees_with_the_definition_on_volumes) {
  Sampled some(31, 3);
  const std::vector<Context> contexts = instruction_sets();
  unsigned seed = 1;
  std::vector<std::string> elements = solid_elements;
  elements.insert(elements.end(), {"square:3", "disk:2", "cross:1+square:2"});
  for (const std::string& spec : elements) {
    for (const Type type : filter_types) {
      for (const Border& border : borders_for(type)) {
        for (const Shape& shape : {Shape{1, 1, 1, 3}, Shape{5, 7, 9, 3}, Shape{11, 6, 70, 3}, Shape{1, 9, 8, 3}}) {
          if (some.skips()) continue;
          const Image image = random_image(type, shape, seed++);
          for (const Operation operation : {Operation::Erode, Operation::Open, Operation::Close}) {
            expect_reference(contexts, operation, image, {.element = spec, .border = border});
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Morphology, every_operation_is_what_its_name_says) {
  unsigned seed = 1;
  for (const Operation operation : all_operations) {
    for (const Type type : filter_types) {
      for (const char* const spec : {"square:3", "square:2", "disk:3", "shift(rect:3x2,4,0)"}) {
        for (const std::int64_t iterations : {1, 2, 3}) {
          for (const Border& border : borders_for(type)) {
            expect_reference({Context{}}, operation, random_image(type, {1, 17, 23, 2}, seed++),
                             {.element = spec, .border = border, .iterations = iterations});
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Morphology, leaves_nan_out_where_asked_and_refuses_it_otherwise) {
  unsigned seed = 1;
  for (const double share : {0.1, 0.9}) {
    for (const char* const spec : {"square:3", "rect:4x1", "disk:2", "shift(square:2,3,0)", "square:2+cross:1"}) {
      for (const Border& border : borders_for(Type::F32)) {
        for (const Operation operation : all_operations) {
          const Image image = random_image(Type::F32, {1, 11, 26, 2}, seed++, share);
          const MorphologyOptions ignore{.element = spec, .border = border, .iterations = 2, .nan = NanPolicy::Ignore};
          expect_reference({Context{}}, operation, image, ignore);
          if (HasFatalFailure()) return;
          const MorphologyOptions refuse{.element = spec, .border = border};
          EXPECT_THROW((void)morphology({}, operation, image, refuse), InputError);
        }
      }
    }
  }
  Image image = random_image(Type::F32, {2, 3, 70, 3}, 1);
  image.row<float>(1, 2)[69] = std::nanf("");
  try {
    (void)erode({}, image, {.element = "square:1"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("x 69, y 2, z 1"), std::string::npos) << error.what();
  }
}

TEST(Morphology, refuses_nan_that_no_window_sees) {
  for (const char* const spec : {"shift(square:3,12,0)", "shift(square:3,0,-9)", "shift(rect:1x15,-40,-4)",
                                 "shift(circle:2,-7,5)", "shift(line:5@30,40,0)", "shift(square:3,12,0)+square:3"}) {
    for (const Operation operation : all_operations) {
      for (const std::int64_t at : {0, 25, 10 * 26, 11 * 26 - 1}) {
        Image image = random_image(Type::F32, {1, 11, 26, 2}, 7);
        image.row<float>(0, 0)[at] = std::nanf("");
        EXPECT_THROW((void)morphology({}, operation, image, {.element = spec}), InputError)
            << spec << " " << name(operation) << " " << at;
      }
    }
  }
}

TEST(Morphology, refuses_nan_in_corners_that_no_window_reaches) {
  // Every axis has offsets of both signs, and yet no window of the image reaches two of its corners.
  const StructuringElement slanted{OffsetSet({{{0, -5, 8}, 3}, {{0, 5, -9}, 3}}), 2, "two pieces"};
  for (const Operation operation : {Operation::Erode, Operation::Dilate, Operation::Open, Operation::Gradient}) {
    for (const std::int64_t at : {0, 25, 10 * 26, 11 * 26 - 1}) {
      Image image = random_image(Type::F32, {1, 11, 26, 2}, 7);
      image.row<float>(0, 0)[at % 26 + at / 26 * (image.row_bytes() / 4)] = std::nanf("");
      EXPECT_THROW((void)morphology({}, operation, image, {.element = slanted}), InputError)
          << name(operation) << " " << at;
    }
  }
}

TEST(Morphology, hit_or_miss_finds_where_both_fit) {
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const Border& border : borders_for(type)) {
      const Image image = random_image(type, {1, 14, 67, 2}, seed++);
      const HitMissOptions options{.hit = "rect:2x1", .miss = "shift(rect:2x1,0,1)", .border = border};
      const Grid f = grid_of(image);
      const Grid low = half(f, {.element = options.hit, .border = border}, true);
      const Grid high = half(f, {.element = options.miss.reflected(), .border = border}, false);
      Grid wanted = minus(low, high);
      for (double& value : wanted.values) value = value < 0 ? 0 : value;
      EXPECT_EQ(first_difference(grid_of(hitmiss({}, image, options)), wanted), -1) << name(type);
    }
  }
  // Single dots, by the default elements.
  Image dots(Type::Bool, {1, 5, 9, 2});
  for (const auto& [y, x] : {std::pair{1, 1}, {3, 4}, {3, 5}, {0, 8}}) set(dots, 0, y, x, 1);
  const Image found = hitmiss({}, dots, {});
  EXPECT_TRUE(found.bit(0, 1, 1));
  EXPECT_FALSE(found.bit(0, 3, 4));
  EXPECT_TRUE(found.bit(0, 0, 8));
}

TEST(Morphology, alternating_filters_alternate) {
  const Image image = random_image(Type::U8, {1, 30, 41, 2}, 4);
  Grid wanted = grid_of(image);
  for (const char* const spec : {"disk:1", "disk:2", "disk:3"}) {
    wanted = reference(Operation::Open, wanted, {.element = spec});
    wanted = reference(Operation::Close, wanted, {.element = spec});
  }
  EXPECT_EQ(first_difference(grid_of(asf({}, image, {.element = "disk:3"})), wanted), -1);
  wanted = grid_of(image);
  for (const char* const spec : {"square:3", "square:5"}) {
    wanted = reference(Operation::Close, wanted, {.element = spec});
    wanted = reference(Operation::Open, wanted, {.element = spec});
  }
  const AsfOptions close_first{.element = "square:5", .order = AsfOptions::Order::CloseOpen};
  EXPECT_EQ(first_difference(grid_of(asf({}, image, close_first)), wanted), -1);
  for (const char* const wrong : {"square:4", "square:1", "disk", "disk:1.5", "line:5@3", "disk:0", "cube:3"}) {
    EXPECT_THROW((void)asf({}, image, {.element = wrong}), InputError) << wrong;
  }
}

TEST(Morphology, output_memory_is_used_again) {
  const Image image = random_image(Type::U16, {1, 30, 41, 2}, 4);
  Image out;
  morphology({}, Operation::Open, image, {}, out);
  const std::byte* const memory = out.data();
  morphology({}, Operation::Erode, image, {.element = "disk:2"}, out);
  EXPECT_EQ(out.data(), memory);
  EXPECT_EQ(first_difference(grid_of(out), reference(Operation::Erode, grid_of(image), {.element = "disk:2"})), -1);
}

TEST(Morphology, threads_do_not_change_the_result) {
  const Image image = random_image(Type::U8, {1, 700, 900, 2}, 4);
  for (const char* const spec : {"square:7", "disk:6", "octagon:9"}) {
    Context one;
    one.threads = 1;
    const Grid single = grid_of(open(one, image, {.element = spec}));
    EXPECT_EQ(first_difference(grid_of(open({}, image, {.element = spec})), single), -1) << spec;
  }
}

TEST(Morphology, errors_say_what_was_wrong) {
  const Image image = random_image(Type::U8, {1, 5, 6, 2}, 1);
  EXPECT_THROW((void)erode({}, Image()), InputError);
  EXPECT_THROW((void)erode({}, Image(Type::F64, {1, 5, 6, 2})), InputError);
  EXPECT_THROW((void)erode({}, image, {.element = "cube:3"}), InputError);
  EXPECT_THROW((void)erode({}, image, {.iterations = 0}), InputError);
  for (const double value : {-1.0, 256.0, 1.5, std::nan("")}) {
    EXPECT_THROW((void)erode({}, image, {.border = Border::constant(value)}), InputError) << value;
  }
  for (const double value : {3.41e38, -1e300, std::nan("")}) {
    const Image floats(Type::F32, {1, 5, 6, 2});
    EXPECT_THROW((void)erode({}, floats, {.border = Border::constant(value)}), InputError) << value;
  }
  Image same = random_image(Type::U8, {1, 5, 6, 2}, 1);
  EXPECT_THROW(morphology({}, Operation::Erode, same, {}, same), InputError);
  Context cuda;
  cuda.device = Device::Cuda;
  EXPECT_THROW((void)erode(cuda, image), ResourceError);
}

TEST(Morphology, a_stop_request_ends_it) {
  std::stop_source stop;
  Context context;
  context.cancel = stop.get_token();
  context.on_progress = [&](const Progress& progress) {
    if (progress.done > 0) stop.request_stop();
  };
  EXPECT_THROW((void)open(context, Image(Type::U8, {1, 3000, 3000, 2}), {.element = "disk:9"}), Cancelled);
}

TEST(Morphology, plans_explain_themselves) {
  EXPECT_EQ(explain(Operation::Open, {1, 100, 100, 2}, {.element = "rect:5x7"}),
            "erode (run x 5, run y 7); dilate (run y 7, run x 5)\n");
  EXPECT_EQ(explain(Operation::Erode, {9, 100, 100, 3}, {.element = "square:3", .iterations = 4}),
            "erode (run y 9, run x 9)\n");
  EXPECT_EQ(explain(Operation::Dilate, {1, 100, 100, 2}, {.element = "square:1"}), "copy\n");
}

}  // namespace
}  // namespace tamis
