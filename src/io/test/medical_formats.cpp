// NRRD, MetaImage and NIfTI: what is written is read, every header that cannot be served says why.
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/test/medical_testing.hpp"

namespace tamis::io {
namespace {

const Spacing millimetres{2.5, 0.8, 0.7, "mm"};

std::string why(const std::string& path) {
  return refusal([&] { static_cast<void>(open_file(path)); });
}

TEST(Medical, every_type_and_rank_comes_back_with_its_spacing) {
  const Scratch scratch;
  for (const char* const file : {"a.nrrd", "a.mha", "a.nii"}) {
    for (const Type type :
         {Type::U8, Type::I8, Type::U16, Type::I16, Type::U32, Type::I32, Type::U64, Type::I64, Type::F32, Type::F64}) {
      SCOPED_TRACE(std::string(file) + " " + std::string(name(type)));
      const Image image = telling_image(type, {3, 4, 5, 3}, millimetres);
      write(image, scratch / file);
      const Image back = read(scratch / file);
      EXPECT_TRUE(same_samples(back, image));
      EXPECT_EQ(back.spacing, millimetres);
    }
    const Image flat = telling_image(Type::I16, {1, 4, 5, 2}, {1, 0.8, 0.7, "mm"});
    write(flat, scratch / file);
    EXPECT_TRUE(same_samples(read(scratch / file), flat)) << file;
    EXPECT_EQ(read(scratch / file).spacing, flat.spacing) << file;
    const Image thin = telling_image(Type::I16, {1, 4, 5, 3}, millimetres);
    write(thin, scratch / file);
    EXPECT_TRUE(same_samples(read(scratch / file), thin)) << file;
  }
}

TEST(Medical, bits_become_0_and_255) {
  const Scratch scratch;
  const Image image = telling_image(Type::Bool, {2, 3, 70, 3});
  for (const char* const file : {"a.nrrd", "a.mha", "a.nii"}) {
    write(image, scratch / file);
    const Image back = read(scratch / file);
    ASSERT_EQ(back.type(), Type::U8);
    EXPECT_FALSE(back.spacing.known()) << file;
    for (std::int64_t x = 0; x < 70; ++x) {
      EXPECT_EQ(back.row<std::uint8_t>(1, 2)[x], image.bit(1, 2, x) ? 255 : 0) << file;
    }
  }
}

TEST(Medical, lengths_in_other_units_are_written_in_mm) {
  const Scratch scratch;
  for (const char* const file : {"a.nrrd", "a.mha", "a.nii"}) {
    write(telling_image(Type::U8, {3, 4, 5, 3}, {30, 20, 10, "um"}), scratch / file);
    EXPECT_EQ(open_file(scratch / file)->layout().spacing, (Spacing{0.03, 0.02, 0.01, "mm"})) << file;
  }
}

TEST(Medical, nan_and_infinity_are_left_as_they_are) {
  const Scratch scratch;
  Image image = telling_image(Type::F32, {2, 3, 4, 3});
  image.row<float>(0, 0)[1] = std::numeric_limits<float>::quiet_NaN();
  image.row<float>(1, 2)[3] = -std::numeric_limits<float>::infinity();
  for (const char* const file : {"a.nrrd", "a.mha", "a.nii"}) {
    write(image, scratch / file);
    EXPECT_TRUE(same_samples(read(scratch / file), image)) << file;
  }
}

TEST(Medical, uncompressed_samples_are_mapped_and_compressed_ones_come_in_any_order) {
  const Scratch scratch;
  const Image image = telling_image(Type::U16, {6, 5, 7, 3}, millimetres);
  write(image, scratch / "a.nii");
  EXPECT_TRUE(open_file(scratch / "a.nii")->mapped().has_value());
  put_file(scratch / "a.nii.gz", deflated(bytes_of_file(scratch / "a.nii"), true));
  const auto source = open_file(scratch / "a.nii.gz");
  EXPECT_EQ(source->description(), "NIfTI-1, gzip");
  EXPECT_EQ(source->layout().spacing, millimetres);
  std::vector<std::byte> slice(70);
  for (const std::int64_t z : {4, 0, 5, 5, 2, 3}) {
    source->read(z, 1, slice.data());
    EXPECT_EQ(std::memcmp(slice.data(), image.row<std::byte>(z, 0), slice.size()), 0) << z;
  }
}

TEST(Medical, detached_samples_are_found_beside_the_header) {
  const Scratch scratch;
  const Image image = telling_image(Type::I16, {3, 4, 5, 3});
  const std::string samples = bytes_of_image(image);
  put_file(scratch / "a.raw", samples);
  put_file(scratch / "skipped.raw", "one line\nxy" + samples);
  put_file(scratch / "a.raw.gz", deflated(samples, true));
  put_file(scratch / "a.zraw", deflated(samples, false));
  const std::string nrrd = "NRRD0004\n# by hand\ntype: short\ndimension: 3\nsizes: 5 4 3\nendian: little\n";
  const std::string meta =
      "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementType = MET_SHORT\nElementByteOrderMSB = False\n";
  put_file(scratch / "a.nhdr", nrrd + "encoding: raw\ndata file: a.raw\n");
  put_file(scratch / "skip.nhdr", nrrd + "encoding: raw\nline skip: 1\nbyte skip: 2\ndata file: skipped.raw\n");
  put_file(scratch / "end.nhdr", nrrd + "encoding: raw\nbyte skip: -1\ndata file: skipped.raw\n");
  put_file(scratch / "z.nhdr", nrrd + "encoding: gzip\ndata file: a.raw.gz\n");
  put_file(scratch / "a.mhd", meta + "ElementDataFile = a.raw\n");
  put_file(scratch / "end.mhd", meta + "HeaderSize = -1\nElementDataFile = skipped.raw\n");
  put_file(scratch / "z.mhd", meta + "CompressedData = True\nElementDataFile = a.zraw\n");
  for (const char* const file : {"a.nhdr", "skip.nhdr", "end.nhdr", "z.nhdr", "a.mhd", "end.mhd", "z.mhd"}) {
    EXPECT_TRUE(same_samples(read(scratch / file), image)) << file;
  }
  std::filesystem::remove(scratch / "a.raw");
  expect_says(why(scratch / "a.nhdr"), {"cannot read", "a.raw", "No such file"});
  expect_says(why(scratch / "a.mhd"), {"cannot read", "a.raw", "No such file"});
  put_file(scratch / "a.raw", samples.substr(1));
  expect_says(why(scratch / "a.nhdr"), {"a.raw", "got 119 bytes", "wanted 120", "5x4x3 i16"});
  expect_says(why(scratch / "a.mhd"), {"a.raw", "got 119 bytes", "wanted 120", "5x4x3 i16"});
}

TEST(Medical, big_endian_samples_are_turned) {
  const Scratch scratch;
  put_file(scratch / "a.nrrd", std::string("NRRD0004\ntype: uint16\ndimension: 2\nsizes: 2 1\nendian: big\nencoding: "
                                           "raw\n\n") +
                                   "\x01\x02\x03\x04");
  EXPECT_EQ(read(scratch / "a.nrrd").row<std::uint16_t>(0, 0)[1], 0x0304);
  put_file(scratch / "a.mha",
           std::string("NDims = 2\nDimSize = 2 1\nElementType = MET_USHORT\nBinaryDataByteOrderMSB = "
                       "True\nElementDataFile = LOCAL\n") +
               "\x01\x02\x03\x04");
  EXPECT_EQ(read(scratch / "a.mha").row<std::uint16_t>(0, 0)[1], 0x0304);
}

TEST(Medical, slope_and_intercept_of_nifti_make_f32) {
  const Scratch scratch;
  const Image image = telling_image(Type::I16, {3, 4, 5, 3});
  write(image, scratch / "a.nii");
  std::string bytes = bytes_of_file(scratch / "a.nii");
  const float slope = 0.5F;
  const float intercept = 3;
  std::memcpy(bytes.data() + 112, &slope, sizeof slope);
  std::memcpy(bytes.data() + 116, &intercept, sizeof intercept);
  put_file(scratch / "a.nii", bytes);
  put_file(scratch / "a.nii.gz", deflated(bytes, true));
  for (const char* const file : {"a.nii", "a.nii.gz"}) {
    const Image scaled = read(scratch / file);
    ASSERT_EQ(scaled.type(), Type::F32);
    for (std::int64_t i = 0; i < 60; ++i) {
      const float wanted = static_cast<float>(image.row<std::int16_t>(0, 0)[i]) * slope + intercept;
      EXPECT_EQ(scaled.row<float>(0, 0)[i], wanted);
    }
  }
}

TEST(Medical, a_slope_that_some_take_for_none_is_applied_and_wide_integers_become_f64) {
  const Scratch scratch;
  const Image image = telling_image(Type::I32, {3, 4, 5, 3});
  write(image, scratch / "a.nii");
  std::string bytes = bytes_of_file(scratch / "a.nii");
  const float slope = 0x1p-60F;  // as magnetic fields in tesla have it
  std::memcpy(bytes.data() + 112, &slope, sizeof slope);
  put_file(scratch / "a.nii", bytes);
  const Image scaled = read(scratch / "a.nii");
  ASSERT_EQ(scaled.type(), Type::F64);
  for (std::int64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(scaled.row<double>(2, 0)[i], static_cast<double>(image.row<std::int32_t>(2, 0)[i]) * slope);
  }
}

TEST(Medical, the_unit_of_nifti_and_nrrd_counts) {
  const Scratch scratch;
  write(telling_image(Type::U8, {3, 4, 5, 3}, {2, 2, 2, "mm"}), scratch / "a.nii");
  std::string bytes = bytes_of_file(scratch / "a.nii");
  bytes[123] = 3;  // micrometres
  put_file(scratch / "a.nii", bytes);
  EXPECT_EQ(open_file(scratch / "a.nii")->layout().spacing, (Spacing{0.002, 0.002, 0.002, "mm"}));
  write(telling_image(Type::U8, {3, 4, 5, 3}, {2, 2, 2, "mm"}), scratch / "a.nrrd");
  const std::string nrrd = bytes_of_file(scratch / "a.nrrd");
  const std::string millimetre = "\"mm\" \"mm\" \"mm\"";
  put_file(scratch / "a.nrrd", with_replaced(nrrd, millimetre, "\"microns\" \"um\" \"um\""));
  EXPECT_EQ(open_file(scratch / "a.nrrd")->layout().spacing, (Spacing{2, 2, 2, "um"}));
  put_file(scratch / "a.nrrd", with_replaced(nrrd, millimetre, "\"mm\" \"mm\" \"s\""));
  EXPECT_FALSE(open_file(scratch / "a.nrrd")->layout().spacing.known());
}

/// The bytes of a value, in the order of the other kind of machines where `turned`.
template <class T>
void put_number(std::string& bytes, std::size_t at, T value, bool turned) {
  std::string field(sizeof value, '\0');
  std::memcpy(field.data(), &value, sizeof value);
  if (turned) std::reverse(field.begin(), field.end());
  bytes.replace(at, field.size(), field);
}

std::string turned_samples(const Image& image) {
  std::string bytes = bytes_of_image(image);
  for (std::size_t i = 0; i < bytes.size(); i += 2) std::swap(bytes[i], bytes[i + 1]);
  return bytes;
}

TEST(Medical, nifti_of_version_2_is_read_in_both_byte_orders) {
  const Scratch scratch;
  const Image image = telling_image(Type::I16, {3, 4, 5, 3});
  for (const bool turned : {false, true}) {
    std::string bytes(544, '\0');
    put_number(bytes, 0, std::int32_t{540}, turned);
    bytes.replace(4, 8, std::string("n+2\0\r\n\032\n", 8));
    put_number(bytes, 12, std::int16_t{4}, turned);
    put_number(bytes, 14, std::int16_t{16}, turned);
    const std::array<std::int64_t, 5> dim{3, 5, 4, 3, 1};
    for (std::size_t i = 0; i < dim.size(); ++i) put_number(bytes, 16 + 8 * i, dim[i], turned);
    for (std::size_t i = 1; i < 4; ++i) put_number(bytes, 104 + 8 * i, 0.5 * static_cast<double>(i), turned);
    put_number(bytes, 168, std::int64_t{544}, turned);
    put_number(bytes, 500, std::int32_t{2}, turned);
    bytes += turned ? turned_samples(image) : bytes_of_image(image);
    put_file(scratch / "a.nii", bytes);
    const auto source = open_file(scratch / "a.nii");
    EXPECT_EQ(source->description(), "NIfTI-2, raw");
    EXPECT_EQ(source->layout().spacing, (Spacing{1.5, 1, 0.5, "mm"}));
    EXPECT_TRUE(same_samples(read(scratch / "a.nii"), image));
    put_file(scratch / "z.nii.gz", deflated(bytes, true));
    EXPECT_TRUE(same_samples(read(scratch / "z.nii.gz"), image));
    put_file(scratch / "z.nii", deflated(bytes, true));  // whatever the name says
    EXPECT_TRUE(same_samples(read(scratch / "z.nii"), image));
    put_number(bytes, 40, std::int64_t{1} << 40, turned);
    put_file(scratch / "a.nii", bytes);
    expect_says(why(scratch / "a.nii"), {"1..2147483647"});
  }
}

TEST(Medical, a_header_of_nifti_has_its_samples_in_a_file_beside_it) {
  const Scratch scratch;
  const Image image = telling_image(Type::I16, {3, 4, 5, 3}, millimetres);
  write(image, scratch / "whole.nii");
  std::string header = bytes_of_file(scratch / "whole.nii").substr(0, 348);
  header.replace(344, 3, "ni1");
  put_number(header, 108, 0.0F, false);
  put_file(scratch / "a.hdr", header);
  expect_says(why(scratch / "a.hdr"), {"a.img", "No such file"});
  put_file(scratch / "a.img", bytes_of_image(image));
  for (const char* const file : {"a.hdr", "a.img"}) {
    EXPECT_TRUE(same_samples(read(scratch / file), image)) << file;
    EXPECT_EQ(open_file(scratch / file)->layout().spacing, millimetres);
  }
  const std::string like_gzip = "\x1f\x8b" + bytes_of_image(image).substr(2);
  put_file(scratch / "a.img", like_gzip);
  EXPECT_EQ(bytes_of_image(read(scratch / "a.hdr")), like_gzip);
  std::filesystem::remove(scratch / "a.img");
  put_file(scratch / "a.img.gz", deflated(bytes_of_image(image), true));
  EXPECT_TRUE(same_samples(read(scratch / "a.hdr"), image));
  put_file(scratch / "alone.img", bytes_of_image(image));
  expect_says(why(scratch / "alone.img"), {"without a header", "alone.hdr"});
  ReadOptions raw;
  raw.shape = image.shape();
  raw.dtype = Type::I16;
  EXPECT_TRUE(same_samples(read(scratch / "alone.img", raw), image));
}

TEST(Medical, one_of_several_volumes_of_nifti_is_chosen_by_its_time) {
  const Scratch scratch;
  const Image image = telling_image(Type::I16, {6, 4, 5, 3});
  write(image, scratch / "a.nii");
  std::string bytes = bytes_of_file(scratch / "a.nii");
  for (const auto& [at, size] : {std::pair(40, 4), std::pair(46, 2), std::pair(48, 3)}) {
    put_number(bytes, static_cast<std::size_t>(at), static_cast<std::int16_t>(size), false);
  }
  put_file(scratch / "a.nii", bytes);
  put_file(scratch / "a.nii.gz", deflated(bytes, true));
  for (const char* const file : {"a.nii", "a.nii.gz"}) {
    expect_says(why(scratch / file), {"3 times", "`time 0..2`"});
    ReadOptions options;
    for (const std::int64_t time : {2, 0, 1}) {
      options.time = time;
      const Image volume = read(scratch / file, options);
      ASSERT_EQ(volume.shape(), (Shape{2, 4, 5, 3}));
      EXPECT_EQ(bytes_of_image(volume), bytes_of_image(image).substr(static_cast<std::size_t>(80 * time), 80)) << file;
    }
    options.time = 3;
    expect_says(refusal([&] { static_cast<void>(open_file(scratch / file, options)); }), {"time 3", "wanted 0..2"});
  }
  put_file(scratch / "a.nii", bytes.substr(0, bytes.size() - 80));
  ReadOptions first;
  first.time = 0;
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.nii", first)); }),
              {"got 160 bytes", "wanted 240", "3 times"});
}

TEST(Medical, a_slope_of_0_is_none_whatever_the_intercept) {
  const Scratch scratch;
  const Image image = telling_image(Type::I16, {3, 4, 5, 3});
  write(image, scratch / "a.nii");
  std::string bytes = bytes_of_file(scratch / "a.nii");
  put_number(bytes, 112, 0.0F, false);
  put_number(bytes, 116, 7.0F, false);
  put_file(scratch / "a.nii", bytes);
  EXPECT_TRUE(same_samples(read(scratch / "a.nii"), image));
}

TEST(Medical, samples_of_nrrd_within_bzip2_come_in_any_order) {
  const Scratch scratch;
  const Image image = telling_image(Type::I16, {3, 4, 5, 3});
  const std::string samples = bytes_of_image(image);
  const std::string head = "NRRD0004\ntype: short\ndimension: 3\nsizes: 5 4 3\nendian: little\nencoding: bzip2\n";
  put_file(scratch / "a.nrrd", head + "\n" + bzipped(samples));
  put_file(scratch / "two.nrrd", head + "\n" + bzipped(samples.substr(0, 50)) + bzipped(samples.substr(50)));
  put_file(scratch / "a.nhdr", head + "data file: a.bz2\n");
  put_file(scratch / "a.bz2", bzipped(samples));
  for (const char* const file : {"a.nrrd", "two.nrrd", "a.nhdr"}) {
    EXPECT_TRUE(same_samples(read(scratch / file), image)) << file;
  }
  const auto source = open_file(scratch / "a.nrrd");
  std::vector<std::byte> slice(40);
  for (const std::int64_t z : {2, 0, 1}) {
    source->read(z, 1, slice.data());
    EXPECT_EQ(std::memcmp(slice.data(), image.row<std::byte>(z, 0), slice.size()), 0) << z;
  }
  put_file(scratch / "a.nrrd", head + "\n" + bzipped(samples.substr(1)));
  expect_says(why(scratch / "a.nrrd"), {"got 119 bytes after decompression", "wanted 120"});
  put_file(scratch / "a.nrrd", head + "\n" + deflated(samples, true));
  expect_says(why(scratch / "a.nrrd"), {"corrupt compressed samples", "no bzip2 stream"});
}

TEST(Medical, nrrd_headers_that_cannot_be_served_say_why) {
  const Scratch scratch;
  const std::string good =
      "NRRD0004\ntype: short\ndimension: 3\nsizes: 5 4 3\nendian: little\nencoding: raw\n\n" + std::string(120, 'a');
  const auto bad = [&](const std::string& from, const std::string& to) {
    put_file(scratch / "a.nrrd", with_replaced(good, from, to));
    return why(scratch / "a.nrrd");
  };
  expect_says(bad("type: short", "type: block"), {"type \"block\"", "float or double"});
  expect_says(bad("dimension: 3\nsizes: 5 4 3", "dimension: 4\nsizes: 5 4 3 2"), {"4 dimensions (5x4x3x2)", "2 or 3"});
  expect_says(bad("dimension: 3", "dimension: 3\nkinds: RGB-color domain domain"), {"kind RGB-color", "one number"});
  expect_says(bad("dimension: 3", "dimension: 3\nkinds: vector domain domain"), {"kind vector"});
  expect_says(bad("dimension: 3", "dimension: 2"), {"dimension 2", "3 sizes"});
  expect_says(bad("sizes: 5 4 3", "sizes: 5 4 x"), {"sizes: 5 4 x", "whole numbers"});
  expect_says(bad("sizes: 5 4 3", "sizes: 5 4 0"), {"5x4x0", "1..2147483647"});
  expect_says(bad("sizes: 5 4 3", "sizes: 3000000000 4 3"), {"3000000000x4x3", "2147483647"});
  expect_says(bad("sizes: 5 4 3", "sizes: 5 4 2000000000"), {"got 120 bytes", "wanted 80000000000"});
  expect_says(bad("sizes: 5 4 3", "sizes: 5 4 2"), {"got 120 bytes", "wanted 80"});
  expect_says(bad("encoding: raw", "encoding: ascii"), {"encoding \"ascii\"", "raw, gzip or bzip2"});
  expect_says(bad("endian: little", "endian: middle"), {"endian \"middle\""});
  expect_says(bad("encoding: raw", "encoding: raw\ndata file: LIST"), {"several files", "wanted one"});
  expect_says(bad("encoding: raw", "encoding: raw\nbyte skip: -2"), {"byte skip of -2"});
  expect_says(bad("encoding: raw", "encoding: raw\nline skip: 99"), {"fewer lines"});
}

TEST(Medical, meta_headers_that_cannot_be_served_say_why) {
  const Scratch scratch;
  const std::string good =
      "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementType = MET_SHORT\nElementDataFile = LOCAL\n" +
      std::string(120, 'a');
  const auto bad = [&](const std::string& from, const std::string& to) {
    put_file(scratch / "a.mha", with_replaced(good, from, to));
    return why(scratch / "a.mha");
  };
  expect_says(bad("MET_SHORT", "MET_LONG"), {"ElementType MET_LONG", "MET_UCHAR"});
  expect_says(bad("NDims = 3", "ElementNumberOfChannels = 3\nNDims = 3"), {"3 channels", "one number"});
  expect_says(bad("NDims = 3", "BinaryData = False\nNDims = 3"), {"text", "BinaryData = True"});
  expect_says(bad("NDims = 3", "ElementToIntensityFunctionSlope = 2\nNDims = 3"), {"Slope = 2", "wanted 1"});
  expect_says(bad("NDims = 3\nDimSize = 5 4 3", "NDims = 4\nDimSize = 5 4 3 2"), {"4 dimensions (5x4x3x2)"});
  expect_says(bad("DimSize = 5 4 3", "DimSize = 5 4 3000000000"), {"5x4x3000000000", "2147483647"});
  expect_says(bad("DimSize = 5 4 3", "DimSize = 5 4 4"), {"got 120 bytes", "wanted 160"});
  expect_says(bad("= LOCAL", "= LIST"), {"ElementDataFile = LIST", "LOCAL"});
  expect_says(bad("ElementDataFile = LOCAL\n", ""), {"MetaImage"});
  expect_says(bad("NDims = 3", "CompressedData = True\nCompressedDataSize = 7\nNDims = 3"),
              {"got 120 bytes", "wanted 7"});
  expect_says(bad("NDims = 3", "CompressedData = True\nNDims = 3"), {"corrupt compressed samples"});
}

TEST(Medical, nifti_headers_that_cannot_be_served_say_why) {
  const Scratch scratch;
  write(telling_image(Type::I16, {3, 4, 5, 3}), scratch / "a.nii");
  const std::string good = bytes_of_file(scratch / "a.nii");
  const auto bad = [&](std::size_t at, auto value) {
    std::string bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    put_file(scratch / "a.nii", bytes);
    return why(scratch / "a.nii");
  };
  expect_says(bad(0, std::int32_t{540}), {"truncated NIfTI header", "got 472 bytes", "wanted 540"});
  expect_says(bad(0, std::int32_t{7}), {"unknown first bytes", "wanted NIfTI"});
  expect_says(bad(344, 'x'), {"magic", "n+1"});
  expect_says(bad(40, std::int16_t{9}), {"9 dimensions", "1..7"});
  expect_says(bad(40, std::int16_t{1}), {"1 dimensions (5)", "2 or 3"});
  expect_says(bad(46, std::int16_t{-3}), {"5x4x-3"});
  expect_says(bad(46, std::int16_t{4}), {"got 120 bytes", "wanted 160"});
  expect_says(bad(70, std::int16_t{128}), {"datatype 128", "RGB"});
  expect_says(bad(72, std::int16_t{32}), {"32 bits", "wanted 16"});
  expect_says(bad(108, 0.5F), {"vox_offset 0.5", "352"});
  expect_says(bad(108, std::numeric_limits<float>::quiet_NaN()), {"vox_offset nan"});
  std::string vectors = good;
  const std::array<std::int16_t, 6> dim{5, 5, 2, 3, 2, 2};
  std::memcpy(vectors.data() + 40, dim.data(), sizeof dim);
  put_file(scratch / "a.nii", vectors);
  expect_says(why(scratch / "a.nii"), {"5 dimensions (5x2x3x2x2)", "2 or 3"});
}

TEST(Medical, formats_that_are_only_read_are_not_written) {
  const Scratch scratch;
  const Image image = telling_image(Type::U8, {2, 3, 4, 3});
  for (const auto& [file, wanted] : {std::pair("a.nhdr", ".nrrd"), std::pair("a.mhd", ".mha"),
                                     std::pair("a.dcm", "only read")}) {
    expect_says(refusal([&, file = file] { write(image, scratch / file); }), {file, wanted});
  }
  expect_says(refusal([&] {
                static_cast<void>(create(scratch / "a.nii", {Type::U8, {1, 1, 40000, 2}, 1, {}}));
              }),
              {"32767", "40000x1"});
  EXPECT_TRUE(scratch.names().empty());
}

}  // namespace
}  // namespace tamis::io
