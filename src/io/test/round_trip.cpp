// What is written is read back, in every format, type and rank, odd sizes included.
#include <rapidcheck.h>

#include "io/test/testing.hpp"
#include "io/test/written_formats.hpp"

namespace tamis::io {
namespace {

/// Every format, and other names of the same.
std::vector<WrittenFormat> cases() {
  std::vector<WrittenFormat> all = written_formats();
  for (const char* const name : {"a.vol", "a.h5:/x/y"}) all.push_back({name, every_type});
  all.insert(all.end(), {{"a.pnm", {Type::Bool, Type::U8, Type::U16}, false},
                         {"A.TIF", {Type::U8}},
                         {"a.hdf5", {Type::U16}},
                         {"a.nxs", {Type::F32}}});
  return all;
}

/// Bool becomes 0 and 255 where a format has no bits.
Image as_in_file(const Image& image, Type type) {
  if (image.type() == type) return telling_image(type, image.shape());
  Image bytes(Type::U8, image.shape());
  for (std::int64_t z = 0; z < image.shape().z; ++z) {
    for (std::int64_t y = 0; y < image.shape().y; ++y) {
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        bytes.row<std::uint8_t>(z, y)[x] = image.bit(z, y, x) ? 255 : 0;
      }
    }
  }
  return bytes;
}

void expect_round_trip(const Scratch& scratch, const std::string& file, Type type, const Shape& shape,
                       const WriteOptions& how = {}) {
  SCOPED_TRACE(file + " " + std::string(name(type)) + " " + to_string(shape));
  const Image image = telling_image(type, shape);
  write(image, scratch / file, how);
  ReadOptions options;
  if (file.find(".raw") != std::string::npos || file.find(".vol") != std::string::npos) {
    options.shape = shape;
    options.dtype = type;
  }
  const Image back = read(scratch / file, options);
  ASSERT_EQ(back.shape().count(), shape.count());
  const Image wanted = as_in_file(image, back.type());
  EXPECT_EQ(std::memcmp(back.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0);
  if (!(shape.z == 1 && shape.rank == 3 && (file.ends_with(".tif") || file == "A.TIF"))) {
    EXPECT_EQ(back.shape(), shape);
  }
}

TEST(RoundTrip, every_format_keeps_every_type_and_odd_size) {
  Sampled some(29, 2);
  const Scratch scratch;
  for (const WrittenFormat& c : cases()) {
    for (const Type type : c.types) {
      for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 3, 65, 2}, Shape{1, 67, 7, 2}, Shape{1, 5, 64, 2}}) {
        if (!some.skips()) expect_round_trip(scratch, c.file, type, shape, c.options);
      }
      if (!c.volumes) continue;
      for (const Shape& shape : {Shape{1, 1, 1, 3}, Shape{2, 3, 65, 3}, Shape{19, 2, 129, 3}, Shape{5, 130, 1, 3}}) {
        if (!some.skips()) expect_round_trip(scratch, c.file, type, shape, c.options);
      }
    }
  }
}

TEST(RoundTrip, any_shape_of_any_type_survives) {
  const Scratch scratch;
  EXPECT_TRUE(rc::check([&] {
    const Shape shape{*rc::gen::inRange<std::int64_t>(2, 20), *rc::gen::inRange<std::int64_t>(1, 40),
                      *rc::gen::inRange<std::int64_t>(1, 140), 3};
    const Type type = *rc::gen::elementOf(every_type);
    const std::string file =
        *rc::gen::elementOf(std::vector<std::string>{"a.raw", "a.raw.gz", "a.tif", "a.npy", "a.h5", "a.zarr"});
    expect_round_trip(scratch, file, type, shape);
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

TEST(RoundTrip, slices_come_in_any_order_and_number) {
  const Scratch scratch;
  const Shape shape{23, 9, 37, 3};
  const Image image = telling_image(Type::U16, shape);
  for (const char* const file : {"a_37x9x23_u16.raw", "a_37x9x23_u16.raw.gz", "a.tif", "a.npy", "a.h5", "a.zarr"}) {
    write(image, scratch / file);
    const auto source = open_file(scratch / file);
    EXPECT_TRUE(rc::check(file, [&] {
      const auto z0 = *rc::gen::inRange<std::int64_t>(0, shape.z);
      const auto count = *rc::gen::inRange<std::int64_t>(0, shape.z - z0 + 1);
      std::vector<std::byte> out(static_cast<std::size_t>(count * shape.y * shape.x * 2));
      source->read(z0, count, out.data());
      RC_ASSERT((out.empty() || std::memcmp(out.data(), image.row<std::byte>(z0, 0), out.size()) == 0));
    }));
    const std::string message = refusal([&] {
      std::vector<std::byte> out(static_cast<std::size_t>(2 * shape.y * shape.x * 2));
      source->read(22, 2, out.data());
    });
    expect_says(message, {"22..23", "0..22"});
  }
}

TEST(RoundTrip, slices_may_be_written_in_parts) {
  const Scratch scratch;
  const Shape shape{23, 70, 150, 3};
  const Image image = telling_image(Type::U16, shape);
  for (const char* const file : {"a_150x70x23_u16.raw", "a_150x70x23_u16.raw.gz", "a.tif", "a.npy", "a.h5", "a.zarr"}) {
    const auto sink = create(scratch / file, {Type::U16, shape, 1, {}});
    for (std::int64_t z = 0, step = 1; z < shape.z; z += step, step = std::min<std::int64_t>(5, shape.z - z)) {
      sink->write(image.row<std::byte>(z, 0), step);
    }
    sink->finish();
    EXPECT_TRUE(same_samples(read(scratch / file), image)) << file;
  }
}

TEST(RoundTrip, spacing_survives_where_the_format_has_it) {
  const Scratch scratch;
  for (const char* const file : {"a.tif", "a.h5", "a.zarr"}) {
    for (const Spacing& spacing :
         {Spacing{2.5, 2.5, 2.5, "um"}, Spacing{3, 0.7, 0.65, "mm"}, Spacing{19.5, 19.5, 19.5, "nm"}}) {
      write(telling_image(Type::U8, {3, 4, 5, 3}, spacing), scratch / file);
      EXPECT_EQ(open_file(scratch / file)->layout().spacing, spacing) << file;
    }
    write(telling_image(Type::U8, {3, 4, 5, 3}), scratch / file);
    EXPECT_FALSE(open_file(scratch / file)->layout().spacing.known());
  }
}

TEST(RoundTrip, spacing_of_the_caller_wins) {
  const Scratch scratch;
  write(telling_image(Type::U8, {3, 4, 5, 3}, {1, 1, 1, "mm"}), scratch / "a.tif");
  ReadOptions options;
  options.spacing = Spacing{2, 2, 2, "um"};
  EXPECT_EQ(read(scratch / "a.tif", options).spacing, *options.spacing);
  options.spacing = Spacing{2, 0, 2, "um"};
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.tif", options)); }), {"spacing", "> 0"});
  options.spacing = Spacing{0, 2, 2, "um"};
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.tif", options)); }), {"two sides, of a volume"});
}

TEST(RoundTrip, samples_of_flat_files_are_mapped_and_not_copied) {
  const Scratch scratch;
  const Image image = telling_image(Type::U16, {4, 6, 10, 3});
  for (const char* const file : {"a_10x6x4_u16.raw", "a.tif", "a.npy"}) {
    write(image, scratch / file);
    const auto source = open_file(scratch / file);
    const auto there = source->mapped();
    ASSERT_TRUE(there) << file;
    EXPECT_EQ(std::memcmp(there->data + 3 * there->slice_stride, image.row<std::byte>(3, 0), 120), 0);
  }
  ReadOptions swapped;
  swapped.byte_order = ByteOrder::Big;
  EXPECT_FALSE(open_file(scratch / "a_10x6x4_u16.raw", swapped)->mapped());
}

}  // namespace
}  // namespace tamis::io
