// Raw, NumPy, PNM, folders and crops: headers and requests at the limits of words, stops while reading.
#include <limits>

#include "io/test/testing.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::string why(const std::string& path) {
  return refusal([&] { static_cast<void>(open_file(path)); });
}

std::string npy(const std::string& dictionary) {
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  const std::string start("\x93NUMPY\x01\0", 8);
  return start + static_cast<char>(length & 255) + static_cast<char>(length >> 8) + dictionary + std::string(24, 'a');
}

TEST(PlainHostile, a_numpy_header_says_each_thing_once_and_with_few_axes) {
  const Scratch scratch;
  const auto refused = [&](const std::string& dictionary) {
    put_file(scratch / "a.npy", npy(dictionary));
    return why(scratch / "a.npy");
  };
  put_file(scratch / "a.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4)}"));
  EXPECT_EQ(open_file(scratch / "a.npy")->layout().shape, (Shape{2, 3, 4, 3}));
  expect_says(refused("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), 'shape': (2, 3, 4)}"),
              {"each key once"});
  expect_says(refused("{'descr': '|u1', 'descr': '<u2', 'fortran_order': False, 'shape': (2, 3, 4)}"),
              {"each key once"});
  std::string axes;
  for (int i = 0; i < 70; ++i) axes += "1,";
  expect_says(refused("{'descr': '|u1', 'fortran_order': False, 'shape': (" + axes + ")}"), {"64 axes at most"});
  expect_says(refused("{'descr': '|\n\x1b[31m', 'fortran_order': False, 'shape': (2, 3, 4)}"), {"NumPy type |??[31m;"});
  for (const char* const edge : {"64", "256", "65536", "2147483648", "4294967296", "9223372036854775807"}) {
    const std::string shape = std::string(edge) + ", " + edge + ", 4";
    expect_says(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + ")}"), {"a.npy"});
  }
  for (const char* const edge : {"9223372036854775808", "-1", "0"}) {
    expect_says(refused("{'descr': '|u1', 'fortran_order': False, 'shape': (2, " + std::string(edge) + ", 4)}"),
                {"a.npy"});
  }
}

TEST(PlainHostile, a_pnm_header_has_an_end_and_numbers_of_images) {
  const Scratch scratch;
  const auto refused = [&](const std::string& bytes) {
    put_file(scratch / "a.pgm", bytes);
    return why(scratch / "a.pgm");
  };
  expect_says(refused("P5\n99999999999999999999 1\n255\nabc"), {"a number below 2^40"});
  expect_says(refused("P5\n1099511627776 1\n255\nabc"), {"a number below 2^40"});
  expect_says(refused("P5\n1099511627775 1099511627775\n255\nabc"), {"larger than any file"});
  expect_says(refused("P5\n0 3\n255\n"), {"0x3", "at least 1"});
  expect_says(refused("P5\n3 1\n65536\nabc"), {"maximum of 65536"});
  expect_says(refused("P5\n#" + std::string(17 << 20, ' ')), {"16 MiB without an end"});
  put_file(scratch / "a.pbm", "P4\n1099511627775 1099511627775\nabc");
  expect_says(why(scratch / "a.pbm"), {"larger than any file"});
  put_file(scratch / "b.pgm", "P2\n2 1\n9\n1 99999999999999999999999");
  expect_says(refusal([&] { static_cast<void>(read(scratch / "b.pgm")); }), {"a number below 2^40"});
}

TEST(PlainHostile, requests_at_the_limits_of_words_are_refused) {
  const Scratch scratch;
  write(telling_image(Type::U8, {3, 4, 5, 3}), scratch / "a_5x4x3_u8.raw");
  const auto part = crop(open_file(scratch / "a_5x4x3_u8.raw"), {0, 2, 0, 2, 0, 2});
  std::vector<std::byte> out(8);
  for (const auto& [z0, count] :
       {std::pair<std::int64_t, std::int64_t>(1, most), {most, 1}, {most, most}, {-1, 1}, {0, -1}, {0, 3}, {2, 1}}) {
    expect_says(refusal([&, first = z0, slices = count] { part->read(first, slices, out.data()); }),
                {"wanted slices within 0..1"});
  }
  for (const Box& box : {Box{0, most, 0, 1, 0, 1}, Box{-most, 1, 0, 1, 0, 1}, Box{0, 1, most - 1, most, 0, 1}}) {
    expect_says(refusal([&] { static_cast<void>(crop(open_file(scratch / "a_5x4x3_u8.raw"), box)); }), {"crop"});
  }
}

TEST(PlainHostile, a_stop_is_heard_by_folders_and_texts) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "slices");
  write(telling_image(Type::U8, {1, 4, 5, 2}), scratch / "slices/a1.pgm");
  std::stop_source stop;
  ReadOptions options;
  options.cancel = stop.get_token();
  std::string text = "P2\n1000 1000\n9\n";
  for (int i = 0; i < 1'000'000; ++i) text += "1 ";
  put_file(scratch / "text.pgm", text);
  const auto source = open_file(scratch / "text.pgm", options);
  stop.request_stop();
  std::vector<std::byte> samples(1'000'000);
  EXPECT_THROW(source->read(0, 1, samples.data()), Cancelled);
  EXPECT_THROW(static_cast<void>(open_file(scratch / "slices", options)), Cancelled);
}

}  // namespace
}  // namespace tamis::io
