// Files that several runs write, each going on where the one before has ended.
#include "io/output/output.hpp"

#include <functional>

#include "io/test/testing.hpp"

namespace tamis::io {
namespace {

const char* const job = R"({"command":"open"})";

Image volume(Type type = Type::U16) { return telling_image(type, {9, 5, 7, 3}); }
Layout layout_of(const Image& image) { return {image.type(), image.shape(), 1, image.spacing}; }

std::vector<std::byte> slices_of(const Image& image) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(image.shape().count() * sample_bytes(image.type())));
  source_of(image)->read(0, image.shape().z, bytes.data());
  return bytes;
}

/// A run that goes on where the one before has come, and ends early after some slices more. Its last slice comes after
/// the last checkpoint. Returns how many slices it had at its beginning.
std::int64_t end_early(const std::string& path, const Image& image, std::int64_t slices, bool resumes = true) {
  OutputFiles files;
  if (resumes) files.resume();
  const OutputFiles::Resumable made = files.create_resumable(path, layout_of(image), job);
  const std::vector<std::byte> bytes = slices_of(image);
  const auto slice = static_cast<std::int64_t>(bytes.size()) / image.shape().z;
  for (std::int64_t z = made.slices; z < made.slices + slices; ++z) {
    made.sink->write(bytes.data() + z * slice, 1);
    if (z + 1 < made.slices + slices) made.sink->checkpoint();
  }
  return made.slices;
}

/// A run that comes to its end.
std::int64_t end_well(const std::string& path, const Image& image) {
  OutputFiles files;
  files.resume();
  const OutputFiles::Resumable made = files.create_resumable(path, layout_of(image), job);
  const std::vector<std::byte> bytes = slices_of(image);
  const auto slice = static_cast<std::int64_t>(bytes.size()) / image.shape().z;
  made.sink->write(bytes.data() + made.slices * slice, image.shape().z - made.slices);
  made.sink->finish();
  files.commit();
  return made.slices;
}

TEST(Ledger, three_runs_make_the_file_of_one) {
  for (const char* const file : {"a.raw", "a.tif", "a.npy"}) {
    for (const Type type : {Type::Bool, Type::U8, Type::U16, Type::F32}) {
      SCOPED_TRACE(std::string(file) + " of " + std::string(name(type)));
      const Scratch scratch;
      const Image image = volume(type);
      write(image, scratch / (std::string("whole-") + file));
      EXPECT_EQ(end_early(scratch / file, image, 4), 0);
      EXPECT_EQ(end_early(scratch / file, image, 3), 3);
      EXPECT_FALSE(std::filesystem::exists(scratch / file));
      EXPECT_EQ(end_well(scratch / file, image), 5);
      EXPECT_EQ(bytes_of_file(scratch / file), bytes_of_file(scratch / (std::string("whole-") + file)));
      EXPECT_EQ(scratch.names().size(), 2U) << "the ledger or the unfinished file is left";
    }
  }
}

TEST(Ledger, what_stood_under_the_name_stays_until_the_file_is_whole) {
  const Scratch scratch;
  put_file(scratch / "a.raw", "old");
  end_early(scratch / "a.raw", volume(), 4);
  EXPECT_EQ(bytes_of_file(scratch / "a.raw"), "old");
  end_well(scratch / "a.raw", volume());
  EXPECT_EQ(bytes_of_file(scratch / "a.raw").size(), slices_of(volume()).size());
}

TEST(Ledger, a_run_that_does_not_go_on_begins_anew_and_leaves_nothing) {
  const Scratch scratch;
  end_early(scratch / "a.raw", volume(), 4);
  EXPECT_EQ(scratch.names().size(), 2U);
  write(volume(), scratch / "a.raw");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.raw"});
  EXPECT_EQ(end_early(scratch / "a.raw", volume(), 4, false), 0);
  EXPECT_EQ(end_early(scratch / "a.raw", volume(), 2, false), 0) << "not asked to go on";
}

TEST(Ledger, a_run_that_goes_on_leaves_no_other_unfinished_file) {
  for (const char* const file : {"a.raw", "a.raw.gz"}) {
    const Scratch scratch;
    put_file(scratch / (std::string(".") + file + ".tamis-0.part"), "of a run that was killed before its ledger was there");
    EXPECT_EQ(end_well(scratch / file, volume()), 0);
    EXPECT_EQ(scratch.names(), std::vector<std::string>{file});
  }
}

TEST(Ledger, compressed_files_begin_anew) {
  for (const char* const file : {"a.raw.gz", "a.h5"}) {
    const Scratch scratch;
    EXPECT_EQ(end_early(scratch / file, volume(), 4), 0);
    EXPECT_TRUE(scratch.names().empty()) << file;
    EXPECT_EQ(end_well(scratch / file, volume()), 0);
  }
}

/// Why a run that was asked to go on begins anew; it comes to its end.
std::string why_anew(const std::string& path, const std::string& work = job) {
  OutputFiles files;
  files.resume();
  const OutputFiles::Resumable made = files.create_resumable(path, layout_of(volume()), work);
  EXPECT_EQ(made.slices, 0);
  const std::vector<std::byte> bytes = slices_of(volume());
  made.sink->write(bytes.data(), volume().shape().z);
  made.sink->finish();
  files.commit();
  EXPECT_EQ(bytes_of_file(path).size(), bytes.size());
  EXPECT_FALSE(std::filesystem::exists(ledger_name(path))) << "a ledger without its file stays";
  return made.note;
}

TEST(Ledger, of_other_work_or_another_version_is_begun_anew_in_words) {
  const Scratch scratch;
  end_early(scratch / "a.raw", volume(), 4);
  expect_says(why_anew(scratch / "a.raw", "close"), {"a.raw: begun anew, as the unfinished file was made with other options"});
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.raw"});
  end_early(scratch / "a.raw", volume(), 4);
  put_file(scratch / "a.raw.tamis-ledger", "tamis ledger 1\nslices 3\nbytes 210\npart 0\njob " + std::string(job) + "\n");
  expect_says(why_anew(scratch / "a.raw"), {"by another version of tamis"});
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.raw"});
}

TEST(Ledger, that_is_none_is_named) {
  const std::string head = "tamis ledger 2\npart 0\njob x\n";
  const std::string slab = "slices 1\nbytes 70\nchecksum 5\n";
  const std::vector<std::string> texts{"", "tamis", "tamis ledger 2\n", head, head + slab + "more 1\n", head + slab + slab,
                                       head + "slices -1\nbytes 70\nchecksum 5\n",
                                       head + "slices 1.5\nbytes 70\nchecksum 5\n",
                                       head + "slices 1\nbytes 70\nchecksum 4294967296\n",
                                       head + "slices 99999999999999999999\nbytes 70\nchecksum 5\n",
                                       std::string(std::size_t{1} << 23, 'a')};
  for (const std::string& text : texts) {
    const Scratch scratch;
    put_file(scratch / "a.raw.tamis-ledger", text);
    expect_says(refusal([&] { end_well(scratch / "a.raw", volume()); }), {"is no ledger of an unfinished file"});
    EXPECT_EQ(bytes_of_file(scratch / "a.raw.tamis-ledger"), text) << "a stranger's file was changed";
  }
}

TEST(Ledger, numbers_that_do_not_fit_are_named) {
  const Scratch scratch;
  const auto with = [&](std::int64_t slices, std::int64_t bytes) {
    put_file(scratch / "a.raw.tamis-ledger", to_text({job, 0, {{slices, bytes, 0}}}));
    put_file(scratch / ".a.raw.tamis-0.part", std::string(700, 'a'));
    return refusal([&] { end_well(scratch / "a.raw", volume()); });
  };
  expect_says(with(10, 700), {"got 10 slices, wanted 1 to 9"});
  expect_says(with(3, 209), {"got 209 bytes for 3 slices, wanted 210"});
}

TEST(Ledger, an_unfinished_file_that_is_not_to_be_trusted_is_begun_anew_in_words) {
  const Scratch scratch;
  const std::string path = scratch / "a.raw";
  const std::string part = scratch / ".a.raw.tamis-0.part";
  const auto spoilt = [&](const std::function<void()>& spoil) {
    std::filesystem::remove(path);
    end_early(path, volume(), 4);
    EXPECT_TRUE(std::filesystem::exists(part));
    spoil();
    return why_anew(path);
  };
  expect_says(spoilt([&] { std::filesystem::resize_file(part, 209); }), {"is shorter than its ledger says"});
  expect_says(spoilt([&] { put_file(part, std::string(280, 'a')); }), {"is damaged"});
  expect_says(spoilt([&] { std::filesystem::create_hard_link(part, scratch / "second"); }), {"has another name, too"});
  EXPECT_EQ(bytes_of_file(scratch / "second").size(), 280U) << "it was cut";
  expect_says(spoilt([&] {
                std::filesystem::remove(part);
                std::filesystem::create_symlink("/dev/null", part);
              }),
              {"cannot be opened"});
}

TEST(Ledger, slabs_before_a_damaged_one_are_gone_on_with) {
  const Scratch scratch;
  const std::string path = scratch / "a.raw";
  write(volume(), scratch / "whole.raw");
  end_early(path, volume(), 6);
  std::string part = bytes_of_file(scratch / ".a.raw.tamis-0.part");
  part[3 * 70] ^= 1;
  put_file(scratch / ".a.raw.tamis-0.part", part);
  EXPECT_EQ(end_well(path, volume()), 3);
  EXPECT_EQ(bytes_of_file(path), bytes_of_file(scratch / "whole.raw"));
}

TEST(Ledger, a_run_begins_anew_where_the_unfinished_file_is_gone) {
  const Scratch scratch;
  end_early(scratch / "a.raw", volume(), 4);
  std::filesystem::remove(scratch / ".a.raw.tamis-0.part");
  EXPECT_EQ(end_early(scratch / "a.raw", volume(), 1), 0);
  EXPECT_TRUE(scratch.names().empty()) << "a ledger without its file stays";
  EXPECT_EQ(end_well(scratch / "a.raw", volume()), 0);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.raw"});
}

TEST(Ledger, lies_where_a_link_leads_to) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "data");
  std::filesystem::create_symlink("data/b.raw", scratch / "a.raw");
  EXPECT_EQ(end_early(scratch / "a.raw", volume(), 4), 0);
  EXPECT_TRUE(std::filesystem::exists(scratch / "data/b.raw.tamis-ledger"));
  EXPECT_EQ(end_well(scratch / "a.raw", volume()), 3);
  EXPECT_EQ(bytes_of_file(scratch / "data/b.raw").size(), slices_of(volume()).size());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch / "data"), {}), 1);
}

TEST(Ledger, two_runs_do_not_go_on_with_one_file) {
  const Scratch scratch;
  end_early(scratch / "a.raw", volume(), 4);
  OutputFiles first;
  first.resume();
  const OutputFiles::Resumable made = first.create_resumable(scratch / "a.raw", layout_of(volume()), job);
  expect_says(obstacle([&] { end_well(scratch / "a.raw", volume()); }), {"a.raw", "is being written"});
}

TEST(Ledger, a_name_that_leaves_no_room_for_it_is_written_without) {
  const Scratch scratch;
  const std::string file = std::string(251, 'n') + ".raw";
  EXPECT_EQ(end_early(scratch / file, volume(), 4), 0);
  EXPECT_TRUE(scratch.names().empty());
  EXPECT_EQ(end_well(scratch / file, volume()), 0);
}

TEST(Ledger, is_what_was_written) {
  const Ledger ledger{"the job", 7, {{3, 210, 0}, {1234567890123, 12345678901234, 4294967295U}}};
  const std::optional<Ledger> read = ledger_from(to_text(ledger));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->job, ledger.job);
  EXPECT_EQ(read->part, ledger.part);
  ASSERT_EQ(read->slabs.size(), 2U);
  EXPECT_EQ(read->end().slices, ledger.end().slices);
  EXPECT_EQ(read->end().bytes, ledger.end().bytes);
  EXPECT_EQ(read->end().checksum, ledger.end().checksum);
}

}  // namespace
}  // namespace tamis::io
