// Filters of what lies in a mask, against the definition with all other samples left out.
#include <tamis/operations/masked.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/median.hpp>
#include <tamis/operations/slabs.hpp>

#include "median/test/reference.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;

using Values = std::vector<std::pair<std::string, std::string>>;

Arguments arguments_of(const std::string& name, const Values& values) {
  Arguments arguments = operation(name).defaults;
  for (const auto& [parameter, value] : values) {
    if (parameter == "element") {
      arguments.set_element(parameter, StructuringElement(value));
    } else {
      arguments.set(parameter, value);
    }
  }
  return arguments;
}

Grid masked(const Image& image, const Image& mask) {
  Grid grid = grid_of(image);
  const Shape& shape = image.shape();
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const std::int64_t z = mask.shape().z == 1 ? 0 : i / (shape.y * shape.x);
    if (!mask.bit(z, i / shape.x % shape.y, i % shape.x)) grid.values[static_cast<std::size_t>(i)] = std::nan("");
  }
  std::tie(grid.lowest, grid.highest) = range_of(Type::F32);
  return grid;
}

/// Where nothing is seen the sample itself, and the range of the type.
Grid finished(Grid found, const Image& image) {
  const Grid own = grid_of(image);
  for (std::size_t i = 0; i < own.values.size(); ++i) {
    const double value = std::isnan(found.values[i]) ? own.values[i] : found.values[i];
    found.values[i] = std::isnan(value) ? value : std::clamp(value, own.lowest, own.highest);
  }
  return found;
}

void expect_definition(const std::string& name, const Values& values, const Image& image, const Image& mask,
                       const Grid& wanted) {
  Image out;
  filter_in_mask({}, operation(name), image, mask, arguments_of(name, values), out);
  ASSERT_EQ(out.type(), image.type());
  EXPECT_EQ(first_difference(grid_of(out), finished(wanted, image)), -1)
      << name << " of " << tamis::name(image.type()) << " " << to_string(image.shape());
}

const std::vector<Shape> shapes = {{1, 23, 41, 2}, {4, 9, 13, 3}};

Image random_mask(const Shape& shape, unsigned seed, bool one_slice) {
  Shape own = shape;
  if (one_slice) own.z = 1;
  return random_image(Type::Bool, own, seed);
}

TEST(Masked, erosions_and_dilations_see_what_is_inside) {
  unsigned seed = 1;
  const std::vector<std::pair<std::string, Operation>> names = {
      {"erode", Operation::Erode},  {"dilate", Operation::Dilate},     {"open", Operation::Open},
      {"close", Operation::Close},  {"gradient", Operation::Gradient}, {"tophat", Operation::TopHat},
      {"bothat", Operation::BotHat}};
  for (const Type type : filter_types) {
    for (const Shape& shape : shapes) {
      for (const auto& [name, operation] : names) {
        for (const std::string element : {"rect:3x2", "disk:2", "shift(square:1,3,0)"}) {
          for (const Border& border : {Border::neutral(), Border::mirror(), Border::constant(1)}) {
            const Image image = random_image(type, shape, seed);
            ++seed;
            const Image mask = random_mask(shape, seed, seed % 2 == 0);
            const MorphologyOptions options{StructuringElement(element), border, 1, NanPolicy::Ignore};
            expect_definition(name, {{"element", element}, {"border", to_string(border)}}, image, mask,
                              reference(operation, masked(image, mask), options));
          }
        }
      }
    }
  }
}

TEST(Masked, medians_are_those_of_what_is_inside) {
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const Shape& shape : shapes) {
      for (const std::string element : {"square:3", "disk:3", "shift(square:2,5,1)"}) {
        for (const double percentile : {0.0, 50.0, 80.0}) {
          for (const Border& border : {Border::reflect(), Border::shrink(), Border::wrap()}) {
            const Image image = random_image(type, shape, seed);
            ++seed;
            const Image mask = random_mask(shape, seed, seed % 2 == 0);
            const Grid numbers = masked(image, mask);
            const auto found =
                median_reference::step({numbers.shape, numbers.values},
                                       StructuringElement(element).sum(shape.rank).offsets(), percentile, border);
            Grid wanted = numbers;
            wanted.values = found.values;
            expect_definition("median",
                              {{"element", element},
                               {"percentile", std::to_string(percentile)},
                               {"border", border == Border::shrink() ? "shrink" : to_string(border)}},
                              image, mask, wanted);
          }
        }
      }
    }
  }
}

TEST(Masked, all_inside_is_the_filter_itself) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 30, 70, 2}, 3);
    Image all(Type::Bool, image.shape());
    for (std::int64_t y = 0; y < 30; ++y) {
      for (std::int64_t x = 0; x < 70; ++x) set(all, 0, y, x, 1);
    }
    for (const std::string name : {"erode", "median", "smooth", "remove_outliers", "asf", "hitmiss"}) {
      const Arguments arguments = operation(name).defaults;
      const Image* const images[] = {&image};
      Image wanted, found;
      operation(name).filter.run({}, images, arguments, wanted);
      filter_in_mask({}, operation(name), image, all, arguments, found);
      EXPECT_EQ(first_difference(grid_of(found), grid_of(wanted)), -1) << name << " " << tamis::name(type);
    }
  }
}

std::vector<std::byte> bytes_of(const Image& image) {
  const auto source = source_of(image);
  std::vector<std::byte> bytes(static_cast<std::size_t>(image.shape().count() * sample_bytes(image.type())));
  source->read(0, image.shape().z, bytes.data());
  return bytes;
}

/// What is written, slice after slice.
class Collector final : public SliceSink {
 public:
  explicit Collector(const Layout& layout)
      : slice_(static_cast<std::size_t>(layout.shape.y * layout.shape.x * sample_bytes(layout.type))) {}
  void write(const std::byte* slices, std::int64_t count) override {
    bytes.insert(bytes.end(), slices, slices + static_cast<std::size_t>(count) * slice_);
  }
  void finish() override {}
  std::vector<std::byte> bytes;

 private:
  std::size_t slice_;
};

TEST(Masked, a_volume_in_slabs_has_the_results_of_the_whole) {
  for (const Type type : {Type::Bool, Type::U8, Type::F32}) {
    const Shape shape{17, 12, 21, 3};
    const Image image = random_image(type, shape, 4);
    for (const bool one_slice : {false, true}) {
      const Image mask = random_mask(shape, 5, one_slice);
      const auto bits = source_of(mask);
      for (const auto& [name, values] : std::vector<std::pair<std::string, Values>>{
               {"open", {{"element", "ball:2"}, {"border", "mirror"}}}, {"median", {{"size", "3"}, {"border", "wrap"}}}}) {
        Image wanted;
        filter_in_mask({}, operation(name), image, mask, arguments_of(name, values), wanted);
        const auto images = source_of(image);
        const auto inside = mask_source(*bits, images->layout());
        SliceSource* const sources[] = {inside.get(), images.get()};
        Collector collected(images->layout());
        const std::int64_t most = name == "median" ? 0 : 5;  // what wrap shows cannot be cut
        filter_slabs({}, in_mask(operation(name)), arguments_of(name, values), sources, collected, {.most = most});
        EXPECT_EQ(collected.bytes, bytes_of(wanted)) << name << " " << tamis::name(type);
      }
    }
  }
}

std::string refusal(const std::string& name, const Values& values, const Image& image, const Image& mask) {
  try {
    Image out;
    filter_in_mask({}, operation(name), image, mask, arguments_of(name, values), out);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Masked, what_cannot_be_done_is_refused) {
  Image image = random_image(Type::U8, {1, 6, 7, 2}, 1);
  const Image mask = random_image(Type::Bool, {1, 6, 7, 2}, 2);
  EXPECT_EQ(refusal("reconstruct", {}, image, mask), "`mask` of reconstruct; wanted a filter that leaves NaN out");
  EXPECT_EQ(refusal("open", {{"by_reconstruction", "true"}}, image, mask),
            "`mask` with `by_reconstruction`; wanted one of them, for a reconstruction has no place for NaN");
  EXPECT_EQ(refusal("median", {}, image, image), "`mask` is u8 7x6; wanted bool 7x6, or one slice for all");
  EXPECT_EQ(refusal("median", {}, image, Image(Type::Bool, {1, 6, 8, 2})),
            "`mask` is bool 8x6; wanted bool 7x6, or one slice for all");
  EXPECT_EQ(refusal("median", {{"border", "constant:300"}}, image, mask),
            "border constant:300 of a u8 image; wanted a value that the type has");
  image = random_image(Type::F32, {1, 6, 7, 2}, 1);
  Image one(Type::Bool, image.shape());
  set(one, 0, 3, 4, 1);
  set(image, 0, 2, 4, std::nan(""));
  EXPECT_EQ(refusal("median", {}, image, one), "");
  set(image, 0, 3, 4, std::nan(""));
  EXPECT_EQ(refusal("median", {}, image, one),
            "median: the image holds NaN in the mask at x 4, y 3; wanted numbers, or nan ignore");
  EXPECT_EQ(refusal("median", {{"nan", "ignore"}}, image, one), "");
}

}  // namespace
}  // namespace tamis
