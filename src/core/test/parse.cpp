// From text to a value.
#include <gtest/gtest.h>
#include <tamis/operations/parse.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tamis {
namespace {

TEST(Suggestion, is_the_nearest_word_where_one_is_near) {
  const std::vector<std::string_view> words{"otsu", "li", "kapur", "minimum", "triangle", "isodata", "mean"};
  EXPECT_EQ(suggestion("ostu", words), "; did you mean otsu?");        // swapped
  EXPECT_EQ(suggestion("otsuu", words), "; did you mean otsu?");       // one too many
  EXPECT_EQ(suggestion("trangle", words), "; did you mean triangle?");  // one is missing
  EXPECT_EQ(suggestion("Minimum", words), "; did you mean minimum?");
  EXPECT_EQ(suggestion("ISODATUM", words), "; did you mean isodata?");
  EXPECT_EQ(suggestion("wavelet", words), "");
  EXPECT_EQ(suggestion("", words), "");
  EXPECT_EQ(suggestion("x", words), "");
  EXPECT_EQ(suggestion("otsu", {}), "");
  EXPECT_EQ(suggestion(std::string(64, 'o'), words), "");
  EXPECT_EQ(suggestion(std::string(1 << 20, 'o'), words), "");
}

TEST(Spacing, is_read_as_the_program_prints_it) {
  for (const char* const text : {"2.5um", "2.5 um", "2.5\u00b5m", "2.5 \u00b5m", "2.5 \u03bcm", "2.5x2.5x2.5um",
                                 "2.5 x 2.5 x 2.5 \u00b5m"}) {
    EXPECT_EQ(parse_spacing(text), (Spacing{2.5, 2.5, 2.5, "um"})) << text;
  }
  EXPECT_EQ(parse_spacing("1 x 2 x 3 mm"), (Spacing{3, 2, 1, "mm"}));
  EXPECT_EQ(parse_spacing("2.5"), (Spacing{2.5, 2.5, 2.5, ""}));
  EXPECT_EQ(parse_spacing("2 x 1"), (Spacing{0, 1, 2, ""}));
  for (const char* const text : {"", " ", "um", " um", "2.5 furlong", "2.5 u m", "1 x x 2 um", "2.5  um x"}) {
    EXPECT_THROW(static_cast<void>(parse_spacing(text)), InputError) << text;
  }
}

TEST(Spacing, of_two_sides_is_that_of_an_image) {
  EXPECT_EQ(spacing_of_rank(parse_spacing("2x1um"), 2), (Spacing{2, 1, 2, "um"}));
  EXPECT_EQ(spacing_of_rank(parse_spacing("2x1x3um"), 2), (Spacing{3, 1, 2, "um"}));
  EXPECT_EQ(spacing_of_rank(parse_spacing("2um"), 3), (Spacing{2, 2, 2, "um"}));
  EXPECT_THROW(static_cast<void>(spacing_of_rank(parse_spacing("2x1um"), 3)), InputError);
}

TEST(DecimalComma, is_told_of_numbers_alone) {
  EXPECT_EQ(decimal_point("2,5um"), "; with a decimal point: 2.5um");
  EXPECT_EQ(decimal_point("1,5x1,5x2um"), "; with a decimal point: 1.5x1.5x2um");
  EXPECT_EQ(decimal_point("-0,5:1"), "; with a decimal point: -0.5:1");
  for (const char* const text : {"", "2.5um", "1,2,3", "cuda:0,2", "otsu", ",5", "5,", "0:1,0:2"}) {
    EXPECT_EQ(decimal_point(text), "") << text;
  }
}

TEST(Spacing, of_a_ratio_has_lengths_in_its_own_unit) {
  EXPECT_EQ(length_unit(parse_spacing("2x1")), "units");
  EXPECT_EQ(length_unit(parse_spacing("1x1x1")), "voxels");
  EXPECT_EQ(length_unit(parse_spacing("1mm")), "mm");
  EXPECT_FALSE(scales(Spacing()));
  EXPECT_TRUE(scales(Spacing{2, 1, 1, ""}));
}

}  // namespace
}  // namespace tamis
