// Which format a path is, what raw names say, folders, channels and crops.
#include <cstdlib>

#include "io/names/names.hpp"
#include "io/test/testing.hpp"

namespace tamis::io {
namespace {

TEST(Open, a_path_that_is_no_image_is_refused_with_the_reason) {
  const Scratch scratch;
  const auto why = [&](const std::string& file) {
    return refusal([&] { static_cast<void>(open_file(scratch / file)); });
  };
  EXPECT_EQ(why("none.tif"), (scratch / "none.tif") + ": cannot read it: No such file or directory");
  put_file(scratch / "zero.tif", "");
  expect_says(why("zero.tif"), {"empty", "0 bytes"});
  put_file(scratch / "a.xyz", "what is this");
  expect_says(why("a.xyz"), {"unknown format", ".tif", ".h5", ".raw.gz", "folder"});
  put_file(scratch / "a.tif", "what is this");
  expect_says(why("a.tif"), {"unknown first bytes", "wanted TIFF"});
  write(telling_image(Type::U8, {1, 3, 3, 2}), scratch / "p.png");
  std::filesystem::rename(scratch / "p.png", scratch / "p.tif");
  expect_says(why("p.tif"), {"got a PNG file", "wanted TIFF"});
  std::filesystem::create_directory(scratch / "empty");
  expect_says(why("empty"), {"empty", "without TIFF"});
}

TEST(Open, first_bytes_tell_the_format_of_a_name_without_one) {
  const Scratch scratch;
  const Image image = telling_image(Type::U8, {1, 3, 3, 2});
  write(image, scratch / "a.png");
  std::filesystem::rename(scratch / "a.png", scratch / "picture");
  EXPECT_TRUE(same_samples(read(scratch / "picture"), image));
}

TEST(Raw, names_give_shape_and_type) {
  const Scratch scratch;
  const auto layout = [&](const std::string& file, std::size_t bytes) {
    put_file(scratch / file, std::string(bytes, 'a'));
    return open_file(scratch / file)->layout();
  };
  EXPECT_EQ(layout("foam_4x3x2_u8.raw", 24).shape, (Shape{2, 3, 4, 3}));
  EXPECT_EQ(layout("x_4x3_f32.raw", 48).shape, (Shape{1, 3, 4, 2}));
  EXPECT_EQ(layout("x_4x3_f32.raw", 48).type, Type::F32);
  EXPECT_EQ(layout("polymer3d_8bit_4x3x2.raw", 24).type, Type::U8);
  EXPECT_EQ(layout("long_bone-4x3x2-uint16.vol", 48).type, Type::U16);
  expect_says(refusal([&] { layout("bone.raw", 8); }), {"shape and type", "`shape XxYxZ`", "`dtype u8`", "_600x600x250_u8.raw"});
  expect_says(refusal([&] { layout("bone_2x2x2.raw", 8); }), {"the type is not known", "`dtype u8`"});
  expect_says(refusal([&] { layout("long_bone_2x2x2.raw", 8); }), {"the type is not known"});
  expect_says(refusal([&] { layout("bone_u8.raw", 8); }), {"the shape is not known", "`shape XxYxZ`"});
}

TEST(Raw, a_truncated_file_is_refused_with_got_and_wanted) {
  const Scratch scratch;
  put_file(scratch / "a_4x3x2_u16.raw", std::string(47, 'a'));
  expect_says(refusal([&] { static_cast<void>(read(scratch / "a_4x3x2_u16.raw")); }),
              {"got 47 bytes", "wanted 48", "4x3x2 u16"});
}

TEST(Raw, big_endian_samples_are_turned) {
  const Scratch scratch;
  put_file(scratch / "a_2x1_u16.raw", {1, 2, 3, 4});
  ReadOptions options;
  options.byte_order = ByteOrder::Big;
  const Image image = read(scratch / "a_2x1_u16.raw", options);
  EXPECT_EQ(image.row<std::uint16_t>(0, 0)[0], 0x0102);
  EXPECT_EQ(open_file(scratch / "a_2x1_u16.raw", options)->description(), "raw, x fastest, big endian");
}

TEST(Folder, slices_come_in_natural_order) {
  EXPECT_TRUE(natural_less("img2.tif", "img10.tif"));
  EXPECT_TRUE(natural_less("a1b2", "a1b10"));
  EXPECT_TRUE(natural_less("img02.tif", "img2.tif"));
  EXPECT_FALSE(natural_less("img2.tif", "img2.tif"));
  EXPECT_TRUE(natural_less("img", "img1"));
  EXPECT_TRUE(natural_less("9", "99999999999999999999999"));
  const Scratch scratch;
  for (const int i : {10, 2, 1, 9}) {
    Image image(Type::U8, {1, 2, 2, 2});
    image.data()[0] = static_cast<std::byte>(i);
    write(image, scratch / ("img" + std::to_string(i) + ".png"));
  }
  put_file(scratch / "readme.txt", "not an image");
  put_file(scratch / ".hidden.png", "not an image");
  const Image volume = read(scratch.path());
  EXPECT_EQ(volume.shape(), (Shape{4, 2, 2, 3}));
  const std::vector<int> wanted{1, 2, 9, 10};
  for (std::int64_t z = 0; z < 4; ++z)
    EXPECT_EQ(volume.row<std::uint8_t>(z, 0)[0], wanted[static_cast<std::size_t>(z)]);
}

TEST(Folder, a_slice_that_differs_is_named) {
  const Scratch scratch;
  write(telling_image(Type::U8, {1, 4, 5, 2}), scratch / "a1.tif");
  write(telling_image(Type::U8, {1, 4, 6, 2}), scratch / "a2.tif");
  expect_says(refusal([&] { static_cast<void>(open_file(scratch.path())); }),
              {"a2.tif", "got 6x4 u8", "wanted 5x4 u8"});
  write(telling_image(Type::U8, {3, 4, 5, 3}), scratch / "a2.tif");
  expect_says(refusal([&] { static_cast<void>(open_file(scratch.path())); }), {"a2.tif", "got 3 slices", "one slice"});
}

TEST(Channel, one_channel_or_the_luma_makes_grey) {
  const Scratch scratch;
  const std::vector<std::uint8_t> pixels{255, 0, 0, 10, 200, 30, 1, 2, 3, 255, 255, 255};
  write_colour(pixels, {1, 2, 2, 2}, scratch / "a.png");
  ReadOptions options;
  options.channel = "1";
  EXPECT_EQ(delivered(*open_file(scratch / "a.png", options)), (std::vector<std::uint8_t>{0, 200, 2, 255}));
  options.channel = "luma";  // 76.245, 123.81, 1.815, 255
  EXPECT_EQ(delivered(*open_file(scratch / "a.png", options)), (std::vector<std::uint8_t>{76, 124, 2, 255}));
  for (const char* const wrong : {"3", "-1", "red", "1x"}) {
    options.channel = wrong;
    expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.png", options)); }), {wrong, "0..2 or luma"});
  }
}

TEST(Channel, grey_is_its_own_luma) {
  const Scratch scratch;
  const Image image = telling_image(Type::U8, {1, 3, 4, 2});
  write(image, scratch / "a.png");
  ReadOptions options;
  for (const char* const channel : {"0", "luma"}) {
    options.channel = channel;
    EXPECT_TRUE(same_samples(read(scratch / "a.png", options), image));
  }
  options.channel = "1";
  expect_says(refusal([&] { static_cast<void>(read(scratch / "a.png", options)); }), {"wanted 0 or luma"});
}

TEST(Crop, a_box_is_what_it_says_mapped_or_not) {
  const Scratch scratch;
  const Image image = telling_image(Type::U16, {6, 7, 8, 3});
  for (const char* const file : {"a_8x7x6_u16.raw", "a_8x7x6_u16.raw.gz"}) {
    write(image, scratch / file);
    const auto part = crop(open_file(scratch / file), {1, 4, 2, 7, 3, 8});
    EXPECT_EQ(part->layout().shape, (Shape{3, 5, 5, 3}));
    std::vector<std::uint16_t> out(75);
    part->read(0, 3, reinterpret_cast<std::byte*>(out.data()));
    const auto there = part->mapped();
    EXPECT_EQ(there.has_value(), std::string(file).ends_with(".raw"));
    for (std::int64_t z = 0, i = 0; z < 3; ++z) {
      for (std::int64_t y = 0; y < 5; ++y) {
        for (std::int64_t x = 0; x < 5; ++x, ++i) {
          const std::uint16_t wanted = image.row<std::uint16_t>(z + 1, y + 2)[x + 3];
          EXPECT_EQ(out[static_cast<std::size_t>(i)], wanted);
          if (!there) continue;
          const std::byte* const row = there->data + z * there->slice_stride + y * there->row_stride;
          EXPECT_EQ(reinterpret_cast<const std::uint16_t*>(row)[x], wanted);
        }
      }
    }
  }
  for (const Box& box : {Box{0, 7, 0, 7, 0, 8}, Box{0, 6, 3, 3, 0, 8}, Box{0, 6, 0, 7, -1, 8}}) {
    const std::string message = refusal([&] { static_cast<void>(crop(open_file(scratch / "a_8x7x6_u16.raw"), box)); });
    expect_says(message, {"crop", "0:8,0:7,0:6"});
  }
}

TEST(Hdf5, the_only_dataset_is_taken_and_others_are_listed) {
  const Scratch scratch;
  write(telling_image(Type::U8, {2, 3, 4, 3}), scratch / "a.h5:/group/volume");
  EXPECT_EQ(open_file(scratch / "a.h5")->description(), "HDF5, /group/volume, chunked, filtered");
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.h5:/other")); }), {"/other", "/group/volume"});
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.h5:/group")); }), {"/group", "/group/volume"});
}

TEST(Real, scans_of_the_field_are_read) {
  const char* const folder = std::getenv("TAMIS_DATA");
  if (!folder || *folder == '\0') GTEST_SKIP() << "TAMIS_DATA is not set";
  const std::string data(folder);
  const auto shape = [&](const std::string& file) { return read(data + "/" + file).shape(); };
  EXPECT_EQ(shape("volumes/berea_400x400x400_u8.raw.gz"), (Shape{400, 400, 400, 3}));
  EXPECT_EQ(shape("volumes/qim3d_cement_128x128x128.tif"), (Shape{128, 128, 128, 3}));
  EXPECT_EQ(shape("volumes/quanfima_polymer_fibres_128x128x128_u8.raw"), (Shape{128, 128, 128, 3}));
  EXPECT_EQ(shape("volumes/quanfima_polymer_slice.tif"), (Shape{1, 600, 600, 2}));
  EXPECT_EQ(shape("mri/FatMRISlice.png"), (Shape{1, 256, 256, 2}));
  EXPECT_EQ(shape("fingerprints/nist_arch.jpg"), (Shape{1, 240, 256, 2}));
}

}  // namespace
}  // namespace tamis::io
