// Truncated and damaged medical files: refused, or read as they were; never a crash, never other samples.
#include <functional>
#include <random>

#include "io/test/medical_testing.hpp"

namespace tamis::io {
namespace {

struct Sample {
  std::string file;     // what is opened
  std::string damaged;  // what is cut: the file itself or its samples
};

/// Each kind of file that there is, in a folder.
std::vector<Sample> put_samples(const Scratch& scratch) {
  const Image image = telling_image(Type::I16, {3, 5, 7, 3}, {2.5, 0.8, 0.7, "mm"});
  for (const char* const file : {"a.nrrd", "a.mha", "a.nii"}) write(image, scratch / file);
  const std::string samples = bytes_of_image(image);
  put_file(scratch / "a.nii.gz", deflated(bytes_of_file(scratch / "a.nii"), true));
  const std::string nrrd = bytes_of_file(scratch / "a.nrrd");
  const std::string nrrd_head =
      with_replaced(nrrd.substr(0, nrrd.size() - samples.size()), "encoding: raw", "encoding: gzip");
  put_file(scratch / "z.nrrd", nrrd_head + deflated(samples, true));
  const std::string meta = bytes_of_file(scratch / "a.mha");
  const std::string meta_head =
      with_replaced(meta.substr(0, meta.size() - samples.size()), "CompressedData = False", "CompressedData = True");
  put_file(scratch / "z.mha", meta_head + deflated(samples, false));
  put_file(scratch / "far.raw", samples);
  put_file(scratch / "far.mhd", with_replaced(meta.substr(0, meta.size() - samples.size()), "LOCAL", "far.raw"));
  put_file(scratch / "far.zraw", deflated(samples, false));
  put_file(scratch / "zfar.mhd", with_replaced(meta_head, "LOCAL", "far.zraw"));
  put_file(scratch / "z2.nrrd", with_replaced(nrrd_head, "gzip", "bzip2") + bzipped(samples));
  std::vector<Sample> all{{"far.mhd", "far.raw"}, {"zfar.mhd", "far.zraw"}};
  for (const char* const file : {"a.nrrd", "z.nrrd", "a.mha", "z.mha", "a.nii", "a.nii.gz", "z2.nrrd"}) {
    all.push_back({file, file});
  }
  MadeSlice slice;
  slice.slope = "2";
  slice.intercept = "-100";
  put_file(scratch / "a.dcm", slice.bytes());
  all.push_back({"a.dcm", "a.dcm"});
  return all;
}

TEST(MedicalDamage, a_file_cut_at_any_length_is_refused) {
  const Scratch scratch;
  for (const Sample& sample : put_samples(scratch)) {
    SCOPED_TRACE(sample.file);
    static_cast<void>(read(scratch / sample.file));
    const std::string bytes = bytes_of_file(scratch / sample.damaged);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      put_file(scratch / sample.damaged, bytes.substr(0, length));
      SCOPED_TRACE(length);
      const std::string message = refusal([&] { static_cast<void>(read(scratch / sample.file)); });
      ASSERT_FALSE(message.empty());
      ASSERT_EQ(message.find('\n'), std::string::npos) << message;
    }
    put_file(scratch / sample.damaged, bytes);
  }
}

TEST(MedicalDamage, bytes_behind_the_samples_are_refused) {
  const Scratch scratch;
  for (const Sample& sample : put_samples(scratch)) {
    if (sample.file == "a.dcm") continue;  // other elements may follow
    const std::string bytes = bytes_of_file(scratch / sample.damaged);
    put_file(scratch / sample.damaged, bytes + "12");
    EXPECT_FALSE(refusal([&] { static_cast<void>(open_file(scratch / sample.file)); }).empty()) << sample.file;
    put_file(scratch / sample.damaged, bytes);
  }
}

TEST(MedicalDamage, a_checksum_that_is_wrong_is_refused) {
  const Scratch scratch;
  for (const Sample& sample : put_samples(scratch)) {
    if (sample.file != "a.nii.gz" && !sample.file.starts_with('z')) continue;
    if (sample.file != sample.damaged) continue;
    std::string bytes = bytes_of_file(scratch / sample.file);
    // gzip ends with the checksum and the length, zlib with the checksum, bzip2 with the checksum and up to 7 bits.
    bytes[bytes.size() - (sample.file == "z.mha" ? 1 : sample.file == "z2.nrrd" ? 3 : 5)] ^= 1;
    put_file(scratch / sample.file, bytes);
    expect_says(refusal([&] { static_cast<void>(open_file(scratch / sample.file)); }),
                {"corrupt", "incorrect data check"});
  }
}

TEST(MedicalDamage, flipped_bytes_never_crash_nor_allocate_without_reason) {
  const Scratch scratch;
  std::mt19937 random(7);
  for (const Sample& sample : put_samples(scratch)) {
    SCOPED_TRACE(sample.file);
    const std::string bytes = bytes_of_file(scratch / sample.file);
    for (int round = 0; round < 60; ++round) {
      std::string damaged = bytes;
      for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      put_file(scratch / sample.file, damaged);
      try {
        const auto source = open_file(scratch / sample.file);
        const Layout& l = source->layout();
        ASSERT_LE(l.shape.count() * l.channels * sample_bytes(l.type), 200 << 20) << "round " << round;
        static_cast<void>(delivered(*source));
      } catch (const InputError& error) {
        ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    }
    put_file(scratch / sample.file, bytes);
  }
}

}  // namespace
}  // namespace tamis::io
