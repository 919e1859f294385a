// Truncated and damaged files: refused, or read as they were where only metadata is lost; never a crash, never a
// shorter image, never an allocation a small file cannot justify.
#include <tiffio.h>

#include <array>
#include <cstdio>
#include <functional>
#include <random>

#include <jpeglib.h>  // wants <cstdio> before it

#include "io/test/testing.hpp"
#include "io/test/written_formats.hpp"

namespace tamis::io {
namespace {

const Shape volume{3, 5, 7, 3};
const Shape picture{1, 5, 7, 2};

/// A compressed TIFF as libtiff writes it, directories between the pages.
void write_coded_tiff(const std::string& path) {
  TIFF* const tiff = TIFFOpen(path.c_str(), "w");
  for (std::uint16_t page = 0; page < 3; ++page) {
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 7);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 5);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 2);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
    for (std::uint32_t y = 0; y < 5; ++y) {
      std::array<std::uint16_t, 7> row{};
      for (std::size_t x = 0; x < 7; ++x) row[x] = static_cast<std::uint16_t>(page * 1000 + y * 100 + x);
      TIFFWriteScanline(tiff, row.data(), y, 0);
    }
    TIFFWriteDirectory(tiff);
  }
  TIFFClose(tiff);
}

void write_jpeg(const std::string& path) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  FILE* const file = std::fopen(path.c_str(), "wb");
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = 40;
  jpeg.image_height = 30;
  jpeg.input_components = 1;
  jpeg.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<JSAMPLE> row(40);
  while (jpeg.next_scanline < 30) {
    for (std::size_t x = 0; x < 40; ++x) row[x] = static_cast<JSAMPLE>(x * jpeg.next_scanline);
    JSAMPROW rows = row.data();
    jpeg_write_scanlines(&jpeg, &rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::fclose(file);
}

struct Sample {
  std::string file;
  std::function<void(const std::string&)> make;
  bool exact_length = false;  ///< further bytes at its end are refused
};

std::vector<Sample> samples() {
  const auto image = [](Type type, const Shape& shape, const WriteOptions& options) {
    return [=](const std::string& path) { write(telling_image(type, shape, {2, 2, 2, "um"}), path, options); };
  };
  std::vector<Sample> all{
      {"coded.tif", write_coded_tiff},
      // One digit at the end: whether "9" was "99" once nobody can tell.
      {"text.pgm", [](const std::string& path) { put_file(path, "P2\n# by hand\n3 2\n99\n10 20 30 40 50 9\n"); }, true},
      {"text.pbm", [](const std::string& path) { put_file(path, "P1\n3 2\n010\n1 1 1\n"); }, true},
      {"a.jpg", write_jpeg}};
  for (const WrittenFormat& format : written_formats()) {
    if (format.is_folder) continue;
    const std::string name = format.says_shape ? format.file : "a_7x5x3_u16" + format.file.substr(1);
    const Type type = type_for(format, {Type::U16});
    all.push_back({name, image(type, format.volumes ? volume : picture, format.options), format.exact_length});
  }
  return all;
}

enum class Outcome : std::uint8_t { Same, Refused, Different };

Outcome outcome(const std::string& path, const Image& whole) {
  try {
    return same_samples(read(path), whole) ? Outcome::Same : Outcome::Different;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return Outcome::Refused;
  }
}

TEST(Damage, a_file_cut_at_any_length_is_refused_or_whole) {
  const Scratch scratch;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.file);
    const std::string path = scratch / sample.file;
    sample.make(path);
    const std::string bytes = bytes_of_file(path);
    const Image whole = read(path);
    // All of the last bytes, which may be without meaning.
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / by_scale<std::size_t>(25, 300, 1500));
    const std::size_t end = bytes.size() - std::min<std::size_t>(bytes.size(), 12);
    for (std::size_t length = 0; length < bytes.size();
         length = length < end ? std::min(length + step, end) : length + 1) {
      put_file(path, bytes.substr(0, length));
      const Outcome result = outcome(path, whole);
      ASSERT_NE(result, Outcome::Different) << "cut at " << length << " of " << bytes.size();
      // Only the last bytes may be without meaning: the newline of a text, padding.
      ASSERT_TRUE(result == Outcome::Refused || length + 8 >= bytes.size()) << "cut at " << length;
    }
  }
}

TEST(Damage, trailing_bytes_are_refused_where_the_length_is_known) {
  const Scratch scratch;
  for (const Sample& sample : samples()) {
    const std::string path = scratch / sample.file;
    sample.make(path);
    const std::string bytes = bytes_of_file(path);
    const Image whole = read(path);
    put_file(path, bytes + "12");
    const Outcome result = outcome(path, whole);
    EXPECT_EQ(result, sample.exact_length ? Outcome::Refused : Outcome::Same) << sample.file;
  }
}

// The HDF5 library itself has known faults on hostile metadata; what is ours there is covered by the cuts above.
TEST(Damage, flipped_bytes_never_crash_nor_allocate_without_reason) {
  const Scratch scratch;
  std::mt19937 random(7);
  for (const Sample& sample : samples()) {
    if (sample.file == "a.h5") continue;
    SCOPED_TRACE(sample.file);
    const std::string path = scratch / sample.file;
    sample.make(path);
    const std::string bytes = bytes_of_file(path);
    const Image whole = read(path);
    for (int round = 0; round < by_scale(20, 300, 1000); ++round) {
      std::string damaged = bytes;
      for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      put_file(path, damaged);
      try {
        const auto source = open_file(path);
        const Layout& l = source->layout();
        ASSERT_LE(l.shape.count() * l.channels * sample_bytes(l.type), 200 << 20) << "round " << round;
        static_cast<void>(delivered(*source));
      } catch (const InputError&) {
      }
    }
  }
}

TEST(Damage, a_header_that_asks_for_the_moon_is_refused_before_any_allocation) {
  const Scratch scratch;
  put_file(scratch / "a_1000000x1000000x1000000_f64.raw", "12345678");
  expect_says(refusal([&] { static_cast<void>(read(scratch / "a_1000000x1000000x1000000_f64.raw")); }),
              {"8 bytes", "8000000000000000000"});
  put_file(scratch / "a_9000000000x9000000000x9_f64.raw", "12345678");
  expect_says(refusal([&] { static_cast<void>(read(scratch / "a_9000000000x9000000000x9_f64.raw")); }),
              {"larger than any file"});
  put_file(scratch / "a.pgm", "P5\n1000000000 1000000000\n255\nabc");
  expect_says(refusal([&] { static_cast<void>(read(scratch / "a.pgm")); }),
              {"got 3 bytes", "wanted 1000000000000000000"});
  write(telling_image(Type::U8, {1, 4, 4, 3}), scratch / "a_4x4x1_u8.raw.gz");
  std::filesystem::rename(scratch / "a_4x4x1_u8.raw.gz", scratch / "a_4000x4000x1000_u8.raw.gz");
  expect_says(refusal([&] { static_cast<void>(read(scratch / "a_4000x4000x1000_u8.raw.gz")); }),
              {"16000000000", "the file has only"});
}

TEST(Damage, a_gzip_file_of_another_length_says_got_and_wanted) {
  const Scratch scratch;
  write(telling_image(Type::U8, {3, 5, 7, 3}), scratch / "a_7x5x3_u8.raw.gz");
  std::filesystem::rename(scratch / "a_7x5x3_u8.raw.gz", scratch / "a_7x5x4_u8.raw.gz");
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a_7x5x4_u8.raw.gz")); }),
              {"got 105 bytes", "wanted 140"});
  std::filesystem::rename(scratch / "a_7x5x4_u8.raw.gz", scratch / "a_7x5x2_u8.raw.gz");
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a_7x5x2_u8.raw.gz")); }),
              {"got 105 bytes", "wanted 70"});
}

TEST(Damage, a_tiff_that_lost_its_last_page_is_no_shorter_stack) {
  const Scratch scratch;
  write_coded_tiff(scratch / "a.tif");
  const std::string bytes = bytes_of_file(scratch / "a.tif");
  put_file(scratch / "a.tif", bytes.substr(0, bytes.size() * 2 / 3));
  expect_says(refusal([&] { static_cast<void>(open_file(scratch / "a.tif")); }),
              {"truncated TIFF", "page", "got a file of"});
}

}  // namespace
}  // namespace tamis::io
