// The GPU against the CPU, which is tested against the definition: whole images, borders included.
#include <tamis/morphology.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/test/gpu_test.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;

class GpuMorphology : public GpuTest {};

Context on(Device device) {
  Context context;
  context.device = device;
  return context;
}

void expect_the_cpus_answer(Operation operation, const Image& image, const MorphologyOptions& options) {
  const Image wanted = morphology(on(Device::Cpu), operation, image, options);
  const Image got = morphology(on(Device::Cuda), operation, image, options);
  ASSERT_EQ(got.type(), image.type());
  ASSERT_EQ(std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0)
      << name(operation) << " of " << to_string(image.shape()) << " rank " << image.shape().rank << " "
      << name(image.type()) << " by " << options.element.spec() << " border " << to_string(options.border)
      << " iterations " << options.iterations << "\n"
      << explain(operation, image.shape(), options);
}

void expect_for_all(const std::vector<std::string>& elements, const std::vector<Shape>& shapes,
                    const std::vector<Operation>& operations) {
  unsigned seed = 1;
  for (const std::string& spec : elements) {
    for (const Type type : filter_types) {
      for (const Border& border : borders_for(type)) {
        for (const Shape& shape : shapes) {
          if (small_scale() && shape.count() > 5000) continue;
          const Image image = random_image(type, shape, seed++);
          for (const Operation operation : operations) {
            expect_the_cpus_answer(operation, image, {.element = spec, .border = border});
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST_F(GpuMorphology, gives_the_cpus_answer_for_every_element_type_and_border) {
  expect_for_all({"square:3", "square:2", "rect:9x7", "square:25", "rect:41x3", "rect:3x61", "cross:4", "disk:5.5",
                  "circle:4", "octagon:5", "hexagon:4", "line:9@30", "line:33@80", "shift(square:2,3,-2)",
                  "shift(rect:1x1,0,-6)+disk:2", "shift(disk:3,-40,70)"},
                 {{1, 1, 1, 2}, {1, 1, 37, 2}, {1, 29, 1, 2}, {1, 31, 67, 2}, {1, 130, 601, 2}},
                 {Operation::Erode, Operation::Close});
}

TEST_F(GpuMorphology, gives_the_cpus_answer_for_wide_elements_beside_their_origin) {
  const std::vector<std::string> elements = {
      "shift(line:1025@0,-1,9)",     "reflect(shift(line:1025@0,-1,9))", "shift(line:1025@0,0,4)",
      "shift(line:1025@0,0,-5)",     "shift(line:1025@0,256,-6)",        "shift(rect:2049x1,-200,3)",
      "shift(rect:1999x2,-200,-40)", "shift(rect:401x60,9,-31)",         "shift(rect:1701x1,-900,1)"};
  expect_for_all(elements, {{1, 5, 256, 2}, {3, 5, 70, 3}, {1, 70, 1000, 2}}, {Operation::Erode, Operation::Dilate});
}

TEST_F(GpuMorphology, gives_the_cpus_answer_on_volumes) {
  expect_for_all({"cube:3", "cube:2", "box:5x3x2", "box:1x1x7", "ball:2", "ball:3.5", "cross:3", "line:7@30,40",
                  "shift(cube:2,1,-3,2)", "cube:9", "square:3", "disk:2", "cross:1+square:2"},
                 {{1, 1, 1, 3}, {5, 7, 9, 3}, {11, 6, 70, 3}, {40, 33, 129, 3}}, {Operation::Dilate, Operation::Open});
}

TEST_F(GpuMorphology, every_operation_and_iterations) {
  unsigned seed = 1;
  for (const Operation operation : all_operations) {
    for (const Type type : filter_types) {
      for (const char* const spec : {"square:3", "disk:3", "shift(rect:3x2,4,0)"}) {
        for (const std::int64_t iterations : {1, 3}) {
          for (const Border& border : borders_for(type)) {
            expect_the_cpus_answer(operation, random_image(type, {1, 47, 83, 2}, seed++),
                                   {.element = spec, .border = border, .iterations = iterations});
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST_F(GpuMorphology, windows_larger_than_a_strip_or_shared_memory) {
  if (small_scale()) GTEST_SKIP() << "too large for this";
  for (const Type type : filter_types) {
    for (const char* const spec :
         {"square:101", "rect:1001x5", "rect:2500x3", "rect:7x333", "disk:40", "line:301@17"}) {
      const Image image = random_image(type, {1, 700, 2111, 2}, 5);
      for (const Border& border : {Border::neutral(), Border::reflect()}) {
        expect_the_cpus_answer(Operation::Open, image, {.element = spec, .border = border});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(GpuMorphology, segments_on_more_slices_than_a_launch_has) {
  if (small_scale()) GTEST_SKIP() << "too large for this";
  // The longer one is put together of parts by a second kernel.
  for (const char* const spec : {"line:9@20", "line:55@2"}) {
    expect_the_cpus_answer(Operation::Open, random_image(Type::U8, {66000, 2, 60, 2}, 5), {.element = spec});
  }
}

TEST_F(GpuMorphology, elements_with_symmetric_rows_of_all_sizes) {
  expect_for_all({"disk:1", "disk:2.5", "disk:8", "disk:15", "disk:31", "disk:45", "octagon:20", "hexagon:7",
                  "shift(disk:5,0,9)", "rect:1x9+disk:2"},
                 {{1, 150, 1531, 2}, {1, 9, 1024, 2}}, {Operation::Open});
  expect_for_all({"ball:6", "ball:11", "cross:6", "cross:1", "shift(ball:3,0,4,-5)"}, {{9, 40, 1100, 3}},
                 {Operation::Open});
}

TEST_F(GpuMorphology, bits_by_nearest_neighbours_once_and_often) {
  for (const char* const spec : {"cross:1", "cross:4", "square:3", "square:9", "cube:3", "cube:7"}) {
    for (const Shape& shape :
         std::vector<Shape>{{1, 67, 2500, 3}, {9, 1, 1024, 3}, {37, 20, 1025, 3}, {40, 9, 31, 3}}) {
      const Image image = random_image(Type::Bool, shape, 11);
      for (const Border& border : borders_for(Type::Bool)) {
        for (const Operation operation : {Operation::Erode, Operation::Close}) {
          expect_the_cpus_answer(operation, image, {.element = spec, .border = border});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(GpuMorphology, images_of_more_than_two_to_the_31_samples) {
  if (small_scale()) GTEST_SKIP() << "too large for this";
  Image image(Type::U8, {1, 46349, 46337, 2});
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i + 8 <= image.bytes(); i += 8) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::memcpy(image.data() + i, &state, 8);
  }
  expect_the_cpus_answer(Operation::Open, image, {.element = "square:9"});
}

}  // namespace
}  // namespace tamis
