// Every byte of every medical header, changed: refused in one line, or read within bounds.
#include <chrono>

#include "core/system/mapped_file.hpp"
#include "io/test/medical_testing.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t most_bytes = 200 << 20;
constexpr auto longest = std::chrono::seconds(20);

/// Opens and reads what may be there.
void try_file(const std::string& path) {
  const auto start = std::chrono::steady_clock::now();
  try {
    const auto source = open_file(path);
    const Layout& l = source->layout();
    ASSERT_LE(l.shape.count() * l.channels * sample_bytes(l.type), most_bytes);
    static_cast<void>(delivered(*source));
  } catch (const InputError& error) {
    ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
  ASSERT_LT(std::chrono::steady_clock::now() - start, longest);
}

void change_each_byte(const std::string& path, std::size_t first, std::size_t end, const std::string& values) {
  const std::string bytes = bytes_of_file(path);
  for (std::size_t at = first; at < end; ++at) {
    for (const char value : values) {
      std::string damaged = bytes;
      if (damaged[at] == value) continue;
      damaged[at] = value;
      put_file(path, damaged);
      SCOPED_TRACE(at);
      try_file(path);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(MedicalHeaderDamage, each_byte_of_a_text_header_may_be_another) {
  const Scratch scratch;
  const Image image = telling_image(Type::I16, {3, 5, 7, 3}, {2.5, 0.8, 0.7, "mm"});
  for (const char* const file : {"a.nrrd", "a.mha"}) {
    SCOPED_TRACE(file);
    write(image, scratch / file);
    const auto header = static_cast<std::size_t>(file_length(scratch / file)) - static_cast<std::size_t>(image.bytes());
    change_each_byte(scratch / file, 0, header, std::string("9\xff", 2));
  }
}

TEST(MedicalHeaderDamage, each_byte_of_a_nifti_header_may_be_another) {
  const Scratch scratch;
  write(telling_image(Type::I16, {3, 5, 7, 3}, {2.5, 0.8, 0.7, "mm"}), scratch / "a.nii");
  change_each_byte(scratch / "a.nii", 0, 352, std::string("\0\x7f", 2));
}

TEST(MedicalHeaderDamage, each_byte_of_the_elements_of_dicom_may_be_another) {
  const Scratch scratch;
  MadeSlice slice;
  slice.slope = "2";
  slice.intercept = "-100";
  put_file(scratch / "a.dcm", slice.bytes());
  constexpr std::size_t preamble = 128;  // means nothing
  const auto length = static_cast<std::size_t>(file_length(scratch / "a.dcm"));
  change_each_byte(scratch / "a.dcm", preamble, length, std::string("\0\x7f", 2));
}

}  // namespace
}  // namespace tamis::io
