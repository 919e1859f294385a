// DICOM: one slice, series in folders, their order and distances.
#include "io/dicom/dicom.hpp"
#include "io/test/medical_testing.hpp"

namespace tamis::io {
namespace {

/// Without the place, which other tests look at.
Spacing edges(Spacing spacing) {
  spacing.placement.reset();
  return spacing;
}

std::string why(const std::string& path) {
  return refusal([&] { static_cast<void>(open_file(path)); });
}

/// Slices 0 .. count-1, 2 mm apart, whose samples are 100 z; the names run against the order.
std::vector<MadeSlice> slices(int count) {
  std::vector<MadeSlice> all(static_cast<std::size_t>(count));
  for (int z = 0; z < count; ++z) {
    MadeSlice& slice = all[static_cast<std::size_t>(z)];
    slice.samples.assign(12, static_cast<std::uint16_t>(100 * z));
    slice.position = "1\\2\\" + std::to_string(10 + 2 * z);
    slice.number = std::to_string(count - z);
  }
  return all;
}

void put(const Scratch& scratch, const std::vector<MadeSlice>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    put_file(scratch / ("IM" + std::to_string(all.size() - i)), all[i].bytes());
  }
}

TEST(Dicom, a_slice_has_its_samples_and_spacing) {
  const Scratch scratch;
  MadeSlice slice;
  slice.samples[5] = 60000;
  put_file(scratch / "a.dcm", slice.bytes());
  std::filesystem::copy_file(scratch / "a.dcm", scratch / "IM0001");
  for (const char* const file : {"a.dcm", "IM0001"}) {
    const Image image = read(scratch / file);
    EXPECT_EQ(image.shape(), (Shape{1, 3, 4, 2}));
    EXPECT_EQ(image.type(), Type::U16);
    EXPECT_EQ(image.row<std::uint16_t>(0, 1)[1], 60000);
    EXPECT_EQ(edges(image.spacing), (Spacing{1, 0.5, 0.25, "mm"}));
  }
}

TEST(Dicom, rescale_slope_and_intercept_are_honoured) {
  const Scratch scratch;
  MadeSlice slice;
  slice.slope = "0.5";
  slice.intercept = "-3";
  put_file(scratch / "a.dcm", slice.bytes());
  const Image image = read(scratch / "a.dcm");
  ASSERT_EQ(image.type(), Type::F32);
  EXPECT_EQ(image.row<float>(0, 2)[3], 0.5F);
}

TEST(Dicom, a_series_is_ordered_by_position_and_not_by_name_or_number) {
  const Scratch scratch;
  put(scratch, slices(4));
  put_file(scratch / "readme.txt", "not an image");
  const auto source = open_file(scratch.path());
  EXPECT_EQ(source->description(), "DICOM, series of 4 slices");
  const Image volume = read(scratch.path());
  EXPECT_EQ(volume.shape(), (Shape{4, 3, 4, 3}));
  EXPECT_EQ(edges(volume.spacing), (Spacing{2, 0.5, 0.25, "mm"}));
  for (std::int64_t z = 0; z < 4; ++z) EXPECT_EQ(volume.row<std::uint16_t>(z, 0)[0], 100 * z);
}

TEST(Dicom, without_positions_the_instance_numbers_count) {
  const Scratch scratch;
  std::vector<MadeSlice> all = slices(3);
  for (MadeSlice& slice : all) slice.position.clear();
  put(scratch, all);
  const Image volume = read(scratch.path());
  EXPECT_FALSE(volume.spacing.known());
  for (std::int64_t z = 0; z < 3; ++z) EXPECT_EQ(volume.row<std::uint16_t>(z, 0)[0], 200 - 100 * z);
  all[1].number = all[0].number;
  put(scratch, all);
  expect_says(why(scratch.path()), {"without an order", "ImagePositionPatient"});
}

TEST(Dicom, slices_with_scales_of_their_own_share_a_type) {
  const Scratch scratch;
  std::vector<MadeSlice> all = slices(2);
  all[1].slope = "0.25";
  all[1].intercept = "1";
  put(scratch, all);
  const Image volume = read(scratch.path());
  ASSERT_EQ(volume.type(), Type::F32);
  EXPECT_EQ(volume.row<float>(0, 0)[0], 0);
  EXPECT_EQ(volume.row<float>(1, 0)[0], 26);
}

TEST(Dicom, whole_slopes_give_i16_where_it_holds_what_the_files_may_hold) {
  const auto type_of = [](auto&& change) {
    const Scratch scratch;
    std::vector<MadeSlice> all = slices(3);
    for (MadeSlice& slice : all) slice.slope = "1", slice.intercept = "-1024", slice.bits_stored = 12;
    change(all);
    put(scratch, all);
    const auto source = open_file(scratch.path());
    static_cast<void>(delivered(*source));
    return source->layout().type;
  };
  EXPECT_EQ(type_of([](auto&) {}), Type::I16);
  EXPECT_EQ(type_of([](auto& all) { all[1].slope = "8"; }), Type::I16);  // 8 * 4095 - 1024 = 31736
  EXPECT_EQ(type_of([](auto& all) { all[1].slope = "9"; }), Type::F32);  // 9 * 4095 - 1024 = 35831
  EXPECT_EQ(type_of([](auto& all) { all[2].slope = "1.5"; }), Type::F32);
  EXPECT_EQ(type_of([](auto& all) { all[0].bits_stored = 16; }), Type::F32);
  EXPECT_EQ(type_of([](auto& all) {
              for (MadeSlice& slice : all) slice.intercept = "0";
            }),
            Type::U16);
  EXPECT_EQ(type_of([](auto& all) {
              for (MadeSlice& slice : all) slice.intercept = "0";
              all[1].is_signed = true;
            }),
            Type::I16);
  EXPECT_EQ(type_of([](auto& all) { all[0].slope = "", all[0].bits_stored = 15; }), Type::I16);
}

TEST(Dicom, bits_beyond_those_stored_are_left_out_and_signs_are_kept) {
  const Scratch scratch;
  MadeSlice slice;
  slice.bits_stored = 12;
  slice.samples[0] = 0xf123;
  slice.samples[1] = 0x0fff;
  put_file(scratch / "a.dcm", slice.bytes());
  const Image plain = read(scratch / "a.dcm");
  EXPECT_EQ(plain.row<std::uint16_t>(0, 0)[0], 0x123);
  EXPECT_EQ(plain.row<std::uint16_t>(0, 0)[1], 0xfff);
  slice.is_signed = true;
  put_file(scratch / "a.dcm", slice.bytes());
  const Image image = read(scratch / "a.dcm");
  ASSERT_EQ(image.type(), Type::I16);
  EXPECT_EQ(image.row<std::int16_t>(0, 0)[0], 0x123);
  EXPECT_EQ(image.row<std::int16_t>(0, 0)[1], -1);
}

TEST(Dicom, a_slope_that_is_no_number_is_refused_and_one_of_0_is_none) {
  const Scratch scratch;
  MadeSlice slice;
  slice.intercept = "-3";
  for (const char* const bad : {"x", "1\\2", "nan", "1e999"}) {
    slice.slope = bad;
    put_file(scratch / "a.dcm", slice.bytes());
    expect_says(why(scratch / "a.dcm"), {"rescale slope", "wanted a number"});
  }
  slice.slope = "0";
  put_file(scratch / "a.dcm", slice.bytes());
  EXPECT_EQ(read(scratch / "a.dcm").row<std::uint16_t>(0, 0)[0], 7);
}

TEST(Dicom, a_missing_slice_is_noticed) {
  const Scratch scratch;
  put(scratch, slices(5));
  std::filesystem::remove(scratch / "IM3");
  expect_says(why(scratch.path()), {"2 to 4 mm apart", "is a slice missing?", "`spacing`"});
  ReadOptions options;
  options.spacing = Spacing{2, 1, 1, "mm"};
  EXPECT_EQ(open_file(scratch.path(), options)->layout().shape.z, 4);
}

TEST(Dicom, what_is_no_single_volume_is_refused) {
  const auto of = [](auto&& change) {
    const Scratch scratch;
    std::vector<MadeSlice> all = slices(3);
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
  expect_says(why(scratch.path()), {"DICOM files and pictures", "thumbnail.png", "only '*.dcm'"});
  ReadOptions options;
  options.only = "*.png";
  EXPECT_EQ(open_file(scratch.path(), options)->layout().shape, (Shape{1, 3, 3, 3}));
  options.only = "IM*";
  EXPECT_EQ(open_file(scratch.path(), options)->layout().shape.z, 2);
}

/// Little or big endian, with or without the types of elements.
struct Writing {
  bool is_explicit = true;
  bool little = true;

  [[nodiscard]] std::string number(std::uint32_t value, int bytes) const {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * (little ? i : bytes - 1 - i)));
    return text;
  }
  [[nodiscard]] std::string head(std::uint32_t tag, const std::string& type, std::uint32_t length) const {
    const std::string place = number(tag >> 16, 2) + number(tag & 0xffff, 2);
    if (type.empty() || !is_explicit) return place + number(length, 4);
    const bool is_long = type == "OW" || type == "OB" || type == "SQ" || type == "UN";
    return place + type + (is_long ? std::string(2, '\0') + number(length, 4) : number(length, 2));
  }
  [[nodiscard]] std::string element(std::uint32_t tag, const std::string& type, const std::string& value) const {
    return head(tag, type, static_cast<std::uint32_t>(value.size())) + value;
  }
  [[nodiscard]] std::string item(const std::string& value) const { return element(0xfffee000, "", value); }
  /// A picture of 3 x 2 with `before` and `behind` its pixels.
  [[nodiscard]] std::string file(const std::string& before, const std::string& behind) const {
    const std::string syntax = !is_explicit ? "1.2.840.10008.1.2"
                               : little     ? "1.2.840.10008.1.2.1"
                                            : "1.2.840.10008.1.2.2";
    return std::string(128, '\0') + "DICM" + Writing().element(0x00020010, "UI", syntax + '\0') +
           element(0x00280010, "US", number(2, 2)) + element(0x00280011, "US", number(3, 2)) +
           element(0x00280100, "US", number(16, 2)) + before + element(0x7fe00010, "OW", std::string(12, 'x')) + behind;
  }
};

constexpr std::uint32_t sequence_tag = 0x00400275;
constexpr std::uint32_t private_tag = 0x00411001;
constexpr std::uint32_t not_told = 0xffffffff;

TEST(Dicom, every_length_lies_within_what_holds_it) {
  const Scratch scratch;
  for (const Writing& w : {Writing{}, Writing{false, true}, Writing{true, false}}) {
    SCOPED_TRACE(std::string(w.is_explicit ? "explicit" : "implicit") + (w.little ? "" : ", big endian"));
    const auto refused = [&](const std::string& before, const std::string& behind) {
      put_file(scratch / "a.dcm", w.file(before, behind));
      expect_says(refusal([&] { static_cast<void>(check_dicom(scratch / "a.dcm", {})); }),
                  {"a.dcm: ", "DICOM file: got"});
    };
    const std::string end = w.head(0xfffee0dd, "", 0);
    const std::string end_of_item = w.head(0xfffee00d, "", 0);
    const std::string fine = w.element(0x00080100, "SH", "ab");
    for (const std::uint32_t length : {4U, 0xb000'0000U, 0xffff'fffeU}) {
      const std::string bad = w.head(0x00091001, "OB", length) + "ab";
      refused("", bad);
      refused("", fine + bad);
      for (const bool told : {true, false}) {
        const auto held = [&](const std::string& inside) {
          const std::string item = told ? w.item(inside) : w.head(0xfffee000, "", not_told) + inside + end_of_item;
          return told ? w.element(sequence_tag, "SQ", item) : w.head(sequence_tag, "SQ", not_told) + item + end;
        };
        refused(held(fine + bad), "");
        refused(held(held(bad) + fine), "");
        refused("", held(fine + bad));
      }
      refused(w.element(sequence_tag, "SQ", w.head(0xfffee000, "", length) + "ab"), "");
      refused(w.element(sequence_tag, "UN",
                        Writing{false, true}.item(Writing{false, true}.head(0x00080100, "", length) + "ab")),
              "");
    }
    refused(w.element(sequence_tag, "SQ", w.item(fine) + "abcdefgh"), "");
    refused("", w.head(sequence_tag, "SQ", not_told) + w.item(fine));
    refused("", std::string(100, '\0') + "x");
    refused("", w.element(0x7fe00010, "OW", std::string(12, 'x')));
  }
}

TEST(Dicom, what_files_have_behind_and_beside_their_pixels_is_read) {
  const Scratch scratch;
  for (const Writing& w : {Writing{}, Writing{false, true}, Writing{true, false}}) {
    SCOPED_TRACE(std::string(w.is_explicit ? "explicit" : "implicit") + (w.little ? "" : ", big endian"));
    const std::string end = w.head(0xfffee0dd, "", 0);
    const std::string fine = w.element(0x00080100, "SH", "ab");
    // An icon, whose pieces are no elements.
    const std::string icon = w.head(0x7fe00010, "OB", not_told) + w.item("") + w.item("\xff\xd8 no element") + end;
    const std::string guess = w.element(private_tag, "UN", Writing{false, true}.item("SHwhatever"));
    for (const std::string& more :
         {std::string(), w.element(0xfffcfffc, "OB", std::string(10, '\0')), std::string(37, '\0'),
          std::string("\0", 1), fine + std::string(512, '\0'),
          w.element(sequence_tag, "SQ", w.item(fine) + w.item("") + end), w.element(sequence_tag, "SQ", w.item(icon)),
          w.element(sequence_tag, "SQ", ""), w.head(sequence_tag, "SQ", not_told) + w.item(icon + fine) + end,
          w.is_explicit ? guess : fine}) {
      for (const bool behind : {false, true}) {
        if (!behind && more.starts_with('\0')) continue;
        put_file(scratch / "a.dcm", w.file(behind ? "" : more, behind ? more : ""));
        EXPECT_EQ(check_dicom(scratch / "a.dcm", {}).sizes, (std::array<std::int64_t, 3>{3, 2, 1}));
      }
    }
  }
}

TEST(Dicom, files_that_contradict_themselves_say_how) {
  const Scratch scratch;
  const auto of = [&](auto&& change) {
    MadeSlice slice;
    change(slice);
    put_file(scratch / "a.dcm", slice.bytes());
    return why(scratch / "a.dcm");
  };
  expect_says(of([](auto& s) { s.rows = 4; }), {"got 24 bytes of pixel data", "wanted 32"});
  expect_says(of([](auto& s) { s.rows = 2; }), {"got 24 bytes of pixel data", "wanted 16"});
  expect_says(of([](auto& s) { s.rows = 0; }), {"4x0x1", "at least 1"});
  put_file(scratch / "a.dcm", std::string(200, 'x'));
  expect_says(why(scratch / "a.dcm"), {"unknown first bytes", "wanted DICOM"});
  const std::string whole = MadeSlice().bytes();
  put_file(scratch / "a.dcm", whole.substr(0, whole.size() - 36));
  expect_says(why(scratch / "a.dcm"), {"without pixel data"});
}

}  // namespace
}  // namespace tamis::io
