// TIFF files of every shape with each byte of theirs changed: read or refused, never a crash, never a long wait, never
// an allocation that a small file cannot justify. Rows that do not end on a byte.
#include <functional>

#include "core/system/mapped_file.hpp"
#include "io/test/testing.hpp"
#include "io/test/tiff_testing.hpp"
#include "io/tiff/tiff.hpp"

namespace tamis::io {
namespace {

std::string noise(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(37 * i + i / 7);
  return bytes;
}

HandPage page_of(std::uint64_t bits, const std::vector<std::size_t>& segments) {
  HandPage page;
  page.size(7, 5, bits);
  for (const std::size_t bytes : segments) page.segments.push_back(noise(bytes));
  return page;
}

HandPage strips(std::uint64_t bits, const std::vector<std::size_t>& segments, std::uint64_t rows) {
  return page_of(bits, segments).set(TIFFTAG_ROWSPERSTRIP, TIFF_SHORT, {rows});
}

HandPage tiles(std::uint64_t bits, const std::vector<std::size_t>& segments, std::uint64_t width,
               std::uint64_t height) {
  return page_of(bits, segments)
      .set(TIFFTAG_TILEWIDTH, TIFF_SHORT, {width})
      .set(TIFFTAG_TILELENGTH, TIFF_SHORT, {height});
}

HandPage with_palette(HandPage page, std::uint64_t colours) {
  std::vector<std::uint64_t> map;
  for (std::uint64_t i = 0; i < 3 * colours; ++i) map.push_back(i * 1000 % 65536);
  return page.set(TIFFTAG_PHOTOMETRIC, TIFF_SHORT, {PHOTOMETRIC_PALETTE}).set(TIFFTAG_COLORMAP, TIFF_SHORT, map);
}

HandPage in_colour(HandPage page, std::uint64_t planar) {
  return page.set(TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, {8, 8, 8})
      .set(TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, {3})
      .set(TIFFTAG_PHOTOMETRIC, TIFF_SHORT, {PHOTOMETRIC_RGB})
      .set(TIFFTAG_PLANARCONFIG, TIFF_SHORT, {planar});
}

HandTiff hyperstack() {
  HandTiff tiff;
  for (int i = 0; i < 4; ++i) tiff.pages.push_back(page_of(8, {35}));
  tiff.pages[0].text(TIFFTAG_IMAGEDESCRIPTION,
                     "<OME><Pixels SizeX=\"7\" SizeY=\"5\" SizeZ=\"1\" SizeC=\"2\" SizeT='2' DimensionOrder=\"XYTZC\" "
                     "Type=\"uint8\"><TiffData IFD=\"1\" FirstT=\"1\"/><TiffData FirstC=\"1\" IFD=\"2\" "
                     "PlaneCount=\"2\"/><TiffData IFD=\"0\"/></Pixels></OME>");
  return tiff;
}

struct Sample {
  std::string name;
  HandTiff tiff;
};

std::vector<Sample> samples() {
  HandPage imagej = page_of(16, {70});
  imagej.text(TIFFTAG_IMAGEDESCRIPTION, "ImageJ=1.54f\nimages=4\nchannels=2\nslices=2\nunit=um\nspacing=2\n");
  imagej.set(TIFFTAG_XRESOLUTION, TIFF_RATIONAL, {1, 2});
  imagej.segments[0] = noise(280);
  HandPage fax = tiles(1, {15, 15}, 20, 5);
  fax.set(TIFFTAG_FILLORDER, TIFF_SHORT, {FILLORDER_LSB2MSB});
  HandPage white = strips(16, {42, 28}, 3);
  white.set(TIFFTAG_PHOTOMETRIC, TIFF_SHORT, {PHOTOMETRIC_MINISWHITE});
  HandPage small = page_of(8, {6});
  small.size(3, 2, 8).set(TIFFTAG_SUBFILETYPE, TIFF_LONG, {FILETYPE_REDUCEDIMAGE});
  HandPage coded = strips(16, {42, 28}, 3);
  coded.set(TIFFTAG_COMPRESSION, TIFF_SHORT, {COMPRESSION_LZW}).set(TIFFTAG_PREDICTOR, TIFF_SHORT, {2});
  const HandPage plain = strips(16, {42, 28}, 3);
  return {{"classic", {.pages = {plain, plain, small}}},
          {"motorola", {.motorola = true, .pages = {plain, white}}},
          {"big", {.big = true, .pages = {plain, plain}}},
          {"big motorola", {.big = true, .motorola = true, .pages = {white}}},
          {"tiles", {.pages = {in_colour(tiles(8, {48, 48, 48, 48}, 4, 4), PLANARCONFIG_CONTIG)}}},
          {"planes", {.pages = {in_colour(strips(8, {21, 14, 21, 14, 21, 14}, 3), PLANARCONFIG_SEPARATE)}}},
          {"palette", {.pages = {with_palette(strips(4, {12, 8}, 3), 16)}}},
          {"fax", {.pages = {fax}}},
          {"ImageJ", {.samples_last = true, .pages = {imagej}}},
          {"OME", hyperstack()},
          {"LZW", {.pages = {coded, plain}}}};
}

/// Opens and reads; false where it is refused.
bool survives(const std::string& path) {
  try {
    if (path.find("LZW") != std::string::npos) {  // decoding is libtiff's
      const MappedFile map(path);
      static_cast<void>(inspect_tiff(TiffFile(map), {}));
      return true;
    }
    ReadOptions options;
    options.time = 0;
    const auto source = open_file(path, options);
    const Layout& l = source->layout();
    EXPECT_LE(l.shape.count() * l.channels * sample_bytes(l.type), 20 << 20);
    static_cast<void>(delivered(*source));
    return true;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return false;
  }
}

TEST(TiffDamage, any_byte_of_any_kind_of_file_may_be_another) {
  Sampled some(17);
  const Scratch scratch;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const std::string path = scratch / (sample.name + ".tif");
    const std::string bytes = sample.tiff.bytes();
    put_file(path, bytes);
    ASSERT_TRUE(survives(path));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const int value : {0, 1, 0x7f, 0xff, bytes[i] + 1}) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(value);
        if (damaged == bytes || some.skips()) continue;
        put_file(path, damaged);
        survives(path);
        ASSERT_FALSE(HasFailure()) << "byte " << i << " is " << value;
      }
    }
  }
}

TEST(TiffDamage, any_kind_of_file_cut_anywhere_is_refused) {
  const Scratch scratch;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const std::string path = scratch / (sample.name + ".tif");
    const std::string bytes = sample.tiff.bytes();
    for (std::size_t length = 8; length < bytes.size(); ++length) {
      put_file(path, bytes.substr(0, length));
      ASSERT_FALSE(survives(path)) << "cut at " << length << " of " << bytes.size();
    }
  }
}

/// Rows of samples of 1, 2 or 4 bits, each padded to whole bytes.
std::string packed(const std::vector<std::vector<unsigned>>& rows, unsigned bits) {
  std::string bytes;
  for (const std::vector<unsigned>& row : rows) {
    std::string line((row.size() * bits + 7) / 8, '\0');
    for (std::size_t x = 0; x < row.size(); ++x) {
      const std::size_t bit = x * bits;
      line[bit / 8] = static_cast<char>(static_cast<unsigned char>(line[bit / 8]) | row[x] << (8 - bits - bit % 8));
    }
    bytes += line;
  }
  return bytes;
}

TEST(TiffDamage, tiles_of_small_samples_need_not_end_on_a_byte) {
  const Scratch scratch;
  constexpr std::size_t height = 5;
  const auto sample = [](std::size_t x, std::size_t y, unsigned bits) {
    return static_cast<unsigned>((x * 7 + y * 13 + x * y) % (1U << bits));
  };
  for (const unsigned bits : {1U, 2U, 4U}) {
    for (const std::size_t tile : {1U, 3U, 4U, 5U, 8U, 12U, 16U, 17U, 20U, 33U}) {
      for (std::size_t width = 1; width <= 40; ++width) {
        HandPage page;
        page.size(width, height, bits);
        page.set(TIFFTAG_TILEWIDTH, TIFF_SHORT, {tile}).set(TIFFTAG_TILELENGTH, TIFF_SHORT, {3});
        for (std::size_t y = 0; y < height; y += 3) {
          for (std::size_t x = 0; x < width; x += tile) {
            std::vector<std::vector<unsigned>> rows(3);
            for (std::size_t i = 0; i < 3 * tile; ++i) {
              const bool inside = x + i % tile < width && y + i / tile < height;
              rows[i / tile].push_back(inside ? sample(x + i % tile, y + i / tile, bits) : (1U << bits) - 1U);
            }
            page.segments.push_back(packed(rows, bits));
          }
        }
        std::vector<std::uint8_t> wanted;
        for (std::size_t i = 0; i < width * height; ++i) {
          const unsigned scale = bits == 1 ? 1 : 255U / ((1U << bits) - 1U);
          wanted.push_back(static_cast<std::uint8_t>(sample(i % width, i / width, bits) * scale));
        }
        put_file(scratch / "a.tif", HandTiff{.pages = {page}}.bytes());
        ASSERT_EQ(delivered(*open_file(scratch / "a.tif")), wanted)
            << bits << " bits, tiles of " << tile << ", " << width;
      }
    }
  }
}

}  // namespace
}  // namespace tamis::io
