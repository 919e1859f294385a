// Filters of arrays on a GPU: what waits, and what is refused. Their answers: matrix.cpp.
#include <string>

#include "morphology/test/device_images.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;
using testing::HeldStream;
using testing::on_stream;
using testing::View;
using testing::ViewedArray;

class GpuArrayMorphology : public GpuTest {};

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
