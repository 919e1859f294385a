// Hidden files, links, several outputs at once, and a stop while something is written.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include "io/test/testing.hpp"
#include "io/test/written_formats.hpp"

namespace tamis::io {
namespace {

/// Those of the list and, of slices of bytes, the medical ones.
std::vector<WrittenFormat> every_format() {
  std::vector<WrittenFormat> formats = written_formats();
  for (const char* const file : {"a.mha", "a.nrrd", "a.nii"}) formats.push_back({file, {Type::U8}});
  std::erase_if(formats, [](const WrittenFormat& format) { return format.types == std::vector{Type::Bool}; });
  return formats;
}

Image slice(Type type = Type::U8) { return telling_image(type, {1, 30, 40, 2}); }
Image slice_for(const WrittenFormat& format) { return slice(type_for(format, {Type::U8, Type::F32})); }

TEST(OutputFile, a_link_stays_and_what_it_leads_to_is_made) {
  for (const WrittenFormat& format : every_format()) {
    const std::string& file = format.file;
    const Scratch scratch;
    std::filesystem::create_directory(scratch / "data");
    std::filesystem::create_symlink("data/second-" + file, scratch / ("first-" + file));
    std::filesystem::create_symlink("third-" + file, scratch / ("data/second-" + file));
    write(slice_for(format), scratch / ("first-" + file), format.options);
    EXPECT_TRUE(std::filesystem::is_symlink(scratch / ("first-" + file)));
    EXPECT_TRUE(std::filesystem::is_symlink(scratch / ("data/second-" + file)));
    EXPECT_EQ(std::filesystem::is_directory(scratch / ("data/third-" + file)), format.is_folder);
    EXPECT_EQ(scratch.names().size(), 2U) << file;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch / "data"), {}), 2) << file;
  }
}

TEST(OutputFile, links_in_a_circle_are_named) {
  const Scratch scratch;
  std::filesystem::create_symlink("b.raw", scratch / "a.raw");
  std::filesystem::create_symlink("a.raw", scratch / "b.raw");
  expect_says(obstacle([&] { write(slice(), scratch / "a.raw"); }), {"cannot write", "a.raw", "symbolic links"});
}

TEST(OutputFile, a_name_of_255_bytes_is_written_and_one_of_256_is_named) {
  for (const WrittenFormat& format : every_format()) {
    const std::string& file = format.file;
    const Scratch scratch;
    // Letters of three bytes, so that a cut falls into one.
    std::string name;
    while (name.size() + 3 + file.size() <= 255) name += "\u65e5";
    name += std::string(255 - name.size() - file.size(), 'n') + file;
    ASSERT_EQ(name.size(), 255U);
    write(slice_for(format), scratch / name, format.options);
    EXPECT_EQ(scratch.names(), std::vector<std::string>{name});
    const auto again = create(scratch / name, {slice_for(format).type(), slice().shape(), 1, {}}, format.options);
    EXPECT_EQ(scratch.names().size(), 2U) << file;
    EXPECT_EQ(obstacle([&] { write(slice_for(format), scratch / ("n" + name), format.options); }),
              "cannot write " + scratch / ("n" + name) + ": File name too long");
  }
}

TEST(OutputFile, what_a_killed_run_has_left_goes_with_the_next_one) {
  const Scratch scratch;
  for (const char* const name : {".a.tif.tamis-0.part", ".a.tif.tamis-1.part", ".a.tif.tamis-4.part"}) {
    put_file(scratch / name, "half");
  }
  put_file(scratch / ".b.tif.tamis-0.part", "of another output");
  std::filesystem::create_directory(scratch / ".a.tif.tamis-2.part");
  write(slice(), scratch / "a.tif");
  std::vector<std::string> names = scratch.names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{".a.tif.tamis-2.part", ".b.tif.tamis-0.part", "a.tif"}));
}

TEST(OutputFile, the_hidden_file_of_a_living_writer_stays) {
  for (const WrittenFormat& format : every_format()) {
    const std::string& file = format.file;
    const Scratch scratch;
    const Image image = slice_for(format);
    const Layout layout{image.type(), image.shape(), 1, {}};
    const auto first = create(scratch / file, layout);
    const auto second = create(scratch / file, layout);
    EXPECT_EQ(scratch.names().size(), 2U);
    for (const auto& sink : {&first, &second}) {
      (*sink)->write(image.data(), 1);
      (*sink)->finish();
    }
    EXPECT_EQ(scratch.names(), std::vector<std::string>{file});
  }
}

TEST(OutputFile, writers_of_one_output_do_not_disturb_each_other) {
  const Scratch scratch;
  std::vector<std::thread> writers;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round) {
        try {
          write_text(scratch / "a.csv", std::string(1000, static_cast<char>('a' + i)));
        } catch (const Error&) {
          ++failures;
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.csv"});
  EXPECT_EQ(bytes_of_file(scratch / "a.csv").size(), 1000U);
}

TEST(OutputFile, a_stop_is_heard_by_every_format) {
  for (const WrittenFormat& format : every_format()) {
    const std::string& file = format.file;
    const Scratch scratch;
    std::stop_source stop;
    OutputFiles outputs(stop.get_token());
    const Image image = slice_for(format);
    const auto sink = outputs.create(scratch / file, {image.type(), image.shape(), 1, {}});
    stop.request_stop();
    EXPECT_THROW(
        {
          sink->write(image.data(), 1);
          sink->finish();
        },
        Cancelled)
        << file;
  }
}

TEST(OutputFile, a_pipe_that_nobody_reads_does_not_keep_a_stop_from_being_heard) {
  const Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "a.csv").c_str(), 0600), 0);
  std::stop_source stop;
  OutputFiles outputs(stop.get_token());
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  EXPECT_THROW(outputs.write_text(scratch / "a.csv", "text"), Cancelled);
  later.join();
  // One that has a reader which does not read.
  const int reader = ::open((scratch / "a.csv").c_str(), O_RDONLY | O_NONBLOCK);
  std::stop_source again;
  OutputFiles more(again.get_token());
  std::thread once_more([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    again.request_stop();
  });
  EXPECT_THROW(more.write_text(scratch / "a.csv", std::string(1 << 20, 'x')), Cancelled);
  once_more.join();
  ::close(reader);
}

TEST(OutputFiles, appear_together) {
  const Scratch scratch;
  put_file(scratch / "a.csv", "old");
  OutputFiles outputs;
  outputs.write_text(scratch / "a.csv", "new");
  const auto sink = outputs.create(scratch / "b.tif", {Type::U8, slice().shape(), 1, {}});
  sink->write(slice().data(), 1);
  sink->finish();
  EXPECT_EQ(bytes_of_file(scratch / "a.csv"), "old");
  EXPECT_FALSE(std::filesystem::exists(scratch / "b.tif"));
  outputs.commit();
  EXPECT_EQ(bytes_of_file(scratch / "a.csv"), "new");
  EXPECT_TRUE(std::filesystem::exists(scratch / "b.tif"));
  EXPECT_EQ(scratch.names().size(), 2U);
}

TEST(OutputFiles, that_are_discarded_do_not_appear_with_the_others) {
  const Scratch scratch;
  put_file(scratch / "a.csv", "old");
  OutputFiles outputs;
  for (const char* const name : {"a.csv", "b.csv"}) outputs.write_text(scratch / name, "new");
  const auto sink = outputs.create(scratch / "c.h5:/sizes", {Type::U8, slice().shape(), 1, {}});
  sink->write(slice().data(), 1);
  sink->finish();
  for (const char* const name : {"a.csv", "c.h5:/sizes", "never_written.csv"}) outputs.discard(scratch / name);
  outputs.commit();
  EXPECT_EQ(bytes_of_file(scratch / "a.csv"), "old");
  std::vector<std::string> names = scratch.names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a.csv", "b.csv"}));
}

TEST(OutputFiles, that_cannot_all_take_their_names_leave_everything_as_it_was) {
  const Scratch scratch;
  put_file(scratch / "a.csv", "old");
  ::chmod((scratch / "a.csv").c_str(), 0640);
  struct stat before {};
  ASSERT_EQ(::stat((scratch / "a.csv").c_str(), &before), 0);
  {
    OutputFiles outputs;
    for (const char* const name : {"a.csv", "b.csv", "c.csv", "d.csv"}) outputs.write_text(scratch / name, "new");
    std::filesystem::create_directory(scratch / "c.csv");  // in the meantime
    expect_says(obstacle([&] { outputs.commit(); }), {"could not write " + scratch / "c.csv", "directory"});
  }
  struct stat after {};
  ASSERT_EQ(::stat((scratch / "a.csv").c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_EQ(bytes_of_file(scratch / "a.csv"), "old");
  std::vector<std::string> names = scratch.names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a.csv", "c.csv"}));
}

TEST(OutputFiles, that_are_given_up_are_gone_at_once_and_no_other_is_made) {
  const Scratch scratch;
  put_file(scratch / "a.csv", "old");
  OutputFiles outputs;
  outputs.write_text(scratch / "a.csv", "new");
  const auto sink = outputs.create(scratch / "b.tif", {Type::U8, slice().shape(), 1, {}});
  outputs.abandon();
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.csv"});
  EXPECT_THROW(outputs.write_text(scratch / "c.csv", "new"), Cancelled);
  EXPECT_THROW(outputs.commit(), Cancelled);
  EXPECT_EQ(bytes_of_file(scratch / "a.csv"), "old");
}

TEST(OutputFiles, a_name_that_lies_is_refused_however_long_it_is) {
  const Scratch scratch;
  OutputFiles outputs;
  const std::string name = scratch / (std::string(180, 'n') + "_9x9x9_u8.raw");
  expect_says(refusal([&] {
                static_cast<void>(outputs.create(name, {Type::U8, slice().shape(), 1, {}}));
              }),
              {"the name says 9x9x9", "got 40x30"});
  const std::string early = scratch / ("9x9x9_u16_" + std::string(180, 'n') + ".raw");
  expect_says(refusal([&] {
                static_cast<void>(outputs.create(early, {Type::U8, slice().shape(), 1, {}}));
              }),
              {"the name says 9x9x9"});
}

TEST(Source, tells_every_file_that_it_reads) {
  const Scratch scratch;
  const Image image = slice();
  std::filesystem::create_directory(scratch / "slices");
  write(image, scratch / "slices/1.png");
  write(image, scratch / "slices/2.png");
  std::vector<std::string> files = open_file(scratch / "slices")->files();
  for (const char* const name : {"slices/1.png", "slices/2.png"}) {
    EXPECT_NE(std::find(files.begin(), files.end(), scratch / name), files.end()) << name;
  }
  write(image, scratch / "a.h5:/there");
  EXPECT_EQ(open_file(scratch / "a.h5:/there")->files(), std::vector<std::string>{scratch / "a.h5"});
}

}  // namespace
}  // namespace tamis::io
