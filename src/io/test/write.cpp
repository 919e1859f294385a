// Outputs appear whole or not at all, and what stands in the way is named.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "io/test/testing.hpp"
#include "io/test/written_formats.hpp"

namespace tamis::io {
namespace {

const std::vector<std::string> volume_files{"a.raw", "a.raw.gz", "a.tif", "a.npy", "a.h5"};

TEST(Write, an_abandoned_file_leaves_nothing_behind) {
  const Scratch scratch;
  const Image image = telling_image(Type::U8, {4, 30, 30, 3});
  for (const std::string& file : volume_files) {
    { create(scratch / file, {Type::U8, image.shape(), 1, {}})->write(image.data(), 2); }
    EXPECT_TRUE(scratch.names().empty()) << file;
  }
}

TEST(Write, an_old_file_stays_until_the_new_one_is_whole) {
  const Scratch scratch;
  const Image image = telling_image(Type::U8, {4, 30, 30, 3});
  for (const std::string& file : volume_files) {
    put_file(scratch / file, "old");
    const auto sink = create(scratch / file, {Type::U8, image.shape(), 1, {}});
    sink->write(image.data(), 4);
    EXPECT_EQ(bytes_of_file(scratch / file), "old") << file;
    sink->finish();
    EXPECT_NE(bytes_of_file(scratch / file), "old") << file;
    std::filesystem::remove(scratch / file);
    EXPECT_TRUE(scratch.names().empty()) << file;
  }
}

TEST(Write, too_few_or_too_many_slices_make_no_file) {
  const Scratch scratch;
  const Image image = telling_image(Type::U8, {4, 3, 3, 3});
  for (const std::string& file : volume_files) {
    const auto few = create(scratch / file, {Type::U8, image.shape(), 1, {}});
    few->write(image.data(), 3);
    expect_says(refusal([&] { few->finish(); }), {"got 3 slices", "wanted 4"});
    const auto many = create(scratch / file, {Type::U8, {2, 3, 3, 3}, 1, {}});
    expect_says(refusal([&] { many->write(image.data(), 4); }), {"got 4 slices", "wanted 2"});
  }
  EXPECT_TRUE(scratch.names().empty());
}

TEST(Write, a_full_device_is_named) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Scratch scratch;
  const Image image = telling_image(Type::U8, {4, 30, 30, 3});
  for (const std::string file : {"a.raw", "a.raw.gz", "a.tif", "a.npy"}) {
    std::filesystem::create_symlink("/dev/full", scratch / file);
    expect_says(obstacle([&] { write(image, scratch / file); }),
                {"could not write " + scratch / file, "No space left"});
  }
  expect_says(obstacle([&] { write_text("/dev/full", "text"); }),
              {"could not write /dev/full: No space left on device"});
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

/// Lets files of this process grow to `bytes` only, as a full disk would; writing more fails with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*handler_)(int) = nullptr;
};

TEST(Write, a_disk_that_fills_up_leaves_no_file_and_is_named) {
  const Scratch scratch;
  const auto large = [](const WrittenFormat& format) {
    const Shape shape = format.volumes ? Shape{40, 100, 100, 3} : Shape{1, 1000, 1000, 2};
    return telling_image(type_for(format, {Type::F32, Type::U16}), shape);
  };
  for (const WrittenFormat& format : written_formats()) {
    const std::string& file = format.file;
    std::string message;
    {
      const FileSizeLimit limit(50'000);
      message = obstacle([&] { write(large(format), scratch / file, format.options); });
    }
    expect_says(message, {"could not write " + scratch / file, "File too large"});
    EXPECT_TRUE(scratch.names().empty()) << file;
  }
  const Image image = telling_image(Type::F32, {40, 100, 100, 3});
  write(image, scratch / "after.h5");  // the failure has left HDF5 usable
  EXPECT_TRUE(same_samples(read(scratch / "after.h5"), image));
}

TEST(Write, a_target_that_cannot_be_is_named) {
  const Scratch scratch;
  for (const WrittenFormat& format : written_formats()) {
    const std::string& file = format.file;
    const Image image = telling_image(type_for(format, {Type::U8}), {1, 3, 3, 2});
    const std::string missing = scratch / ("no/" + file);
    EXPECT_EQ(obstacle([&] { write(image, missing, format.options); }), "cannot write " + missing + ": No such file or directory");
    if (format.is_folder) continue;  // an empty one may be taken
    std::filesystem::create_directory(scratch / file);
    EXPECT_EQ(obstacle([&] { write(image, scratch / file, format.options); }),
              "cannot write " + scratch / file + ": Is a directory");
  }
  if (::geteuid() == 0) return;  // nothing is forbidden to root
  std::filesystem::create_directory(scratch / "locked");
  ::chmod((scratch / "locked").c_str(), 0500);
  EXPECT_EQ(obstacle([&] {
              write(telling_image(Type::U8, {1, 3, 3, 2}), scratch / "locked/a.tif");
            }),
            "cannot write " + scratch / "locked/a.tif" + ": Permission denied");
}

TEST(Write, a_format_that_cannot_hold_the_image_is_refused_before_anything_is_made) {
  const Scratch scratch;
  const auto wants = [&](const std::string& file, const Layout& layout) {
    return refusal([&] { static_cast<void>(create(scratch / file, layout)); });
  };
  expect_says(wants("a.png", {Type::F32, {1, 3, 3, 2}, 1, {}}), {"got f32", "wanted bool, u8 or u16"});
  expect_says(wants("a.pgm", {Type::I16, {1, 3, 3, 2}, 1, {}}), {"got i16", "wanted bool, u8 or u16"});
  expect_says(wants("a.pbm", {Type::U8, {1, 3, 3, 2}, 1, {}}), {"got u8", "wanted bool"});
  expect_says(wants("a.png", {Type::U8, {4, 3, 3, 3}, 1, {}}), {"one slice", "got 4"});
  expect_says(wants("a.npy", {Type::U8, {1, 3, 3, 2}, 3, {}}), {"3 channels"});
  expect_says(wants("a.jpg", {Type::U8, {1, 3, 3, 2}, 1, {}}), {"only read", ".tif"});
  expect_says(wants("a.xyz", {Type::U8, {1, 3, 3, 2}, 1, {}}), {"unknown format", ".tif", ".h5"});
  expect_says(wants("a.tif", {Type::U8, {1, 0, 3, 2}, 1, {}}), {"y 0, x 3", "1 or more"});
  EXPECT_TRUE(scratch.names().empty());
}

TEST(Write, text_replaces_text_and_keeps_links_and_modes) {
  const Scratch scratch;
  write_text(scratch / "a.csv", "one\n");
  ::chmod((scratch / "a.csv").c_str(), 0640);
  std::filesystem::create_symlink(scratch / "a.csv", scratch / "link.csv");
  write_text(scratch / "link.csv", "two\n");
  EXPECT_EQ(bytes_of_file(scratch / "a.csv"), "two\n");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link.csv"));
  EXPECT_EQ(std::filesystem::status(scratch / "a.csv").permissions(), static_cast<std::filesystem::perms>(0640));
}

TEST(Write, a_raw_name_that_contradicts_the_data_is_refused) {
  const Scratch scratch;
  const Image image = telling_image(Type::U16, {3, 4, 5, 3});
  expect_says(refusal([&] { write(image, scratch / "a_5x4x2_u16.raw"); }), {"5x4x2", "got 5x4x3 u16"});
  expect_says(refusal([&] { write(image, scratch / "a_5x4x3_u8.raw.gz"); }), {"says u8", "got 5x4x3 u16"});
  write(image, scratch / "a_5x4x3_u16.raw");
  write(image, scratch / "plain.raw");
}

TEST(Write, a_colour_picture_is_png) {
  const Scratch scratch;
  const std::vector<std::uint8_t> pixels{255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7};
  write_colour(pixels, {1, 2, 2, 2}, scratch / "a.png");
  const auto source = open_file(scratch / "a.png");
  EXPECT_EQ(source->layout().channels, 3);
  EXPECT_EQ(delivered(*source), pixels);
}

}  // namespace
}  // namespace tamis::io
