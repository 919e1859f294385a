// Filters of arrays on a GPU against those of images on the CPU: every type, view and operation.
#include <string>
#include <vector>

#include "morphology/gpu_array_testing.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;
using testing::all_views;
using testing::HeldStream;
using testing::on_stream;
using testing::View;
using testing::ViewedArray;

class GpuArrayMorphology : public GpuTest {};

/// Rows of a multiple of 16 bytes in every type but bool, odd ones, one sample, stacks.
const std::vector<Shape> shapes = {{1, 13, 64, 2}, {1, 9, 131, 2}, {4, 7, 48, 3}, {3, 5, 33, 2}, {1, 1, 1, 2}};

template <class Run, class Answer>
void expect_same(const cuda::Stream& stream, const Image& image, View view, View out_view, const Run& run,
                 const Answer& answer) {
  SCOPED_TRACE(std::string(name(image.type())) + " " + to_string(image.shape()) + " rank " +
               std::to_string(image.shape().rank) + " " + testing::describe(view));
  ViewedArray in(stream, image.type(), image.shape(), view);
  in.upload(dense_samples(image).data());
  ViewedArray out(stream, image.type(), image.shape(), out_view);
  run(in.input(), out.array);
  EXPECT_EQ(differences(image.type(), out.download(), dense_samples(answer())), 0);
  EXPECT_EQ(differences(image.type(), in.download(), dense_samples(image)), 0) << "the image was written";
}

TEST_F(GpuArrayMorphology, every_operation_gives_the_images_answer_for_every_type_and_view) {
  const cuda::Stream stream(0);
  unsigned seed = 1;
  for (const Operation operation : all_operations) {
    for (const Type type : filter_types) {
      for (const Shape& shape : shapes) {
        for (const View view : all_views) {
          const MorphologyOptions options{.element = seed % 2 == 0 ? "rect:5x4" : "disk:2"};
          const Image image = random_image(type, shape, seed++);
          SCOPED_TRACE(std::string(name(operation)));
          expect_same(
              stream, image, view, seed % 3 == 0 ? View::Dense : view,
              [&](const GpuArray& in, const GpuOutput& out) {
                morphology(on_stream(stream), operation, in, out, options);
              },
              [&] { return morphology(on_cpu(), operation, image, options); });
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(GpuArrayMorphology, borders_iterations_and_sums_are_those_of_images) {
  const cuda::Stream stream(0);
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const Border& border : borders_for(type)) {
      for (const char* const element : {"square:3", "line:5@0+disk:1.5", "rect:1x1", "shift(rect:3x2,4,-1)"}) {
        for (const std::int64_t iterations : {1, 3}) {
          const MorphologyOptions options{.element = element, .border = border, .iterations = iterations};
          const Image image = random_image(type, {1, 37, 80, 2}, seed++);
          expect_same(
              stream, image, View::Dense, View::Dense,
              [&](const GpuArray& in, const GpuOutput& out) { close(on_stream(stream), in, out, options); },
              [&] { return close(on_cpu(), image, options); });
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(GpuArrayMorphology, solid_elements_act_on_volumes) {
  const cuda::Stream stream(0);
  for (const Type type : filter_types) {
    for (const char* const element : {"cube:3", "box:1x1x4", "ball:2", "cross:2"}) {
      const Image image = random_image(type, {7, 11, 48, 3}, 5);
      for (const View view : {View::Dense, View::Sliced}) {
        expect_same(
            stream, image, view, view,
            [&](const GpuArray& in, const GpuOutput& out) { tophat(on_stream(stream), in, out, {.element = element}); },
            [&] { return tophat(on_cpu(), image, {.element = element}); });
      }
    }
  }
}

TEST_F(GpuArrayMorphology, hitmiss_and_alternating_filters_are_those_of_images) {
  const cuda::Stream stream(0);
  for (const Type type : filter_types) {
    for (const View view : {View::Dense, View::Stepped}) {
      const Image image = random_image(type, {1, 41, 96, 2}, 7);
      const HitMissOptions ends{.hit = "rect:2x1", .miss = "shift(square:1,2,0)", .border = Border::nearest()};
      expect_same(
          stream, image, view, view,
          [&](const GpuArray& in, const GpuOutput& out) { hitmiss(on_stream(stream), in, out, ends); },
          [&] { return hitmiss(on_cpu(), image, ends); });
      for (const AsfOptions::Order order : {AsfOptions::Order::OpenClose, AsfOptions::Order::CloseOpen}) {
        const AsfOptions growing{.element = order == AsfOptions::Order::OpenClose ? "disk:3" : "square:5",
                                 .order = order};
        expect_same(
            stream, image, view, view,
            [&](const GpuArray& in, const GpuOutput& out) { asf(on_stream(stream), in, out, growing); },
            [&] { return asf(on_cpu(), image, growing); });
      }
    }
  }
}

TEST_F(GpuArrayMorphology, nan_is_left_out_where_asked_and_refused_otherwise) {
  const cuda::Stream stream(0);
  unsigned seed = 1;
  for (const double share : {0.1, 0.9, 1.0}) {
    for (const Operation operation : all_operations) {
      for (const Border& border : borders_for(Type::F32)) {
        for (const char* const element : {"rect:3x5", "disk:2", "rect:1x1", "line:3@0+rect:1x3"}) {
          const MorphologyOptions options{.element = element, .border = border, .nan = NanPolicy::Ignore};
          const Image image = random_image(Type::F32, {1, 23, 77, 2}, seed++, share);
          SCOPED_TRACE(std::string(name(operation)) + " " + element + " " + to_string(border));
          expect_same(
              stream, image, View::Dense, View::Dense,
              [&](const GpuArray& in, const GpuOutput& out) {
                morphology(on_stream(stream), operation, in, out, options);
              },
              [&] { return morphology(on_cpu(), operation, image, options); });
          if (HasFailure()) return;
        }
      }
    }
  }
  const Image image = random_image(Type::F32, {3, 9, 40, 3}, 3, 0.2);
  expect_same(
      stream, image, View::FastY, View::Dense,
      [&](const GpuArray& in, const GpuOutput& out) {
        open(on_stream(stream), in, out, {.element = "box:3x2x3", .nan = NanPolicy::Ignore});
        ViewedArray unused(stream, Type::F32, image.shape(), View::Dense);
        EXPECT_NE(refusal([&] { open(on_stream(stream), in, unused.array); }).find("open: the array holds NaN"),
                  std::string::npos);
      },
      [&] { return open(on_cpu(), image, {.element = "box:3x2x3", .nan = NanPolicy::Ignore}); });
}

TEST_F(GpuArrayMorphology, out_may_be_the_image_or_overlap_it) {
  const cuda::Stream stream(0);
  for (const Type type : filter_types) {
    for (const View view : all_views) {
      const Image image = random_image(type, {1, 21, 64, 2}, 9);
      ViewedArray array(stream, type, image.shape(), view);
      array.upload(dense_samples(image).data());
      gradient(on_stream(stream), array.input(), array.array, {.element = "square:5"});
      const Image wanted = gradient(on_cpu(), image, {.element = "square:5"});
      EXPECT_EQ(differences(type, array.download(), dense_samples(wanted)), 0) << name(type);
    }
  }
  const Image image = random_image(Type::F32, {1, 21, 64, 2}, 9, 0.1);
  ViewedArray array(stream, Type::F32, image.shape(), View::Dense);
  array.upload(dense_samples(image).data());
  EXPECT_THROW(open(on_stream(stream), array.input(), array.array), InputError);
  EXPECT_EQ(differences(Type::F32, array.download(), dense_samples(image)), 0) << "the image was overwritten";
}

TEST_F(GpuArrayMorphology, integers_and_bits_are_queued_without_waiting) {
  const cuda::Stream stream(0);
  for (const Type type : {Type::Bool, Type::U8, Type::U16, Type::I16}) {
    for (const View view : {View::Dense, View::Sliced}) {
      const Image image = random_image(type, {1, 64, 128, 2}, 4);
      ViewedArray in(stream, type, image.shape(), view);
      in.upload(dense_samples(image).data());
      ViewedArray out(stream, type, image.shape(), view);
      const auto work = [&] {
        tophat(on_stream(stream), in.input(), out.array, {.element = "square:15"});
        open(on_stream(stream), in.input(), out.array, {.element = "disk:3"});
      };
      work();  // kernels are loaded by their first call
      HeldStream held(stream);
      work();
      EXPECT_TRUE(held.still_held());
      held.let_go();
      EXPECT_EQ(differences(type, out.download(), dense_samples(open(on_cpu(), image, {.element = "disk:3"}))), 0);
    }
  }
}

TEST_F(GpuArrayMorphology, a_call_without_a_stream_returns_when_all_is_done) {
  const cuda::Stream stream(0);
  const Image image = random_image(Type::U8, {1, 500, 640, 2}, 4);
  ViewedArray in(stream, Type::U8, image.shape(), View::Dense);
  in.upload(dense_samples(image).data());
  ViewedArray out(stream, Type::U8, image.shape(), View::Dense);
  erode(Context{}, in.input(), out.array, {.element = "octagon:9"});
  EXPECT_EQ(differences(Type::U8, out.download(), dense_samples(erode(on_cpu(), image, {.element = "octagon:9"}))), 0);
}

TEST_F(GpuArrayMorphology, what_does_not_fit_is_refused_with_the_cure) {
  const cuda::Stream stream(0);
  const Context context = on_stream(stream);
  ViewedArray u8(stream, Type::U8, {1, 8, 9, 2}, View::Dense);
  ViewedArray u16(stream, Type::U16, {1, 8, 9, 2}, View::Dense);
  ViewedArray wide(stream, Type::U8, {1, 8, 10, 2}, View::Dense);
  ViewedArray u32(stream, Type::U32, {1, 8, 9, 2}, View::Dense);
  const auto expect = [&](const std::string& words, const std::function<void()>& work) {
    const std::string message = refusal(work);
    EXPECT_NE(message.find(words), std::string::npos) << message << " / " << words;
  };
  expect("output of u16; wanted u8", [&] { erode(context, u8.input(), u16.array); });
  expect("output of 10x8; wanted 9x8", [&] { erode(context, u8.input(), wide.array); });
  expect("dilate of a u32 image; wanted bool, u8", [&] { dilate(context, u32.input(), u32.array); });
  expect("border constant:300 of a u8 image",
         [&] { erode(context, u8.input(), u8.array, {.border = Border::constant(300)}); });
  expect("3-D", [&] { erode(context, u8.input(), u8.array, {.element = "cube:3"}); });
  expect("asf: element line:3@0; wanted one that grows",
         [&] { asf(context, u8.input(), u8.array, {.element = "line:3@0"}); });
  expect("no array", [&] { erode(context, GpuArray{}, u8.array); });
}

}  // namespace
}  // namespace tamis
