// Every operation by every call that leads to a GPU: host, slabs of one row, arrays in seven views, prepared, frames.
#include <tamis/gpu/morphology.hpp>

#include <string>
#include <vector>

#include "morphology/gpu/filter.hpp"
#include "morphology/test/filter_callers.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;
using morphology_detail::plan_asf;
using morphology_detail::plan_filter;
using morphology_detail::plan_hitmiss;
namespace gpu = morphology_detail::gpu;

class GpuFilterMatrix : public GpuTest {};

FilterCalls calls_of(Operation operation, const MorphologyOptions& options) {
  FilterCalls calls;
  calls.what = std::string(name(operation)) + " by " + options.element.spec() + " border " + to_string(options.border) +
               " iterations " + std::to_string(options.iterations);
  calls.image = [=](const Context& context, const Image& image) {
    return morphology(context, operation, image, options);
  };
  calls.gpu_filter = [=](Type type, const Shape& shape) {
    return gpu::make_filter(plan_filter(operation, type, shape, options), type, shape);
  };
  calls.array = [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
    morphology(context, operation, image, out, options);
  };
  calls.prepared = [=](Type type, const Shape& shape, void* stream) {
    return std::make_shared<GpuMorphology>(on_gpu(), operation, type, shape, GpuMorphology::Options{options, stream});
  };
  calls.frames = [=](Type type, const Shape& shape) {
    return std::make_unique<Frames>(on_gpu(), operation, type, shape, Frames::Options{options, 3});
  };
  return calls;
}

FilterCalls calls_of(const HitMissOptions& options) {
  FilterCalls calls;
  calls.what = "hitmiss border " + to_string(options.border);
  calls.image = [=](const Context& context, const Image& image) { return hitmiss(context, image, options); };
  calls.gpu_filter = [=](Type type, const Shape& shape) {
    return gpu::make_filter(plan_hitmiss(type, shape, options), type, shape);
  };
  calls.array = [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
    hitmiss(context, image, out, options);
  };
  calls.prepared = [=](Type type, const Shape& shape, void* stream) {
    return std::make_shared<GpuMorphology>(on_gpu(), type, shape, options, stream);
  };
  return calls;
}

FilterCalls calls_of(const AsfOptions& options) {
  FilterCalls calls;
  calls.what = "asf by " + options.element + " border " + to_string(options.border);
  calls.image = [=](const Context& context, const Image& image) { return asf(context, image, options); };
  calls.gpu_filter = [=](Type type, const Shape& shape) {
    static const Context context = on_gpu();  // chains refer to it
    return gpu::make_chain(context, plan_asf(type, shape, options), type, shape);
  };
  calls.array = [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
    asf(context, image, out, options);
  };
  return calls;
}

/// Rows of a multiple of 16 bytes in every type but bool, and odd ones; one sample; a stack; volumes.
const std::vector<Shape> flat_shapes = {{1, 13, 64, 2}, {1, 9, 131, 2}, {3, 5, 33, 2}, {4, 7, 48, 3}, {1, 1, 1, 2}};
const std::vector<std::string> flat_elements = {"square:3",          "rect:5x4", "disk:2",
                                                "line:5@0+disk:1.5", "rect:1x1", "shift(rect:3x2,4,-1)"};
const std::vector<Shape> volumes = {{7, 11, 48, 3}, {9, 6, 37, 3}};
const std::vector<std::string> solid_elements = {"cube:3", "box:1x1x4", "ball:2", "cross:2", "shift(cube:2,1,-3,2)"};

template <class Value>
const Value& turn(const std::vector<Value>& values, unsigned number) {
  return values[number % values.size()];
}

TEST_F(GpuFilterMatrix, every_operation_type_and_border) {
  const cuda::Stream stream(0);
  unsigned number = 0;
  for (const Operation operation : all_operations) {
    for (const Type type : filter_types) {
      for (const Border& border : borders_for(type)) {
        // Shapes, elements and iterations take turns: in 180 cases each meets each of the others.
        const std::int64_t iterations = number % 7 == 0 ? 3 : 1;
        ++number;
        expect_of_every_caller(
            stream,
            calls_of(operation, {.element = turn(flat_elements, number), .border = border, .iterations = iterations}),
            random_image(type, turn(flat_shapes, number), number));
        expect_of_every_caller(stream, calls_of(operation, {.element = turn(solid_elements, number), .border = border}),
                               random_image(type, turn(volumes, number), number));
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(GpuFilterMatrix, hitmiss_and_alternating_filters) {
  const cuda::Stream stream(0);
  unsigned number = 0;
  for (const Type type : filter_types) {
    for (const Border& border : borders_for(type)) {
      const Image image = random_image(type, {1, 41, 96, 2}, ++number);
      expect_of_every_caller(
          stream, calls_of(HitMissOptions{.hit = "rect:2x1", .miss = "shift(square:1,2,0)", .border = border}), image);
      const bool opens_first = number % 2 == 0;
      expect_of_every_caller(
          stream,
          calls_of(AsfOptions{.element = opens_first ? "disk:3" : "square:5",
                              .order = opens_first ? AsfOptions::Order::OpenClose : AsfOptions::Order::CloseOpen,
                              .border = border}),
          image);
      if (HasFailure()) return;
    }
  }
}

TEST_F(GpuFilterMatrix, traced_lines_of_one_slice_and_of_many) {
  const cuda::Stream stream(0);
  unsigned number = 0;
  for (const Operation operation : all_operations) {
    for (const Type type : filter_types) {
      for (const Border& border : {Border::neutral(), Border::fit()}) {
        for (const Shape& shape : {Shape{1, 31, 67, 2}, Shape{5, 14, 40, 2}}) {
          const MorphologyOptions options{
              .element = ++number % 2 == 0 ? "line:7@30" : "line:12@100", .border = border, .lines = Lines::Traced};
          expect_of_every_caller(stream, calls_of(operation, options), random_image(type, shape, number));
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(GpuFilterMatrix, nan_is_left_out) {
  const cuda::Stream stream(0);
  unsigned number = 0;
  for (const double share : {0.0, 0.1, 0.9, 1.0}) {
    for (const Operation operation : all_operations) {
      for (const Border& border : borders_for(Type::F32)) {
        const MorphologyOptions options{
            .element = turn(flat_elements, ++number), .border = border, .nan = NanPolicy::Ignore};
        expect_of_every_caller(stream, calls_of(operation, options),
                               random_image(Type::F32, turn(flat_shapes, number), number, share));
        if (HasFailure()) return;
      }
    }
  }
  const Image volume = random_image(Type::F32, {5, 9, 40, 3}, 3, 0.2);
  expect_of_every_caller(stream, calls_of(Operation::Open, {.element = "box:3x2x3", .nan = NanPolicy::Ignore}), volume);
  expect_of_every_caller(stream, calls_of(AsfOptions{.element = "square:5", .nan = NanPolicy::Ignore}), volume);
}

TEST_F(GpuFilterMatrix, nan_is_refused) {
  const cuda::Stream stream(0);
  for (const Shape& shape : {Shape{1, 31, 96, 2}, Shape{6, 9, 33, 3}}) {
    const Image image = random_image(Type::F32, shape, 3, 0.1);
    for (const Operation operation : all_operations) {
      for (const char* const element : {"rect:3x5", "disk:2", "rect:1x1", "shift(rect:3x2,4,-1)"}) {
        expect_refusal_of_every_caller(stream, calls_of(operation, {.element = element}), image);
      }
    }
    expect_refusal_of_every_caller(stream, calls_of(HitMissOptions{.hit = "square:2", .miss = "circle:3"}), image);
    expect_refusal_of_every_caller(stream, calls_of(AsfOptions{.element = "disk:2"}), image);
  }
}

TEST_F(GpuFilterMatrix, little_device_memory_means_slabs_of_one_row_or_slice) {
  for (const Operation operation : all_operations) {
    const FilterCalls calls = calls_of(operation, {.element = "rect:3x4", .border = Border::reflect()});
    EXPECT_EQ(slabs_of(calls, random_image(Type::U8, {1, 60, 33, 2}, 1)), 60) << name(operation);
    EXPECT_EQ(slabs_of(calls, random_image(Type::F32, {30, 9, 33, 3}, 1)), 30) << name(operation);
  }
  const FilterCalls solid = calls_of(Operation::Open, {.element = "cube:3"});
  EXPECT_EQ(slabs_of(solid, random_image(Type::U16, {30, 9, 33, 3}, 1)), 30);
  // Traced lines begin at the sides of a slice, which is never cut.
  const FilterCalls traced = calls_of(Operation::Open, {.element = "line:5@30", .lines = Lines::Traced});
  EXPECT_EQ(slabs_of(traced, random_image(Type::U8, {1, 60, 33, 2}, 1)), 1);
  EXPECT_EQ(slabs_of(traced, random_image(Type::U8, {30, 9, 33, 2}, 1)), 30);
}

TEST_F(GpuFilterMatrix, what_does_not_fit_is_refused_with_what_it_takes) {
  const Image image = random_image(Type::U8, {1, 60, 33, 2}, 1);
  for (const Lines lines : {Lines::Invariant, Lines::Traced}) {
    try {
      static_cast<void>(open(morphology_testing::on_gpu(1), image, {.element = "line:5@30", .lines = lines}));
      ADD_FAILURE() << "one byte was enough";
    } catch (const ResourceError& error) {
      EXPECT_EQ(
          std::string(error.what()),
          "GPU memory: open of 33x60 takes about 1 MiB at least, got 0 MiB; wanted more free memory, or device cpu");
    }
  }
}

}  // namespace
}  // namespace tamis
