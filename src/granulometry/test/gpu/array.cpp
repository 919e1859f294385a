// Granulometry of arrays on a GPU against that of images: every option, view and domain, curve and map.
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/phantom.hpp>

#include "core/test/gpu_arrays.hpp"
#include "granulometry/test/testing.hpp"

namespace tamis {
namespace {

using namespace granulometry_testing;
using tamis::testing::all_views;
using tamis::testing::HeldStream;
using tamis::testing::on_stream;
using tamis::testing::View;
using tamis::testing::ViewedArray;

class GpuArrayGranulometry : public GpuTest {};

Context cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

/// Samples of a Bool image as bytes, 0 and `one`.
std::vector<std::uint8_t> bytes_of(const Image& image, std::uint8_t one = 1) {
  std::vector<std::uint8_t> bytes;
  const Shape& shape = image.shape();
  bytes.reserve(static_cast<std::size_t>(shape.count()));
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) bytes.push_back(image.bit(z, y, x) ? one : 0);
  return bytes;
}

/// A Bool image on the GPU; nothing for one that is empty.
class OnGpu {
 public:
  OnGpu(const cuda::Stream& stream, const Image& image, View view, std::uint8_t one = 1) {
    if (image.empty()) return;
    array_ = std::make_unique<ViewedArray>(stream, Type::Bool, image.shape(), view);
    array_->upload(bytes_of(image, one).data());
  }
  [[nodiscard]] GpuArray array() const { return array_ ? array_->input() : GpuArray{}; }

 private:
  std::unique_ptr<ViewedArray> array_;
};

std::vector<std::uint32_t> values_of(ViewedArray& map) {
  const std::vector<std::byte> bytes = map.download();
  const auto sample = static_cast<std::size_t>(sample_bytes(map.array.type));
  std::vector<std::uint32_t> values(bytes.size() / sample);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&values[i], &bytes[i * sample], sample);
  return values;
}

void expect_same(const Sizes& got, const Sizes& wanted) {
  EXPECT_EQ(got.volume, wanted.volume);
  EXPECT_EQ(got.border_voxels, wanted.border_voxels);
  EXPECT_EQ(got.limited, wanted.limited);
  EXPECT_EQ(got.never_empties, wanted.never_empties);
  EXPECT_EQ(got.rank, wanted.rank);
}

/// Curve and map in every way they can be had. The object may have voxels outside the domain: they do not count.
void expect_as_the_image(const cuda::Stream& stream, const Image& object, const GranulometryOptions& options,
                         const Image& domain, View view, View output) {
  SCOPED_TRACE(testing::describe(view) + " to " + testing::describe(output));
  Image clipped(Type::Bool, object.shape());
  std::memcpy(clipped.data(), object.data(), static_cast<std::size_t>(object.bytes()));
  clip(clipped, domain);
  const Context context = on_stream(stream);
  const OnGpu bits(stream, object, view);
  const OnGpu inside(stream, domain, view == View::Dense ? View::Sliced : view, 255);
  const Sizes wanted = granulometry(cpu(), clipped, options, domain);
  expect_same(granulometry(context, bits.array(), options, inside.array()), wanted);

  const Image image_map = size_map(cpu(), clipped, options, domain);
  const std::vector<std::uint32_t> wanted_map = values(image_map);
  std::unique_ptr<ViewedArray> map;
  const auto allocate = [&](Type type) {
    map = std::make_unique<ViewedArray>(stream, type, object.shape(), output);
    return map->array;
  };
  expect_same(size_map(context, bits.array(), options, inside.array(), allocate), wanted);
  EXPECT_EQ(map->array.type, image_map.type());
  EXPECT_TRUE(values_of(*map) == wanted_map) << "the maps differ";
  for (const Type type : {Type::U8, Type::U16, Type::U32}) {
    allocate(type);
    size_map(context, bits.array(), map->array, options, inside.array());
    EXPECT_TRUE(values_of(*map) == wanted_map) << "the maps differ";
  }
}

TEST_F(GpuArrayGranulometry, has_the_answer_of_the_image_for_every_option_and_odd_shape) {
  const cuda::Stream stream(0);
  std::size_t turn = 0;
  for (const Shape& shape : odd_shapes) {
    for_every_option(shape, [&](const Case& c) {
      SCOPED_TRACE(describe(c));
      const View view = all_views[turn++ % std::size(all_views)];
      expect_as_the_image(stream, random_object(shape, c.density, c.seed), c.options,
                          random_domain(shape, c.roi, c.seed), view, view);
    });
  }
}

TEST_F(GpuArrayGranulometry, has_the_answer_of_the_image_in_every_view) {
  const cuda::Stream stream(0);
  const Shape shape{20, 33, 70, 3};
  const Image object = random_object(shape, 0.99, 3);
  for (const View view : all_views) {
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      for (const RoiKind roi : {RoiKind::None, RoiKind::OneSlice, RoiKind::Full}) {
        GranulometryOptions options;
        options.border = border;
        const Image domain = random_domain(shape, roi, 3);
        expect_as_the_image(stream, object, options, domain, view, View::Dense);
        expect_as_the_image(stream, object, options, domain, View::Dense, view);
      }
    }
  }
}

TEST_F(GpuArrayGranulometry, has_the_answer_of_the_image_where_parts_of_a_domain_meet_in_a_corner) {
  const cuda::Stream stream(0);
  for_domains_of_two_parts(
      [&](const Image& object, const Image& domain, const GranulometryOptions& options, const std::string& what) {
        SCOPED_TRACE(what);
        expect_as_the_image(stream, object, options, domain, View::Dense, View::Dense);
      });
}

TEST_F(GpuArrayGranulometry, has_the_answer_of_the_image_for_foam) {
  const cuda::Stream stream(0);
  FoamOptions foam;
  foam.shape = {90, 131, 150, 3};
  foam.max_radius = 20;
  const Image pores = phantom_foam(cpu(), foam);
  for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
    for (const View view : {View::Dense, View::SlowX}) {
      GranulometryOptions options;
      options.element = element;
      expect_as_the_image(stream, pores, options, inscribed_disk(131, 150), view, View::Dense);
    }
  }
}

TEST_F(GpuArrayGranulometry, an_object_that_fills_its_domain_never_erodes_under_a_neutral_border) {
  const cuda::Stream stream(0);
  const Image full = random_object({9, 10, 70, 3}, 1.0, 1);
  GranulometryOptions options;
  options.border = DomainBorder::Neutral;
  for (const int max_size : {-1, 0, 3}) {
    if (max_size >= 0) options.max_size = max_size;
    expect_as_the_image(stream, full, options, {}, View::Dense, View::Dense);
    expect_as_the_image(stream, full, options, random_domain(full.shape(), RoiKind::Full, 2), View::Sliced,
                        View::Dense);
  }
}

TEST_F(GpuArrayGranulometry, wide_maps_follow_the_sizes_and_narrow_ones_are_refused) {
  const cuda::Stream stream(0);
  const Shape shape{1, 600, 601, 2};
  const Image full = random_object(shape, 1.0, 1);
  const OnGpu bits(stream, full, View::Dense);
  const Context context = on_stream(stream);
  const auto allocated = [&](const GranulometryOptions& options) {
    Type seen = Type::Bool;
    std::unique_ptr<ViewedArray> map;
    const auto allocate = [&](Type type) {
      seen = type;
      map = std::make_unique<ViewedArray>(stream, type, shape, View::Dense);
      return map->array;
    };
    static_cast<void>(size_map(context, bits.array(), options, {}, allocate));
    EXPECT_TRUE(values_of(*map) == values(size_map(cpu(), full, options))) << "the maps differ";
    return seen;
  };
  GranulometryOptions options;
  EXPECT_EQ(allocated(options), Type::U16);
  ViewedArray narrow(stream, Type::U8, shape, View::Dense);
  EXPECT_THROW(size_map(context, bits.array(), narrow.array, options), InputError);
  options.max_size = 254;
  size_map(context, bits.array(), narrow.array, options);
  EXPECT_TRUE(values_of(narrow) == values(size_map(cpu(), full, options))) << "the maps differ";
  options.max_size = 255;
  EXPECT_THROW(size_map(context, bits.array(), narrow.array, options), InputError);
}

TEST_F(GpuArrayGranulometry, a_map_up_to_max_size_is_queued_and_waits_for_nothing) {
  const cuda::Stream stream(0);
  const Shape shape{40, 50, 70, 3};
  const Image object = random_object(shape, 0.999, 7);
  const OnGpu bits(stream, object, View::Dense);
  ViewedArray map(stream, Type::U8, shape, View::Dense);
  for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      GranulometryOptions options;
      options.element = element;
      options.border = border;
      options.max_size = 9;
      SCOPED_TRACE(std::string(name(element)) + " " + std::string(name(border)));
      // The first launch of a kernel loads it, which may wait for what runs; and pinned memory is there afterwards.
      size_map(on_stream(stream), bits.array(), map.array, options);
      stream.synchronize();
      HeldStream held(stream);
      for (int i = 0; i < 2; ++i) size_map(on_stream(stream), bits.array(), map.array, options);
      EXPECT_TRUE(held.still_held());
      held.let_go();
      EXPECT_TRUE(values_of(map) == values(size_map(cpu(), object, options))) << "the maps differ";
    }
  }
}

TEST_F(GpuArrayGranulometry, says_how_much_memory_it_wants) {
  const cuda::Stream stream(0);
  const Image full = random_object({100, 200, 300, 3}, 1.0, 1);
  const OnGpu bits(stream, full, View::Dense);
  Context context = on_stream(stream);
  context.device_memory_bytes = 5 << 20;
  for (const Element element : {Element::Cross, Element::Cube}) {
    GranulometryOptions options;
    options.element = element;
    try {
      static_cast<void>(granulometry(context, bits.array(), options));
      ADD_FAILURE() << "no error";
    } catch (const ResourceError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("300x200x100 takes up to"), std::string::npos) << message;
      EXPECT_NE(message.find("got 5 MiB"), std::string::npos) << message;
    }
  }
}

TEST_F(GpuArrayGranulometry, refuses_what_is_no_binary_array) {
  const cuda::Stream stream(0);
  const Context context = on_stream(stream);
  const ViewedArray wide(stream, Type::U16, {3, 4, 5, 3}, View::Dense);
  EXPECT_THROW(static_cast<void>(granulometry(context, wide.input())), InputError);
  EXPECT_THROW(static_cast<void>(granulometry(context, GpuArray{})), InputError);
  const ViewedArray flat(stream, Type::Bool, {1, 4, 5, 2}, View::Dense);
  GranulometryOptions options;
  options.element = Element::Cube;
  EXPECT_THROW(static_cast<void>(granulometry(context, flat.input(), options)), InputError);
  options.element = Element::Cross;
  options.max_size = -1;
  EXPECT_THROW(static_cast<void>(granulometry(context, flat.input(), options)), InputError);
  const ViewedArray other(stream, Type::Bool, {1, 4, 6, 2}, View::Dense);
  EXPECT_THROW(static_cast<void>(granulometry(context, flat.input(), {}, other.input())), InputError);
}

TEST_F(GpuArrayGranulometry, inputs_may_be_released_in_the_order_of_the_stream) {
  const cuda::Stream stream(0);
  const Shape shape{40, 50, 70, 3};
  const Image object = random_object(shape, 0.999, 8);
  GranulometryOptions options;
  options.max_size = 20;
  ViewedArray map(stream, Type::U8, shape, View::Dense);
  for (int i = 0; i < 5; ++i) {
    {
      const OnGpu bits(stream, object, View::Dense);  // its memory goes back to the pool of the stream
      size_map(on_stream(stream), bits.array(), map.array, options);
    }
    const cuda::DeviceBuffer<std::byte> next(stream, shape.count());
    cuda::check(cudaMemsetAsync(next.data(), 1, next.bytes(), stream.get()), "overwrite");
    EXPECT_TRUE(values_of(map) == values(size_map(cpu(), object, options))) << "the maps differ";
  }
}

}  // namespace
}  // namespace tamis
