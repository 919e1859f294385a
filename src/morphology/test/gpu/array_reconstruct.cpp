// Reconstruction of arrays on a GPU against that of images on the CPU.
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "morphology/test/device_images.hpp"
#include "morphology/test/reconstruct_testing.hpp"

namespace tamis {
namespace {

using namespace reconstruct_testing;
using By = ReconstructOptions::By;
using testing::all_views;
using testing::on_stream;
using testing::View;
using testing::ViewedArray;

class GpuArrayReconstruct : public GpuTest {};

/// Rows of a multiple of 16 bytes in every type but bool, odd ones, volumes, one sample, stacks.
const std::vector<Shape> shapes = {{1, 37, 64, 2}, {1, 9, 131, 2}, {4, 17, 48, 3}, {1, 1, 1, 2}, {3, 35, 33, 2}};

/// An image as an array.
ViewedArray uploaded(const cuda::Stream& stream, const Image& image, View view) {
  ViewedArray array(stream, image.type(), image.shape(), view);
  array.upload(dense_samples(image).data());
  return array;
}

std::string describe(const Image& image, View view) {
  return std::string(name(image.type())) + " " + to_string(image.shape()) + " rank " +
         std::to_string(image.shape().rank) + " " + testing::describe(view);
}

std::string refusal_by_cpu(const Image& marker, const Image& mask, const ReconstructOptions& options) {
  return refusal([&] { (void)reconstruct(on_cpu(), marker, mask, options); });
}

TEST_F(GpuArrayReconstruct, gives_the_images_answer_for_every_type_view_and_form) {
  const cuda::Stream stream(0);
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const Shape& shape : shapes) {
      for (const View view : all_views) {
        const ReconstructOptions options{seed % 2 == 0 ? By::Dilation : By::Erosion,
                                         seed % 3 == 0 ? Connectivity::Face : Connectivity::Full};
        for (const Pair& pair : pairs(type, shape, options.by == By::Dilation, seed++)) {
          SCOPED_TRACE(describe(pair.mask, view));
          const View marker_view = seed % 5 == 0 ? View::Dense : view;
          ViewedArray marker = uploaded(stream, pair.marker, marker_view);
          ViewedArray mask = uploaded(stream, pair.mask, view);
          ViewedArray out(stream, type, shape, seed % 4 == 0 ? View::Dense : view);
          reconstruct(on_stream(stream), marker.input(), mask.input(), out.array, options);
          const Image wanted = reconstruct(on_cpu(), pair.marker, pair.mask, options);
          EXPECT_EQ(differences(type, out.download(), dense_samples(wanted)), 0);
          EXPECT_EQ(differences(type, marker.download(), dense_samples(pair.marker)), 0) << "the marker was written";
          EXPECT_EQ(differences(type, mask.download(), dense_samples(pair.mask)), 0) << "the mask was written";
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(GpuArrayReconstruct, out_may_be_the_marker_or_the_mask) {
  const cuda::Stream stream(0);
  for (const Type type : filter_types) {
    for (const View view : all_views) {
      for (const bool to_marker : {true, false}) {
        Pair pair{Image(), random_image(type, {1, 41, 64, 2}, 3)};
        pair.marker = marker_for(pair.mask, true, 4);
        SCOPED_TRACE(describe(pair.mask, view));
        ViewedArray marker = uploaded(stream, pair.marker, view);
        ViewedArray mask = uploaded(stream, pair.mask, view);
        ViewedArray& out = to_marker ? marker : mask;
        reconstruct(on_stream(stream), marker.input(), mask.input(), out.array);
        const Image wanted = reconstruct(on_cpu(), pair.marker, pair.mask);
        EXPECT_EQ(differences(type, out.download(), dense_samples(wanted)), 0);
      }
    }
  }
}

TEST_F(GpuArrayReconstruct, openings_and_closings_are_those_of_images) {
  const cuda::Stream stream(0);
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const Shape& shape : shapes) {
      for (const View view : all_views) {
        const MorphologyOptions options{.element = seed % 2 == 0 ? "square:5" : "shift(disk:2,7,0)",
                                        .border = seed % 3 == 0 ? Border::reflect() : Border::neutral()};
        const Connectivity connectivity = seed % 4 == 0 ? Connectivity::Face : Connectivity::Full;
        const Image image = random_image(type, shape, seed++);
        SCOPED_TRACE(describe(image, view));
        ViewedArray array = uploaded(stream, image, view);
        ViewedArray out(stream, type, shape, view);
        open_by_reconstruction(on_stream(stream), array.input(), out.array, options, connectivity);
        const Image opened = open_by_reconstruction(on_cpu(), image, options, connectivity);
        EXPECT_EQ(differences(type, out.download(), dense_samples(opened)), 0) << "opened";
        EXPECT_EQ(differences(type, array.download(), dense_samples(image)), 0) << "the image was written";
        close_by_reconstruction(on_stream(stream), array.input(), array.array, options, connectivity);
        const Image closed = close_by_reconstruction(on_cpu(), image, options, connectivity);
        EXPECT_EQ(differences(type, array.download(), dense_samples(closed)), 0) << "closed in place";
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(GpuArrayReconstruct, solid_elements_act_on_volumes) {
  const cuda::Stream stream(0);
  for (const Type type : filter_types) {
    const Image image = random_image(type, {17, 19, 48, 3}, 5);
    ViewedArray array = uploaded(stream, image, View::Dense);
    open_by_reconstruction(on_stream(stream), array.input(), array.array, {.element = "ball:1.5"}, Connectivity::Face);
    const Image wanted = open_by_reconstruction(on_cpu(), image, {.element = "ball:1.5"}, Connectivity::Face);
    EXPECT_EQ(differences(type, array.download(), dense_samples(wanted)), 0) << name(type);
  }
}

TEST_F(GpuArrayReconstruct, faults_are_named_as_for_images_and_leave_out_alone) {
  const cuda::Stream stream(0);
  const Shape shape{3, 20, 48, 3};
  const auto expect = [&](const Image& marker, const Image& mask, By by) {
    const std::string wanted = refusal_by_cpu(marker, mask, {by, Connectivity::Full});
    EXPECT_NE(wanted, "");
    ViewedArray from = uploaded(stream, marker, View::Sliced);
    ViewedArray below = uploaded(stream, mask, View::Dense);
    const std::string got = refusal([&] {
      reconstruct(on_stream(stream), from.input(), below.input(), below.array, {by, Connectivity::Full});
    });
    EXPECT_EQ(got, wanted);
    EXPECT_EQ(differences(mask.type(), below.download(), dense_samples(mask)), 0) << "the mask was overwritten";
  };
  Image mask = random_image(Type::U16, shape, 1);
  Image marker = random_image(Type::U16, shape, 1);
  for (const std::int64_t y : {15, 3}) {
    marker.row<std::uint16_t>(1, y)[7] = 65535;
    mask.row<std::uint16_t>(1, y)[7] = 65534;
  }
  expect(marker, mask, By::Dilation);
  expect(mask, marker, By::Erosion);
  const Image nan = random_image(Type::F32, shape, 1, 0.01);
  expect(nan, nan, By::Dilation);
  for (const NanPolicy policy : {NanPolicy::Refuse, NanPolicy::Ignore}) {
    ViewedArray array = uploaded(stream, nan, View::Dense);
    const std::string got =
        refusal([&] { open_by_reconstruction(on_stream(stream), array.input(), array.array, {.nan = policy}); });
    EXPECT_EQ(got, refusal_by_cpu(nan, nan, {}));
    EXPECT_EQ(differences(Type::F32, array.download(), dense_samples(nan)), 0) << "the image was overwritten";
  }
}

TEST_F(GpuArrayReconstruct, a_cancelled_call_leaves_out_alone_and_one_without_a_stream_waits) {
  const cuda::Stream stream(0);
  const Pair pair = one_way(Type::U8, {1, 301, 320, 2}, true);
  ViewedArray marker = uploaded(stream, pair.marker, View::Dense);
  ViewedArray mask = uploaded(stream, pair.mask, View::Dense);
  std::stop_source source;
  Context context = on_stream(stream);
  context.cancel = source.get_token();
  context.on_progress = [&](const Progress&) { source.request_stop(); };
  EXPECT_THROW(reconstruct(context, marker.input(), mask.input(), marker.array), Cancelled);
  EXPECT_EQ(differences(Type::U8, marker.download(), dense_samples(pair.marker)), 0) << "written though cancelled";
  reconstruct(Context{}, marker.input(), mask.input(), marker.array);
  const Image wanted = reconstruct(on_cpu(), pair.marker, pair.mask);
  EXPECT_EQ(differences(Type::U8, marker.download(), dense_samples(wanted)), 0);
}

TEST_F(GpuArrayReconstruct, what_does_not_fit_is_refused_with_the_cure) {
  const cuda::Stream stream(0);
  const Context context = on_stream(stream);
  ViewedArray u8(stream, Type::U8, {1, 8, 9, 2}, View::Dense);
  ViewedArray u16(stream, Type::U16, {1, 8, 9, 2}, View::Dense);
  ViewedArray wide(stream, Type::U8, {1, 8, 10, 2}, View::Dense);
  ViewedArray u32(stream, Type::U32, {1, 8, 9, 2}, View::Dense);
  ViewedArray i32(stream, Type::I32, {1, 8, 9, 2}, View::Dense);
  const auto expect = [&](const std::string& words, const std::function<void()>& work) {
    const std::string message = refusal(work);
    EXPECT_NE(message.find(words), std::string::npos) << message << " / " << words;
  };
  expect("marker 9x8 u16, mask 9x8 u8; wanted one type and shape",
         [&] { reconstruct(context, u16.input(), u8.input(), u8.array); });
  expect("marker 10x8 u8, mask 9x8 u8", [&] { reconstruct(context, wide.input(), u8.input(), u8.array); });
  expect("reconstruct of i32 images; wanted bool, u8, u16, u32, u64",
         [&] { reconstruct(context, i32.input(), i32.input(), i32.array); });
  expect("output of u16; wanted u8", [&] { reconstruct(context, u8.input(), u8.input(), u16.array); });
  expect("output of 10x8; wanted 9x8", [&] { reconstruct(context, u8.input(), u8.input(), wide.array); });
  expect("marker: no array", [&] { reconstruct(context, GpuArray{}, u8.input(), u8.array); });
  expect("output of u16; wanted u8", [&] { open_by_reconstruction(context, u8.input(), u16.array); });
  expect("3-D", [&] { close_by_reconstruction(context, u8.input(), u8.array, {.element = "cube:3"}); });
  expect("erode of a u32 image", [&] { open_by_reconstruction(context, u32.input(), u32.array); });
}

}  // namespace
}  // namespace tamis
