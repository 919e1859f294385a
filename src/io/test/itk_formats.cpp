// NRRD, MetaImage and NIfTI: what is written is read, every header that cannot be served says why.
#include <cmath>
#include <limits>

#include "io/test/itk_testing.hpp"

namespace tamis::io {
namespace {

const Spacing millimetres{2.5, 0.8, 0.7, "mm"};

std::string why(const std::string& path) {
  return refusal([&] { static_cast<void>(open_file(path)); });
}

TEST(Itk, every_type_and_rank_comes_back_with_its_spacing) {
  NEEDS_ITK();
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

TEST(Itk, bits_become_0_and_255) {
  NEEDS_ITK();
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

TEST(Itk, lengths_in_other_units_are_written_in_mm) {
  NEEDS_ITK();
  const Scratch scratch;
  for (const char* const file : {"a.nrrd", "a.mha", "a.nii"}) {
    write(telling_image(Type::U8, {3, 4, 5, 3}, {30, 20, 10, "um"}), scratch / file);
    EXPECT_EQ(open_file(scratch / file)->layout().spacing, (Spacing{0.03, 0.02, 0.01, "mm"})) << file;
  }
}

TEST(Itk, nan_and_infinity_are_left_as_they_are) {
  NEEDS_ITK();
  const Scratch scratch;
  Image image = telling_image(Type::F32, {2, 3, 4, 3});
  image.row<float>(0, 0)[1] = std::numeric_limits<float>::quiet_NaN();
  image.row<float>(1, 2)[3] = -std::numeric_limits<float>::infinity();
  for (const char* const file : {"a.nrrd", "a.mha", "a.nii"}) {
    write(image, scratch / file);
    EXPECT_TRUE(same_samples(read(scratch / file), image)) << file;
  }
}

TEST(Itk, uncompressed_samples_are_mapped_and_compressed_ones_come_in_any_order) {
  NEEDS_ITK();
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

TEST(Itk, detached_samples_are_found_beside_the_header) {
  NEEDS_ITK();
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

TEST(Itk, big_endian_samples_are_turned) {
  NEEDS_ITK();
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

TEST(Itk, slope_and_intercept_of_nifti_make_f32) {
  NEEDS_ITK();
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

TEST(Itk, a_slope_that_itk_takes_for_none_is_applied_and_wide_integers_become_f64) {
  NEEDS_ITK();
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

TEST(Itk, the_unit_of_nifti_and_nrrd_counts) {
  NEEDS_ITK();
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

TEST(Itk, nrrd_headers_that_cannot_be_served_say_why) {
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
  expect_says(bad("encoding: raw", "encoding: ascii"), {"encoding \"ascii\"", "raw or gzip"});
  expect_says(bad("endian: little", "endian: middle"), {"endian \"middle\""});
  expect_says(bad("encoding: raw", "encoding: raw\ndata file: LIST"), {"several files", "wanted one"});
  expect_says(bad("encoding: raw", "encoding: raw\nbyte skip: -2"), {"byte skip of -2"});
  expect_says(bad("encoding: raw", "encoding: raw\nline skip: 99"), {"fewer lines"});
}

TEST(Itk, meta_headers_that_cannot_be_served_say_why) {
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

TEST(Itk, nifti_headers_that_cannot_be_served_say_why) {
  const Scratch scratch;
  write(telling_image(Type::I16, {3, 4, 5, 3}), scratch / "a.nii");
  const std::string good = bytes_of_file(scratch / "a.nii");
  const auto bad = [&](std::size_t at, auto value) {
    std::string bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    put_file(scratch / "a.nii", bytes);
    return why(scratch / "a.nii");
  };
  expect_says(bad(0, std::int32_t{540}), {"NIfTI-2", "wanted NIfTI-1"});
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
  std::string series = good;
  const std::array<std::int16_t, 5> dim{4, 5, 2, 3, 2};
  std::memcpy(series.data() + 40, dim.data(), sizeof dim);
  put_file(scratch / "a.nii", series);
  expect_says(why(scratch / "a.nii"), {"4 dimensions (5x2x3x2)", "2 or 3"});
}

TEST(Itk, formats_that_are_only_read_are_not_written) {
  const Scratch scratch;
  const Image image = telling_image(Type::U8, {2, 3, 4, 3});
  for (const auto& [file, wanted] : {std::pair("a.nhdr", ".nrrd"), std::pair("a.mhd", ".mha"),
                                     std::pair("a.nii.gz", ".nii"), std::pair("a.dcm", "only read")}) {
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
