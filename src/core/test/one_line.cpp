#include <gtest/gtest.h>

#include <string>

#include <tamis/operations/one_line.hpp>

namespace tamis {
namespace {

TEST(OneLine, a_message_keeps_its_letters) {
  const std::string message = "f\u00f6am \u2026 \u03bcm \U0001f9b4.tif: got 'a', wanted \"b\"";
  EXPECT_EQ(one_line(message), message);
}

TEST(OneLine, a_message_is_one_line_that_cannot_steer_a_terminal) {
  EXPECT_EQ(one_line("a\nb\r\tc\x1b[2J\x7f"), "a?b??c?[2J?");
  EXPECT_EQ(one_line("\u0085\u009b\u2028\u2029"), "????");
}

TEST(OneLine, what_is_no_utf8_becomes_question_marks) {
  EXPECT_EQ(one_line("\xff\xfe"), "??");
  EXPECT_EQ(one_line("caf\xe9.tif"), "caf?.tif");
  EXPECT_EQ(one_line("\xc0\xaf"), "??") << "too many bytes for its letter";
  EXPECT_EQ(one_line("\xed\xa0\x80"), "???") << "half of a pair of UTF-16";
  EXPECT_EQ(one_line("\xf4\x90\x80\x80"), "????") << "beyond the last letter";
  EXPECT_EQ(one_line("\xef\xbf\xbf"), "?") << "no character of XML";
  EXPECT_EQ(one_line("a\xe2\x80"), "a??") << "cut short";
}

}  // namespace
}  // namespace tamis
