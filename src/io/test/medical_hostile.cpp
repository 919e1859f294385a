// Headers of NRRD, MetaImage and NIfTI that lie, point elsewhere or never end.
#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "io/test/medical_testing.hpp"

namespace tamis::io {
namespace {

std::string why(const std::string& path) {
  return refusal([&] { static_cast<void>(open_file(path)); });
}

const std::string nrrd_head =
    "NRRD0004\ntype: short\ndimension: 3\nsizes: 5 4 3\nendian: little\nencoding: raw\nspacings: 1 2 3\n";
const std::string meta_head =
    "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementType = MET_SHORT\nElementSpacing = 1 2 3\n";

TEST(MedicalHostile, samples_counted_from_the_end_of_a_short_file_are_refused) {
  const Scratch scratch;
  put_file(scratch / "a.nhdr", nrrd_head + "byte skip: -1\ndata file: a.raw\n");
  put_file(scratch / "a.mhd", meta_head + "HeaderSize = -1\nElementDataFile = a.raw\n");
  for (const std::size_t length : {1, 60, 119}) {
    put_file(scratch / "a.raw", std::string(length, 'a'));
    const std::string got = "got " + std::to_string(length) + " bytes";
    expect_says(why(scratch / "a.nhdr"), {"a.raw", got, "wanted 120", "5x4x3 i16"});
    expect_says(why(scratch / "a.mhd"), {"a.raw", got, "wanted 120", "5x4x3 i16"});
  }
  // The header itself is no samples.
  put_file(scratch / "a.nrrd", nrrd_head + "byte skip: -1\n\n" + std::string(119, 'a'));
  expect_says(why(scratch / "a.nrrd"), {"got 119 bytes", "wanted 120"});
  put_file(scratch / "a.nhdr", nrrd_head + "line skip: 1\nbyte skip: -1\ndata file: a.raw\n");
  put_file(scratch / "a.raw", "a line\n" + std::string(119, 'a'));
  expect_says(why(scratch / "a.nhdr"), {"got 119 bytes", "wanted 120"});
}

TEST(MedicalHostile, skips_at_the_limits_of_words_are_refused) {
  const Scratch scratch;
  put_file(scratch / "a.raw", std::string(120, 'a'));
  for (const char* const skip : {"1", "64", "256", "65536", "2147483648", "4294967296", "9223372036854775807"}) {
    put_file(scratch / "a.nhdr", nrrd_head + "byte skip: " + skip + "\ndata file: a.raw\n");
    put_file(scratch / "a.mhd", meta_head + "HeaderSize = " + skip + "\nElementDataFile = a.raw\n");
    expect_says(why(scratch / "a.nhdr"), {"wanted 120"});
    expect_says(why(scratch / "a.mhd"), {"wanted 120"});
    put_file(scratch / "a.nhdr", nrrd_head + "line skip: " + skip + "\ndata file: a.raw\n");
    expect_says(why(scratch / "a.nhdr"), {"fewer lines"});
  }
  for (const char* const skip : {"9223372036854775808", "-9223372036854775809", "-2", "x"}) {
    put_file(scratch / "a.nhdr", nrrd_head + "byte skip: " + skip + "\ndata file: a.raw\n");
    put_file(scratch / "a.mhd", meta_head + "HeaderSize = " + skip + "\nElementDataFile = a.raw\n");
    expect_says(why(scratch / "a.nhdr"), {"wanted"});
    expect_says(why(scratch / "a.mhd"), {"wanted"});
  }
}

TEST(MedicalHostile, sizes_at_the_limits_of_words_are_refused) {
  const Scratch scratch;
  for (const char* const size : {"64", "256", "65536", "2147483647", "2147483648", "4294967296", "9223372036854775807",
                                 "9223372036854775808", "-1", "-2147483648"}) {
    const std::string sizes = std::string(size) + " " + size + " " + size;
    put_file(scratch / "a.nrrd", with_replaced(nrrd_head, "5 4 3", sizes) + "\n" + std::string(120, 'a'));
    put_file(scratch / "a.mha",
             with_replaced(meta_head, "5 4 3", sizes) + "ElementDataFile = LOCAL\n" + std::string(120, 'a'));
    expect_says(why(scratch / "a.nrrd"), {"a.nrrd"});
    expect_says(why(scratch / "a.mha"), {"a.mha"});
  }
  const std::string many(100000, '1');
  std::string spread;
  for (const char c : many) spread += std::string(1, c) + " ";
  put_file(scratch / "a.nrrd", with_replaced(nrrd_head, "5 4 3", spread) + "\n" + std::string(120, 'a'));
  const std::string message = why(scratch / "a.nrrd");
  expect_says(message, {"sizes", "16 numbers at most"});
  EXPECT_LT(message.size(), 1000);
}

TEST(MedicalHostile, a_field_that_is_there_twice_is_refused) {
  const Scratch scratch;
  for (const char* const again : {"sizes: 5 4 3", "Sizes: 5 4 2", "type: short", "encoding: raw"}) {
    put_file(scratch / "a.nrrd", nrrd_head + again + "\n\n" + std::string(120, 'a'));
    expect_says(why(scratch / "a.nrrd"), {"twice", "wanted it once"});
  }
  put_file(scratch / "a.nhdr", nrrd_head + "data file: a.raw\ndatafile: b.raw\n");
  expect_says(why(scratch / "a.nhdr"), {"\"data file\" twice"});
  for (const char* const again : {"DimSize = 5 4 3", "ElementType = MET_SHORT", "NDims = 3"}) {
    put_file(scratch / "a.mha", meta_head + again + "\nElementDataFile = LOCAL\n" + std::string(120, 'a'));
    expect_says(why(scratch / "a.mha"), {"twice", "wanted it once"});
  }
}

TEST(MedicalHostile, a_header_that_never_ends_is_not_searched_for_its_end) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer leaves no terabyte of addresses for a mapping";
#endif
  const Scratch scratch;
  std::string lines;
  for (int i = 0; i < 1 << 20; ++i) lines += "comment " + std::to_string(i) + ": = more\n";
  put_file(scratch / "a.nrrd", nrrd_head + lines);
  put_file(scratch / "a.mha", meta_head + lines);
  for (const char* const file : {"a.nrrd", "a.mha"}) {
    std::filesystem::resize_file(scratch / file, std::int64_t{1} << 40);  // with a hole
    expect_says(why(scratch / file), {"header", "16 MiB without an end"});
  }
  put_file(scratch / "a.nrrd", nrrd_head + "# " + std::string(17 << 20, 'a'));
  expect_says(why(scratch / "a.nrrd"), {"header"});
  put_file(scratch / "a.mha", meta_head + std::string(17 << 20, '\n'));
  expect_says(why(scratch / "a.mha"), {"16 MiB without an end"});
}

TEST(MedicalHostile, voxel_sizes_that_are_no_lengths_are_not_known) {
  const Scratch scratch;
  const auto spacing = [&](const char* file) { return open_file(scratch / file)->layout().spacing; };
  for (const char* const bad :
       {"0 2 3", "1 0 3", "1 2 0", "nan 2 3", "1 2 nan", "1 inf 3", "1 2", "-1 2 3", "1 -2 3"}) {
    SCOPED_TRACE(bad);
    put_file(scratch / "a.nrrd", with_replaced(nrrd_head, "1 2 3", bad) + "\n" + std::string(120, 'a'));
    put_file(scratch / "a.mha",
             with_replaced(meta_head, "1 2 3", bad) + "ElementDataFile = LOCAL\n" + std::string(120, 'a'));
    for (const char* const file : {"a.nrrd", "a.mha"}) {
      EXPECT_FALSE(spacing(file).known()) << file;
    }
  }
  for (const char* const bad : {"(0,0,0) (0,1,0) (0,0,1)", "(1,0,0) (0,nan,0) (0,0,1)", "none (0,1,0) (0,0,1)"}) {
    const std::string head =
        with_replaced(nrrd_head, "spacings: 1 2 3", std::string("space dimension: 3\nspace directions: ") + bad);
    put_file(scratch / "a.nrrd", head + "\n" + std::string(120, 'a'));
    EXPECT_FALSE(spacing("a.nrrd").known()) << bad;
  }
  put_file(scratch / "a.nrrd", nrrd_head + "\n" + std::string(120, 'a'));
  EXPECT_EQ(spacing("a.nrrd"), (Spacing{3, 2, 1, "mm"}));
  const std::string directions = "space dimension: 3\nspace directions: (0,0,1) (2,0,0) (0,3,4)";
  put_file(scratch / "a.nrrd", with_replaced(nrrd_head, "spacings: 1 2 3", directions) + "\n" + std::string(120, 'a'));
  EXPECT_EQ(spacing("a.nrrd"), (Spacing{5, 2, 1, "mm"}));
}

TEST(MedicalHostile, voxel_sizes_of_nifti_that_are_no_lengths_are_not_known) {
  const Scratch scratch;
  write(telling_image(Type::I16, {3, 4, 5, 3}, {3, 2, 1, "mm"}), scratch / "a.nii");
  const std::string good = bytes_of_file(scratch / "a.nii");
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {0.0F, -1.0F, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    for (const std::size_t axis : {1, 2, 3}) {
      std::string bytes = good;
      std::memcpy(bytes.data() + 76 + 4 * axis, &bad, sizeof bad);
      put_file(scratch / "a.nii", bytes);
      const auto source = open_file(scratch / "a.nii");
      EXPECT_FALSE(source->layout().spacing.known()) << bad << " along " << axis;
      EXPECT_EQ(source->layout().shape, (Shape{3, 4, 5, 3}));
    }
  }
  put_file(scratch / "a.nii", good);
  EXPECT_EQ(open_file(scratch / "a.nii")->layout().spacing, (Spacing{3, 2, 1, "mm"}));
}

TEST(MedicalHostile, samples_outside_the_folder_of_a_header_want_a_word_of_the_user) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "data/below");
  put_file(scratch / "secret", std::string(120, 'a'));
  put_file(scratch / "data/below/a.raw", std::string(120, 'a'));
  std::filesystem::create_symlink("../secret", scratch / "data/link");
  const auto put = [&](const std::string& name) {
    put_file(scratch / "data/a.nhdr", nrrd_head + "data file: " + name + "\n");
    put_file(scratch / "data/a.mhd", meta_head + "ElementDataFile = " + name + "\n");
  };
  for (const std::string& name : {std::string("../secret"), std::string("link"), scratch / "secret",
                                  std::string("below/../../secret"), std::string("/etc/hostname")}) {
    put(name);
    for (const char* const header : {"data/a.nhdr", "data/a.mhd"}) {
      expect_says(why(scratch / header), {header, "outside its folder", "`follow`"});
    }
  }
  ReadOptions follow;
  follow.follow = true;
  for (const char* const name : {"../secret", "link"}) {
    put(name);
    for (const char* const header : {"data/a.nhdr", "data/a.mhd"}) {
      EXPECT_EQ(open_file(scratch / header, follow)->layout().shape, (Shape{3, 4, 5, 3})) << header;
    }
  }
  put("below/a.raw");
  EXPECT_EQ(open_file(scratch / "data/a.nhdr")->layout().shape, (Shape{3, 4, 5, 3}));
}

/// Members of 16 MiB of zeros: many bytes in a small file.
std::string gzip_of_zeros(std::int64_t members) {
  const std::string member = deflated(std::string(16 << 20, '\0'), true);
  std::string all;
  for (std::int64_t i = 0; i < members; ++i) all += member;
  return all;
}

TEST(MedicalHostile, a_stop_is_heard_while_a_long_stream_is_opened_and_read) {
  const Scratch scratch;
  write(telling_image(Type::U8, {1, 4, 4, 3}), scratch / "a.nii");
  std::string head = bytes_of_file(scratch / "a.nii").substr(0, 352);
  const std::array<std::int16_t, 4> dim{3, 4096, 4096, 4096};
  std::memcpy(head.data() + 40, dim.data(), sizeof dim);
  put_file(scratch / "a.nii.gz", deflated(head, true) + gzip_of_zeros(4096));
  // The last member's length is not that of the whole, so that all is counted when it is opened.
  put_file(scratch / "a_4096x4096x4096_u8.raw.gz", gzip_of_zeros(4096));
  for (const char* const file : {"a.nii.gz", "a_4096x4096x4096_u8.raw.gz"}) {
    std::stop_source stop;
    ReadOptions options;
    options.cancel = stop.get_token();
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      stop.request_stop();
    });
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(static_cast<void>(open_file(scratch / file, options)), Cancelled) << file;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << file;
  }
}

}  // namespace
}  // namespace tamis::io
