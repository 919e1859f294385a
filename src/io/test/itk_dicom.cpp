// DICOM: one slice, series in folders, their order and distances.
#include "io/test/itk_testing.hpp"

namespace tamis::io {
namespace {

std::string why(const std::string& path) {
  return refusal([&] { static_cast<void>(open_file(path)); });
}

/// Slices 0 .. count-1, 2 mm apart, whose samples are 100 z; the names run against the order.
std::vector<DicomSlice> slices(int count) {
  std::vector<DicomSlice> all(static_cast<std::size_t>(count));
  for (int z = 0; z < count; ++z) {
    DicomSlice& slice = all[static_cast<std::size_t>(z)];
    slice.samples.assign(12, static_cast<std::uint16_t>(100 * z));
    slice.position = "1\\2\\" + std::to_string(10 + 2 * z);
    slice.number = std::to_string(count - z);
  }
  return all;
}

void put(const Scratch& scratch, const std::vector<DicomSlice>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    put_file(scratch / ("IM" + std::to_string(all.size() - i)), all[i].bytes());
  }
}

TEST(Dicom, a_slice_has_its_samples_and_spacing) {
  NEEDS_ITK();
  const Scratch scratch;
  DicomSlice slice;
  slice.samples[5] = 60000;
  put_file(scratch / "a.dcm", slice.bytes());
  std::filesystem::copy_file(scratch / "a.dcm", scratch / "IM0001");
  for (const char* const file : {"a.dcm", "IM0001"}) {
    const Image image = read(scratch / file);
    EXPECT_EQ(image.shape(), (Shape{1, 3, 4, 2}));
    EXPECT_EQ(image.type(), Type::U16);
    EXPECT_EQ(image.row<std::uint16_t>(0, 1)[1], 60000);
    EXPECT_EQ(image.spacing, (Spacing{1, 0.5, 0.25, "mm"}));
  }
}

TEST(Dicom, rescale_slope_and_intercept_are_honoured) {
  NEEDS_ITK();
  const Scratch scratch;
  DicomSlice slice;
  slice.slope = "0.5";
  slice.intercept = "-3";
  put_file(scratch / "a.dcm", slice.bytes());
  const Image image = read(scratch / "a.dcm");
  ASSERT_EQ(image.type(), Type::F64);
  EXPECT_EQ(image.row<double>(0, 2)[3], 0.5);
}

TEST(Dicom, a_series_is_ordered_by_position_and_not_by_name_or_number) {
  NEEDS_ITK();
  const Scratch scratch;
  put(scratch, slices(4));
  put_file(scratch / "readme.txt", "not an image");
  const auto source = open_file(scratch.path());
  EXPECT_EQ(source->description(), "DICOM, series of 4 slices");
  const Image volume = read(scratch.path());
  EXPECT_EQ(volume.shape(), (Shape{4, 3, 4, 3}));
  EXPECT_EQ(volume.spacing, (Spacing{2, 0.5, 0.25, "mm"}));
  for (std::int64_t z = 0; z < 4; ++z) EXPECT_EQ(volume.row<std::uint16_t>(z, 0)[0], 100 * z);
}

TEST(Dicom, without_positions_the_instance_numbers_count) {
  NEEDS_ITK();
  const Scratch scratch;
  std::vector<DicomSlice> all = slices(3);
  for (DicomSlice& slice : all) slice.position.clear();
  put(scratch, all);
  const Image volume = read(scratch.path());
  EXPECT_FALSE(volume.spacing.known());
  for (std::int64_t z = 0; z < 3; ++z) EXPECT_EQ(volume.row<std::uint16_t>(z, 0)[0], 200 - 100 * z);
  all[1].number = all[0].number;
  put(scratch, all);
  expect_says(why(scratch.path()), {"without an order", "ImagePositionPatient"});
}

TEST(Dicom, slices_with_scales_of_their_own_share_a_type) {
  NEEDS_ITK();
  const Scratch scratch;
  std::vector<DicomSlice> all = slices(2);
  all[1].slope = "0.25";
  all[1].intercept = "1";
  put(scratch, all);
  const Image volume = read(scratch.path());
  ASSERT_EQ(volume.type(), Type::F64);
  EXPECT_EQ(volume.row<double>(0, 0)[0], 0);
  EXPECT_EQ(volume.row<double>(1, 0)[0], 26);
}

TEST(Dicom, a_missing_slice_is_noticed) {
  NEEDS_ITK();
  const Scratch scratch;
  put(scratch, slices(5));
  std::filesystem::remove(scratch / "IM3");
  expect_says(why(scratch.path()), {"2 to 4 mm apart", "is a slice missing?", "`spacing`"});
  ReadOptions options;
  options.spacing = Spacing{2, 1, 1, "mm"};
  EXPECT_EQ(open_file(scratch.path(), options)->layout().shape.z, 4);
}

TEST(Dicom, what_is_no_single_volume_is_refused) {
  NEEDS_ITK();
  const auto of = [](auto&& change) {
    const Scratch scratch;
    std::vector<DicomSlice> all = slices(3);
    change(all);
    put(scratch, all);
    return why(scratch.path());
  };
  expect_says(of([](auto& all) { all[2].series = "1.2.4"; }), {"2 DICOM series", "wanted one"});
  expect_says(of([](auto& all) { all[2].position = all[1].position; }), {"several slices at one position"});
  expect_says(of([](auto& all) { all[2].orientation = "0\\1\\0\\0\\0\\1"; }),
              {"IM2", "orientation", "as the first of the series"});
  expect_says(of([](auto& all) { all[2].rows = 2, all[2].samples.resize(8); }), {"got 4x3", "wanted 4x2"});
}

TEST(Dicom, a_folder_of_pictures_and_dicom_files_is_ambiguous) {
  const Scratch scratch;
  put(scratch, slices(2));
  write(telling_image(Type::U8, {1, 3, 3, 2}), scratch / "thumbnail.png");
  expect_says(why(scratch.path()), {"DICOM files and pictures", "thumbnail.png"});
}

TEST(Dicom, files_that_contradict_themselves_say_how) {
  const Scratch scratch;
  const auto of = [&](auto&& change) {
    DicomSlice slice;
    change(slice);
    put_file(scratch / "a.dcm", slice.bytes());
    return why(scratch / "a.dcm");
  };
  expect_says(of([](auto& s) { s.rows = 4; }), {"got 24 bytes of pixel data", "wanted 32"});
  expect_says(of([](auto& s) { s.rows = 2; }), {"got 24 bytes of pixel data", "wanted 16"});
  expect_says(of([](auto& s) { s.rows = 0; }), {"4x0x1", "at least 1"});
  put_file(scratch / "a.dcm", std::string(200, 'x'));
  expect_says(why(scratch / "a.dcm"), {"unknown first bytes", "wanted DICOM"});
  const std::string whole = DicomSlice().bytes();
  put_file(scratch / "a.dcm", whole.substr(0, whole.size() - 36));
  expect_says(why(scratch / "a.dcm"), {"without pixel data"});
}

}  // namespace
}  // namespace tamis::io
