// Images in memory of the caller, in every way in which they may lie there, by every filter.
#include <tamis/image/view.hpp>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/operations.hpp>

#include "core/test/gpu_test.hpp"
#include "core/test/view_buffer.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using morphology_testing::random_image;
using namespace view_testing;

struct Filter {
  std::string name;
  std::function<Image(const Context&, const Image&)> of_image;
  std::function<void(const Context&, const ConstImageView&, const ImageView&)> of_view;
};

const std::vector<Filter>& filters() {
  static const MorphologyOptions disk{.element = StructuringElement("disk:2"), .border = Border::reflect()};
  static const MedianOptions window{.window = StructuringElement("rect:5x3")};
  static const std::vector<Filter> all = {
      {"open", [](auto& c, auto& i) { return open(c, i, disk); },
       [](auto& c, auto& i, auto& o) { open(c, i, o, disk); }},
      {"dilate", [](auto& c, auto& i) { return dilate(c, i, disk); },
       [](auto& c, auto& i, auto& o) { dilate(c, i, o, disk); }},
      {"gradient", [](auto& c, auto& i) { return gradient(c, i, disk); },
       [](auto& c, auto& i, auto& o) { gradient(c, i, o, disk); }},
      {"hitmiss", [](auto& c, auto& i) { return hitmiss(c, i, {}); },
       [](auto& c, auto& i, auto& o) { hitmiss(c, i, o, {}); }},
      {"asf", [](auto& c, auto& i) { return asf(c, i, {}); }, [](auto& c, auto& i, auto& o) { asf(c, i, o, {}); }},
      {"by reconstruction", [](auto& c, auto& i) { return open_by_reconstruction(c, i, disk); },
       [](auto& c, auto& i, auto& o) { open_by_reconstruction(c, i, o, disk); }},
      {"median", [](auto& c, auto& i) { return median(c, i, window); },
       [](auto& c, auto& i, auto& o) { median(c, i, o, window); }},
      {"medians", [](auto& c, auto& i) { return median(c, i, {.window = window.window, .iterations = 2}); },
       [](auto& c, auto& i, auto& o) { median(c, i, o, {.window = window.window, .iterations = 2}); }},
      {"smooth", [](auto& c, auto& i) { return smooth(c, i, {.width = 5, .height = 3}); },
       [](auto& c, auto& i, auto& o) { smooth(c, i, o, {.width = 5, .height = 3}); }},
      {"outliers", [](auto& c, auto& i) { return remove_outliers(c, i, {.threshold = 1}); },
       [](auto& c, auto& i, auto& o) { remove_outliers(c, i, o, {.threshold = 1}); }},
      {"rotate", [](auto& c, auto& i) { return rotate(c, i, 7.5); },
       [](auto& c, auto& i, auto& o) { rotate(c, i, 7.5, {}, o); }},
      {"traced", [](auto& c, auto& i) { return traced_opening(c, i, 5, 30); },
       [](auto& c, auto& i, auto& o) { traced_opening(c, i, o, 5, 30); }},
  };
  return all;
}

/// Every filter by `context`, and in place, from images that lie in every way into others.
void expect_answers_of_images(const Context& context, const std::vector<Shape>& shapes) {
  unsigned seed = 0;
  for (const Filter& filter : filters()) {
    for (const Type type : morphology_testing::filter_types) {
      for (const Shape& shape : shapes) {
        const Image image = random_image(type, shape, ++seed);
        const std::vector<std::byte> wanted = samples_of(filter.of_image({}, image));
        for (const Way in : ways) {
          const Way way_out = ways[(seed + static_cast<unsigned>(in)) % std::size(ways)];
          SCOPED_TRACE(filter.name + " of " + std::string(name(type)) + " " + to_string(shape) + " ways " +
                       std::to_string(static_cast<int>(in)) + " " + std::to_string(static_cast<int>(way_out)));
          Buffer from(type, shape, in), to(type, shape, way_out);
          const Buffer fresh = to;
          from.put(image);
          filter.of_view(context, as_input(from.view), to.view);
          EXPECT_TRUE(to.samples() == wanted);
          EXPECT_TRUE(from.samples() == samples_of(image)) << "the input was written";
          EXPECT_GE(to.untouched(fresh), to.size() - wanted.size()) << "something beside the samples was written";
          filter.of_view(context, as_input(from.view), from.view);
          EXPECT_TRUE(from.samples() == wanted) << "in place";
        }
      }
    }
  }
}

TEST(ImageViews, have_the_answers_of_images_however_they_lie) {
  expect_answers_of_images({}, {{1, 9, 70, 2}, {3, 8, 21, 3}});
}

TEST(ImageViews, of_samples_without_gaps_are_filtered_where_they_lie) {
  Context context;
  context.memory_bytes = 1;  // a mebibyte
  const Image image = random_image(Type::U8, {1, 1500, 1500, 2}, 3);
  Image out(Type::U8, image.shape());
  erode(context, view_of(image), view_of(out), {.element = StructuringElement("square:3")});
  EXPECT_TRUE(samples_of(out) == samples_of(erode({}, image, {.element = StructuringElement("square:3")})));
  const Shape shape{1, 1200, 1200, 2};
  const ConstImageView part = view_of<const void>(image.data(), Type::U8, shape, 1500);
  const ImageView small = view_of<void>(out.data(), Type::U8, shape, 1500);
  EXPECT_NO_THROW(erode(context, part, small)) << "one with a pitch too";
  ConstImageView upwards = part;
  upwards.data = static_cast<const std::byte*>(part.data) + (shape.y - 1) * 1500;
  upwards.stride_y = -1500;
  EXPECT_THROW(erode(context, upwards, small), ResourceError) << "one that is upside down is copied";
}

/// Rows of every length beside vectors', and slices with gaps: nothing is written into what lies between.
TEST(ImageViews, with_gaps_have_the_answers_of_images) {
  unsigned seed = 0;
  for (const Filter& filter : filters()) {
    for (const Type type : {Type::U8, Type::U16, Type::F32}) {
      for (const std::int64_t x : {3, 17, 64, 100, 131, 260}) {
        const Shape shape{seed % 2 == 0 ? 1 : 4, 40, x, seed % 2 == 0 ? 2 : 3};
        const Image image = random_image(type, shape, ++seed);
        const std::vector<std::byte> wanted = samples_of(filter.of_image({}, image));
        for (const std::int64_t gap : {1, 13, 64}) {
          SCOPED_TRACE(filter.name + " of " + std::string(name(type)) + " " + to_string(shape) + " gap " +
                       std::to_string(gap));
          Buffer from(type, shape, Way::Pitch), to(type, shape, Way::Pitch);
          for (ImageView* const view : {&from.view, &to.view}) {
            view->stride_y = (x + gap) * sample_bytes(type);
            view->stride_z = (shape.y + gap % 3) * view->stride_y + (gap % 2) * sample_bytes(type);
          }
          const Buffer fresh = to;
          from.put(image);
          filter.of_view({}, as_input(from.view), to.view);
          ASSERT_TRUE(to.samples() == wanted);
          ASSERT_GE(to.untouched(fresh), to.size() - wanted.size()) << "something beside the samples was written";
        }
      }
    }
  }
}

/// Packed they take another way than as bytes.
TEST(ImageViews, of_bits_have_the_answers_of_packed_bits) {
  Sampled some(17);
  unsigned seed = 0;
  for (const char* element :
       {"square:3", "rect:4x1", "cross:2", "disk:3.5", "octagon:2", "line:9@30", "rect:2x5+disk:1"}) {
    for (const Border& border : {Border(), Border::reflect(), Border::mirror(), Border::nearest(), Border::wrap(),
                                 Border::constant(0), Border::constant(1)}) {
      for (const Offset& shift : {Offset{}, Offset{0, 1, -1}, Offset{0, 9, 12}}) {
        const MorphologyOptions options{.element = StructuringElement(element).shifted(shift), .border = border};
        for (const Operation operation : {Operation::Erode, Operation::Dilate, Operation::Open, Operation::Close,
                                          Operation::TopHat, Operation::Gradient}) {
          for (const Shape& shape : {Shape{1, 40, 70, 2}, Shape{5, 13, 66, 3}, Shape{1, 6, 200, 2},
                                     Shape{1, 3, 1100, 2}, Shape{1, 4000, 5, 2}}) {
            if (some.skips()) continue;
            const Image image = random_image(Type::Bool, shape, ++seed);
            Buffer from(Type::Bool, shape, Way::Dense), to(Type::Bool, shape, Way::Dense);
            from.put(image);
            morphology({}, operation, as_input(from.view), to.view, options);
            ASSERT_TRUE(to.samples() == samples_of(morphology({}, operation, image, options)))
                << element << " " << to_string(border) << " " << std::to_string(shift.y) << " " << name(operation)
                << " " << to_string(shape);
          }
        }
      }
    }
  }
}

/// Bits of narrow views are packed along columns; with little memory they are not.
TEST(ImageViews, of_narrow_bits_have_medians_of_wide_ones) {
  Sampled some(7);
  unsigned seed = 0;
  Context as_it_lies;
  const auto expect = [&](const Shape& shape, const std::string& what, const auto& of_image, const auto& of_view) {
    if (some.skips()) return;
    const Image image = random_image(Type::Bool, shape, ++seed);
    as_it_lies.memory_bytes = 5 * shape.count();
    const std::vector<std::byte> wanted = samples_of(of_image(as_it_lies, image));
    for (const Way in : ways) {
      SCOPED_TRACE(what + " of " + to_string(shape) + " way " + std::to_string(static_cast<int>(in)));
      Buffer from(Type::Bool, shape, in), to(Type::Bool, shape, ways[++seed % std::size(ways)]);
      const Buffer fresh = to;
      from.put(image);
      of_view(Context(), as_input(from.view), to.view);
      ASSERT_TRUE(to.samples() == wanted);
      ASSERT_GE(to.untouched(fresh), to.size() - wanted.size()) << "something beside the samples was written";
      of_view(Context(), as_input(from.view), from.view);
      ASSERT_TRUE(from.samples() == wanted) << "in place";
    }
  };
  for (const Shape& shape : {Shape{1, 17000, 1, 2}, Shape{1, 5003, 5, 2}, Shape{2, 1100, 8, 3}}) {
    for (const Border& border : {Border::reflect(), Border::wrap(), Border::constant(1), Border::shrink()}) {
      for (const char* const window : {"rect:2x3", "disk:2.5", "line:7@30", "shift(square:3,1,-2)", "rect:1x90"}) {
        const MedianOptions options{.window = window, .percentile = 40, .iterations = 2, .border = border};
        expect(
            shape, window + (" " + to_string(border)), [&](auto& c, auto& i) { return median(c, i, options); },
            [&](auto&& c, auto&& i, auto& o) { median(c, i, o, options); });
      }
      const SmoothOptions options{.width = 3, .height = 7, .border = border};
      expect(
          shape, "smooth " + to_string(border), [&](auto& c, auto& i) { return smooth(c, i, options); },
          [&](auto&& c, auto&& i, auto& o) { smooth(c, i, o, options); });
    }
  }
}

TEST(ImageViews, of_bits_take_every_byte_but_0_for_1) {
  std::vector<std::uint8_t> in(32 * 32), out(in.size(), 9);
  for (std::size_t i = 0; i < in.size(); i += 3) in[i] = static_cast<std::uint8_t>(1 + i % 255);
  dilate({}, view_of<const void>(in.data(), Type::Bool, {1, 32, 32, 2}),
         view_of<void>(out.data(), Type::Bool, {1, 32, 32, 2}), {.element = "line:3@90"});
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool above = i >= 32 && in[i - 32] != 0, below = i + 32 < in.size() && in[i + 32] != 0;
    ASSERT_EQ(out[i], in[i] != 0 || above || below ? 1 : 0) << i;
  }
}

TEST(ImageViews, are_read_as_slices) {
  for (const Way way : ways) {
    for (const Type type : {Type::Bool, Type::U8, Type::U16, Type::F32}) {
      const Image image = random_image(type, {4, 5, 7, 3}, 9);
      Buffer buffer(type, image.shape(), way);
      buffer.put(image);
      const auto source = source_of(as_input(buffer.view));
      EXPECT_EQ(source->layout().shape, image.shape());
      std::vector<std::byte> slice(static_cast<std::size_t>(35 * sample_bytes(type)));
      source->read(2, 1, slice.data());
      const std::vector<std::byte> all = samples_of(image);
      EXPECT_EQ(std::memcmp(slice.data(), all.data() + 2 * slice.size(), slice.size()), 0);
      if (const auto mapped = source->mapped()) {
        EXPECT_EQ(mapped->row_stride, buffer.view.stride_y);
        EXPECT_EQ(mapped->slice_stride, buffer.view.stride_z);
      }
    }
  }
}

class GpuImageViews : public GpuTest {};

TEST_F(GpuImageViews, have_the_answers_of_the_cpu_however_they_lie) {
  expect_answers_of_images(on_gpu(), {{1, 40, 131, 2}, {3, 18, 37, 3}});
}

TEST_F(GpuImageViews, in_place_are_refused_before_a_sample_is_written) {
  Image image = random_image(Type::F32, {1, 60, 131, 2}, 5);
  image.row<float>(0, 59)[130] = std::numeric_limits<float>::quiet_NaN();
  for (const Way way : ways) {
    Buffer buffer(Type::F32, image.shape(), way);
    buffer.put(image);
    EXPECT_THROW(erode(on_gpu(), as_input(buffer.view), buffer.view), InputError);
    EXPECT_TRUE(buffer.samples() == samples_of(image));
  }
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A median and a top-hat of samples, given back as `Out`.
template <class In, class Out>
void compare_with_floats(const char* name, Type type, Type result) {
  const OperationDescription& filter = operation(name);
  const Shape shape{3, 8, 21, 3};
  const Image bytes = random_image(Type::U8, shape, 11);
  Image floats(Type::F32, shape), wanted;
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    floats.row<float>(0, 0)[i] = static_cast<float>(bytes.row<std::uint8_t>(0, 0)[i] / 2);
  }
  const Image* const images[] = {&floats};
  filter.filter.run({}, images, filter.defaults, wanted);
  for (const Way in : ways) {
    for (const Way way_out : ways) {
      Buffer from(type, shape, in), to(result, shape, way_out);
      Image samples(type, shape);
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        samples.row<In>(0, 0)[i] = static_cast<In>(floats.row<float>(0, 0)[i]);
      }
      from.put(samples);
      const ConstImageView view = as_input(from.view);
      tamis::filter({}, filter, {&view, 1}, filter.defaults, to.view);
      const std::vector<std::byte> found = to.samples();
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        Out sample;
        std::memcpy(&sample, found.data() + i * static_cast<std::int64_t>(sizeof sample), sizeof sample);
        ASSERT_EQ(static_cast<float>(sample), wanted.row<float>(0, 0)[i]) << tamis::name(type) << " " << i;
      }
    }
  }
}

TEST(ImageViews, of_every_type_are_filtered_by_descriptions) {
  compare_with_floats<double, float>("median", Type::F64, Type::F32);
  compare_with_floats<double, double>("median", Type::F64, Type::F64);
  compare_with_floats<double, float>("tophat", Type::F64, Type::F32);
  compare_with_floats<std::int8_t, std::int8_t>("median", Type::I8, Type::I8);
  compare_with_floats<std::int8_t, float>("tophat", Type::I8, Type::F32);
  compare_with_floats<std::uint32_t, std::uint32_t>("median", Type::U32, Type::U32);
  compare_with_floats<std::int32_t, std::int32_t>("open", Type::I32, Type::I32);
  compare_with_floats<std::uint64_t, std::uint64_t>("median", Type::U64, Type::U64);
  compare_with_floats<std::int64_t, std::int64_t>("median", Type::I64, Type::I64);
  compare_with_floats<std::int64_t, float>("gradient", Type::I64, Type::F32);
}

TEST(ImageViews, of_types_that_filters_do_not_compute_with_have_results_of_one_type) {
  const OperationDescription& median = operation("median");
  std::vector<std::int64_t> memory(50);
  const ConstImageView image = view_of<const void>(memory.data(), Type::I64, {1, 5, 5, 2});
  const auto into = [&](Type type) {
    const ImageView out = view_of<void>(memory.data() + 25, type, {1, 5, 5, 2});
    return refusal([&] { filter({}, median, {&image, 1}, median.defaults, out); });
  };
  EXPECT_EQ(into(Type::I64), "");
  EXPECT_EQ(into(Type::F32), "the result: the output is 5x5 f32; wanted 5x5 i64");
  EXPECT_EQ(into(Type::F64), "the result: the output is 5x5 f64; wanted 5x5 i64");
  memory[7] = (std::int64_t{1} << 53) + 1;
  EXPECT_NE(into(Type::I64).find("i64 samples that f32 cannot hold, 9007199254740993 at x 2, y 1"), std::string::npos);
}

TEST(ImageViews, that_do_not_go_together_are_named) {
  std::vector<std::uint8_t> memory(100);
  const ConstImageView image = view_of<const void>(memory.data(), Type::U8, {1, 5, 5, 2});
  const ImageView other = view_of<void>(memory.data() + 50, Type::U8, {1, 5, 6, 2});
  EXPECT_EQ(refusal([&] { erode({}, image, other); }), "erode: the output is 6x5 u8; wanted 5x5 u8");
  EXPECT_EQ(refusal([&] { median({}, ConstImageView{}, other); }), "median: a null pointer; wanted an address");
  ImageView shared = view_of<void>(memory.data() + 50, Type::U8, {1, 5, 5, 2});
  shared.stride_y = 0;
  EXPECT_EQ(refusal([&] { erode({}, image, shared); }),
            "erode: strides z 25, y 0, x 1 lay samples on each other; wanted room for each");
  const Image bits(Type::Bool, {1, 5, 5, 2});
  EXPECT_NE(refusal([&] { static_cast<void>(view_of(bits)); }).find("packed bits"), std::string::npos);
}

}  // namespace
}  // namespace tamis
