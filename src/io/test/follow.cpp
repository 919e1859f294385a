// What the contents of a file may refer to.
#include "io/format.hpp"

#include <sys/stat.h>

#include "io/test/testing.hpp"

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

/// data/header beside data/near, data/below/deep, and secret outside.
struct Files {
  Files() {
    fs::create_directories(scratch / "data/below");
    for (const char* const file : {"data/header", "data/near", "data/below/deep", "secret"}) {
      put_file(scratch / file, "x");
    }
  }
  [[nodiscard]] std::string why(const std::string& to) const {
    return refusal([&] { require_followed(scratch / "data/header", scratch / to, false); });
  }
  void expect_followed(const std::string& to) const {
    EXPECT_NO_THROW(require_followed(scratch / "data/header", scratch / to, false)) << to;
  }
  Scratch scratch;
};

TEST(Follow, files_beside_and_below_are_followed) {
  const Files files;
  for (const char* const to : {"data/near", "data/below/deep", "data/below/../near", "data/../data/near", "data/none",
                               "data/none/none", "data/header"}) {
    files.expect_followed(to);
  }
}

TEST(Follow, files_elsewhere_want_a_word_of_the_user) {
  const Files files;
  for (const char* const to : {"secret", "data/../secret", "data/below/../../secret", "data/../none", "data2/near"}) {
    expect_says(files.why(to), {"data/header", to, "outside its folder", "`follow`"});
    EXPECT_NO_THROW(require_followed(files.scratch / "data/header", files.scratch / to, true));
  }
  expect_says(refusal([&] { require_followed(files.scratch / "data/header", "/etc/passwd", false); }),
              {"/etc/passwd", "`follow`"});
  expect_says(files.why("data"), {"outside its folder"});
}

TEST(Follow, symbolic_links_are_where_they_lead) {
  const Files files;
  fs::create_symlink("../secret", files.scratch / "data/link");
  fs::create_directory_symlink(files.scratch.path(), files.scratch / "data/up");
  fs::create_symlink("below/deep", files.scratch / "data/inner");
  fs::create_symlink("loop", files.scratch / "data/loop");
  expect_says(files.why("data/link"), {"data/link", "`follow`"});
  expect_says(files.why("data/up/secret"), {"data/up/secret", "`follow`"});
  expect_says(files.why("data/loop"), {"data/loop", "wanted"});
  files.expect_followed("data/inner");
}

TEST(Follow, a_folder_that_is_reached_through_a_link_is_the_same_folder) {
  const Files files;
  fs::create_directory_symlink("data", files.scratch / "alias");
  EXPECT_NO_THROW(require_followed(files.scratch / "alias/header", files.scratch / "data/near", false));
  EXPECT_NO_THROW(require_followed(files.scratch / "alias/header", files.scratch / "alias/near", false));
  expect_says(refusal([&] { require_followed(files.scratch / "alias/header", files.scratch / "secret", false); }),
              {"`follow`"});
}

TEST(Follow, names_without_a_folder_lie_in_the_current_one) {
  const Files files;
  const fs::path before = fs::current_path();
  fs::current_path(files.scratch / "data");
  EXPECT_NO_THROW(require_followed("header", "near", false));
  EXPECT_NO_THROW(require_followed("header", "./below/deep", false));
  EXPECT_NO_THROW(require_followed("below/../header", "near", false));
  EXPECT_THROW(require_followed("header", "../secret", false), InputError);
  EXPECT_THROW(require_followed("below/header", "near", false), InputError);
  fs::current_path(before);
}

TEST(Follow, what_is_no_regular_file_is_refused) {
  const Files files;
  ASSERT_EQ(::mkfifo((files.scratch / "data/fifo").c_str(), 0600), 0);
  expect_says(files.why("data/fifo"), {"data/fifo", "no regular file"});
  expect_says(files.why("data/below"), {"data/below", "no regular file"});
}

}  // namespace
}  // namespace tamis::io
