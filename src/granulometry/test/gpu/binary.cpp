// Granulometry of bits that lie on the GPU, against the CPU: every option, domains, slabs, and where an answer comes by
// way of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/gpu/binary.hpp>
#include <tamis/gpu/granulometry.hpp>
#include <tamis/phantom.hpp>

#include "core/test/gpu_test.hpp"
#include "granulometry/test/testing.hpp"

namespace tamis {
namespace {

using namespace granulometry_testing;

class GpuBinarySizes : public GpuTest {};

Context cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

/// What is true of an image, and inside of the domain; on the GPU.
GpuBinary there(const Context& gpu, const Image& object, const Image& domain) {
  const std::unique_ptr<SliceSource> source = source_of(object);
  std::unique_ptr<SliceSource> mask;
  Region region;
  if (!domain.empty()) {
    region.kind = Region::Kind::Mask;
    mask = source_of(domain);
    region.mask = mask.get();
  }
  return GpuBinary(gpu, *source, {.method = ThresholdMethod::Value}, region);
}

void expect_as_on_the_cpu(const Context& gpu, const Image& object, const GranulometryOptions& options,
                          const Image& domain = {}) {
  const GpuBinary binary = there(gpu, object, domain);
  const Sizes wanted = granulometry(cpu(), object, options, domain);
  const Sizes got = granulometry(gpu, binary, options);
  EXPECT_EQ(got.volume, wanted.volume);
  EXPECT_EQ(got.border_voxels, wanted.border_voxels);
  EXPECT_EQ(got.limited, wanted.limited);
  EXPECT_EQ(got.never_empties, wanted.never_empties);
  EXPECT_EQ(got.rank, wanted.rank);
  EXPECT_EQ(got.spacing, object.spacing);
  const bool computed = !wanted.never_empties || wanted.rows() > 1;
  EXPECT_TRUE(!computed || got.device == Device::Cuda);
  Image map;
  const Sizes mapped = size_map(
      gpu, binary, options, [&](Type type) { map = Image(type, object.shape()); },
      [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
        std::copy_n(slices, count * map.shape().y * map.row_bytes(), map.row<std::byte>(z0, 0));
      });
  EXPECT_EQ(mapped.volume, wanted.volume);
  const Image wanted_map = size_map(cpu(), object, options, domain);
  EXPECT_EQ(map.type(), wanted_map.type());
  EXPECT_TRUE(values(map) == values(wanted_map)) << "the maps differ";
}

TEST_F(GpuBinarySizes, are_the_cpus_for_every_option) {
  for (const Shape& shape : {Shape{1, 33, 31, 2}, Shape{7, 1, 66, 3}, Shape{40, 70, 130, 3}}) {
    for_every_option(shape, [&](const Case& c) {
      if (c.roi == RoiKind::OneSlice) return;  // of the field of view, below
      SCOPED_TRACE(describe(c));
      const Image domain = random_domain(shape, c.roi, c.seed);
      Image object = random_object(shape, 0.99, c.seed);
      object.spacing = {2, 2, 2, "um"};
      clip(object, domain);
      expect_as_on_the_cpu(on_gpu(), object, c.options, domain);
    });
  }
}

TEST_F(GpuBinarySizes, are_the_cpus_in_the_field_of_view) {
  const Shape shape{20, 60, 70, 3};
  const Image disk = inscribed_disk(shape.y, shape.x);
  Image object = random_object(shape, 0.995, 3);
  clip(object, disk);
  for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      expect_as_on_the_cpu(on_gpu(), object, {element, border, {}}, disk);
    }
  }
}

TEST_F(GpuBinarySizes, are_the_cpus_in_slabs_of_any_height) {
  FoamOptions foam;
  foam.shape = {400, 60, 100, 3};
  foam.max_radius = 12;
  const Image pores = phantom_foam(cpu(), foam);
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
    for (const std::int64_t mebibytes : {36, 40, 60}) {
      SCOPED_TRACE(mebibytes);
      Context context = on_gpu();
      context.device_memory_bytes = mebibytes << 20;
      expect_as_on_the_cpu(context, pores, {Element::Cross, border, {}});
    }
  }
}

TEST_F(GpuBinarySizes, are_the_cpus_where_nothing_ever_erodes) {
  const Image full = random_object({9, 20, 30, 3}, 1.0, 1);
  expect_as_on_the_cpu(on_gpu(), full, {Element::Cross, DomainBorder::Neutral, {}});
  expect_as_on_the_cpu(on_gpu(), Image(Type::Bool, {9, 20, 30, 3}), {});
}

TEST_F(GpuBinarySizes, of_a_device_without_room_are_refused_in_words) {
  const Shape shape{300, 300, 300, 3};
  Context context = on_gpu();
  EXPECT_TRUE(GpuBinary::fits(context, shape));
  context.device_memory_bytes = 17 << 20;
  EXPECT_FALSE(GpuBinary::fits(context, shape));
  const GpuBinary binary = there(on_gpu(), random_object(shape, 1.0, 1), {});
  EXPECT_THROW(static_cast<void>(granulometry(context, binary)), ResourceError);
  EXPECT_THROW(static_cast<void>(granulometry(on_gpu(), binary, {.max_size = -1})), InputError);
}

TEST_F(GpuBinarySizes, of_what_was_moved_elsewhere_are_refused) {
  GpuBinary binary = there(on_gpu(), random_object({1, 9, 70, 2}, 0.9, 1), {});
  GpuGranulometry prepared(on_gpu(), {1, 9, 70, 2}, {.granulometry = {.max_size = 3}});
  const GpuBinary stays = std::move(binary);
  GpuGranulometry goes_on = std::move(prepared);
  EXPECT_THROW(static_cast<void>(granulometry(on_gpu(), binary)), InputError);       // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(static_cast<void>(ball_granulometry(on_gpu(), binary)), InputError);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(static_cast<void>(binary.download(on_gpu())), InputError);            // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(prepared.run(stays.object()), InputError);                            // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(static_cast<void>(prepared.wait()), InputError);                      // NOLINT(bugprone-use-after-move)
  goes_on.run(stays.object());
  EXPECT_EQ(goes_on.wait().rows(), 4);
  Context none = on_gpu();
  none.threads = -1;
  EXPECT_THROW(static_cast<void>(granulometry(none, stays)), InputError);
}

}  // namespace
}  // namespace tamis
