// TIFF in its many forms, written by libtiff.
#include <tiffio.h>

#include <functional>

#include "io/test/testing.hpp"
#include "io/test/tiff_testing.hpp"

namespace tamis::io {
namespace {

/// Writes pages with libtiff; `tags` sets what is special, `rows` are as the file has them.
struct Maker {
  std::uint32_t width = 5;
  std::uint32_t height = 3;
  std::uint16_t bits = 8;
  std::uint16_t samples = 1;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  const char* mode = "w";
  std::function<void(TIFF*)> tags = [](TIFF*) {};

  void write(const std::string& path, const std::vector<std::vector<std::uint8_t>>& pages) const {
    TIFF* const tiff = TIFFOpen(path.c_str(), mode);
    for (const std::vector<std::uint8_t>& page : pages) {
      TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
      TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
      TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
      TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
      TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
      TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, height);
      TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
      tags(tiff);
      TIFFWriteEncodedStrip(tiff, 0, const_cast<std::uint8_t*>(page.data()), static_cast<tmsize_t>(page.size()));
      TIFFWriteDirectory(tiff);
    }
    TIFFClose(tiff);
  }
};

std::vector<std::uint8_t> ramp(std::size_t count, std::uint8_t start = 1) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(start + 7 * i);
  return bytes;
}

TEST(Tiff, one_page_is_an_image_and_two_are_a_volume) {
  const Scratch scratch;
  Maker().write(scratch / "a.tif", {ramp(15)});
  EXPECT_EQ(open_file(scratch / "a.tif")->layout().shape, (Shape{1, 3, 5, 2}));
  Maker().write(scratch / "a.tif", {ramp(15), ramp(15)});
  EXPECT_EQ(open_file(scratch / "a.tif")->layout().shape, (Shape{2, 3, 5, 3}));
  EXPECT_EQ(open_file(scratch / "a.tif")->description(), "TIFF, uncompressed, 2 pages");
}

TEST(Tiff, both_byte_orders_and_sizes_of_offset_read_the_same) {
  const Scratch scratch;
  Maker maker;
  maker.bits = 16;
  for (const char* const mode : {"wl", "wb", "wl8", "wb8"}) {
    maker.mode = mode;
    maker.write(scratch / "a.tif", {ramp(30)});
    EXPECT_EQ(delivered(*open_file(scratch / "a.tif")), ramp(30)) << mode;
  }
}

TEST(Tiff, white_is_bright_whatever_the_photometric_interpretation) {
  const Scratch scratch;
  Maker maker;
  maker.bits = 1;
  const std::vector<std::uint8_t> packed{0b10110000, 0b00001000, 0b11111000};
  maker.write(scratch / "a.tif", {packed});
  const std::vector<std::uint8_t> bits{1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(delivered(*open_file(scratch / "a.tif")), bits);
  EXPECT_EQ(open_file(scratch / "a.tif")->layout().type, Type::Bool);
  maker.photometric = PHOTOMETRIC_MINISWHITE;
  maker.write(scratch / "a.tif", {packed});
  std::vector<std::uint8_t> inverse = bits;
  for (std::uint8_t& bit : inverse) bit ^= 1;
  EXPECT_EQ(delivered(*open_file(scratch / "a.tif")), inverse);
  maker.bits = 8;
  maker.write(scratch / "a.tif", {ramp(15)});
  std::vector<std::uint8_t> bright = ramp(15);
  for (std::uint8_t& sample : bright) sample = static_cast<std::uint8_t>(255 - sample);
  EXPECT_EQ(delivered(*open_file(scratch / "a.tif")), bright);
}

TEST(Tiff, a_bilevel_file_fills_the_packed_image) {
  const Scratch scratch;
  Maker maker;
  maker.bits = 1;
  maker.write(scratch / "a.tif", {{0b10110000, 0b00001000, 0b11111000}});
  const Image image = read(scratch / "a.tif");
  EXPECT_EQ(image.type(), Type::Bool);
  EXPECT_TRUE(image.bit(0, 0, 0));
  EXPECT_FALSE(image.bit(0, 0, 1));
  EXPECT_TRUE(image.bit(0, 1, 4));
  EXPECT_EQ(image.row<std::uint64_t>(0, 2)[0], 0b11111U);
}

TEST(Tiff, a_grey_palette_is_grey_and_another_is_colour) {
  const Scratch scratch;
  std::vector<std::uint16_t> map(256);
  for (std::size_t i = 0; i < 256; ++i) map[i] = static_cast<std::uint16_t>((255 - i) * 257);
  std::vector<std::uint16_t> none(256, 0);
  Maker maker;
  maker.photometric = PHOTOMETRIC_PALETTE;
  maker.tags = [&](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data()); };
  maker.write(scratch / "a.tif", {{0, 1, 2, 3, 4, 250, 251, 252, 253, 254, 255, 0, 1, 2, 3}});
  EXPECT_EQ(delivered(*open_file(scratch / "a.tif")),
            (std::vector<std::uint8_t>{255, 254, 253, 252, 251, 5, 4, 3, 2, 1, 0, 255, 254, 253, 252}));
  maker.tags = [&](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), none.data(), none.data()); };
  maker.write(scratch / "a.tif", {std::vector<std::uint8_t>(15, 255)});
  EXPECT_EQ(open_file(scratch / "a.tif")->layout().channels, 3);
}

TEST(Tiff, colour_needs_a_channel) {
  const Scratch scratch;
  Maker maker;
  maker.samples = 3;
  maker.photometric = PHOTOMETRIC_RGB;
  maker.write(scratch / "a.tif", {ramp(45)});
  EXPECT_EQ(delivered(*open_file(scratch / "a.tif")), ramp(45));
  expect_says(refusal([&] { static_cast<void>(read(scratch / "a.tif")); }), {"3 channels", "`channel 0..2` or luma"});
}

TEST(Tiff, pages_that_differ_are_refused_by_number) {
  const Scratch scratch;
  Maker().write(scratch / "a.tif", {ramp(15), ramp(15)});
  Maker wider;
  wider.mode = "a";
  wider.width = 6;
  wider.write(scratch / "a.tif", {ramp(18)});
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.tif")); }),
              {"page 3", "got 6x3 u8", "wanted 5x3 u8"});
}

TEST(Tiff, thumbnails_are_not_slices) {
  const Scratch scratch;
  Maker().write(scratch / "a.tif", {ramp(15), ramp(15)});
  Maker small;
  small.mode = "a";
  small.width = 2;
  small.tags = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE); };
  small.write(scratch / "a.tif", {ramp(6)});
  EXPECT_EQ(open_file(scratch / "a.tif")->layout().shape.z, 2);
}

TEST(Tiff, imagej_says_spacing_and_how_many_slices_one_page_stands_for) {
  const Scratch scratch;
  HandPage page;
  page.size(5, 3, 8).text(TIFFTAG_IMAGEDESCRIPTION, "ImageJ=1.54f\nimages=3\nslices=3\nunit=\\u00B5m\nspacing=7.5\n");
  page.set(TIFFTAG_XRESOLUTION, TIFF_RATIONAL, {4, 10}).set(TIFFTAG_YRESOLUTION, TIFF_RATIONAL, {5, 10});
  const std::vector<std::uint8_t> samples = ramp(45);
  page.segments = {std::string(samples.begin(), samples.begin() + 15)};
  HandTiff tiff{.samples_last = true, .pages = {page}};
  // What follows the samples of the page stands for the other slices.
  put_file(scratch / "a.tif", tiff.bytes() + std::string(samples.begin() + 15, samples.end()));
  const auto source = open_file(scratch / "a.tif");
  EXPECT_EQ(source->layout().shape, (Shape{3, 3, 5, 3}));
  EXPECT_EQ(source->layout().spacing, (Spacing{7.5, 2, 2.5, "um"}));
  EXPECT_EQ(delivered(*source), samples);
  put_file(scratch / "a.tif", tiff.bytes() + std::string(samples.begin() + 15, samples.end() - 1));
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.tif")); }),
              {"truncated", "wanted 45", "3 images"});
}

TEST(Tiff, an_imagej_header_that_counts_the_directory_among_the_samples_is_refused) {
  const Scratch scratch;
  HandPage page;
  page.size(5, 3, 8).text(TIFFTAG_IMAGEDESCRIPTION, "ImageJ=1.54f\nimages=2\nslices=2\n");
  page.segments = {std::string(15, 'a')};
  put_file(scratch / "a.tif", HandTiff{.pages = {page}}.bytes());
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.tif")); }), {"1 image", "wanted 2", "ImageJ"});
}

TEST(Tiff, ome_says_spacing_and_dots_per_inch_say_nothing) {
  const Scratch scratch;
  Maker maker;
  maker.tags = [](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION,
                 "<OME><Pixels PhysicalSizeX=\"0.65\" PhysicalSizeY=\"0.7\" PhysicalSizeZ=\"3\"/></OME>");
  };
  maker.write(scratch / "a.tif", {ramp(15), ramp(15)});
  EXPECT_EQ(open_file(scratch / "a.tif")->layout().spacing, (Spacing{3, 0.7, 0.65, "um"}));
  maker.tags = [](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 300.0);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 300.0);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
  };
  maker.write(scratch / "a.tif", {ramp(15)});
  EXPECT_FALSE(open_file(scratch / "a.tif")->layout().spacing.known());
}

TEST(Tiff, memory_that_a_longer_read_outgrows_is_given_back_by_the_decoding_process) {
  if (small_scale()) GTEST_SKIP() << "4 GiB are much";
  constexpr std::int64_t edge = 128;
  constexpr std::int64_t pages = 1024;
  const Scratch scratch;
  HandTiff file;
  HandPage page = HandPage().size(edge, edge, 8).set(TIFFTAG_COMPRESSION, TIFF_SHORT, {COMPRESSION_PACKBITS});
  page.set(TIFFTAG_ROWSPERSTRIP, TIFF_LONG, {edge});
  page.segments = {std::string()};
  for (std::int64_t y = 0; y < edge; ++y) page.segments[0] += "\x81\x07";  // 128 times a 7
  file.pages.assign(pages, page);
  put_file(scratch / "a.tif", file.bytes());
  const auto source = open_file(scratch / "a.tif");
  std::vector<std::byte> samples(static_cast<std::size_t>(pages * edge * edge));
  std::int64_t bytes = 0;
  for (std::int64_t count = 1; count <= pages; count += 2) {
    ASSERT_NO_THROW(source->read(0, count, samples.data())) << "after " << (bytes >> 20) << " MiB";
    bytes += count * edge * edge;
  }
  EXPECT_GE(bytes, std::int64_t{4} << 30);  // more than the process may have at once
  EXPECT_EQ(std::count(samples.begin(), samples.end(), std::byte{7}), (pages - 1) * edge * edge);
}

TEST(Tiff, complex_numbers_are_refused) {
  const Scratch scratch;
  Maker maker;
  maker.bits = 64;
  maker.tags = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_COMPLEXIEEEFP); };
  maker.write(scratch / "a.tif", {ramp(30)});
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.tif")); }), {"page 1", "64 bits", "not complex"});
}

}  // namespace
}  // namespace tamis::io
