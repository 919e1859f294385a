// Medical files made by hand, byte by byte, for the tests.
#pragma once

#include <bzlib.h>
#include <zlib.h>

#include <cstring>
#include <string>
#include <vector>

#include "io/test/testing.hpp"

namespace tamis::io {

/// A gzip member, or a zlib stream.
inline std::string deflated(const std::string& bytes, bool gzip) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + (gzip ? 16 : 0), 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

/// A bzip2 stream.
inline std::string bzipped(std::string bytes) {
  auto length = static_cast<unsigned>(bytes.size() + bytes.size() / 100 + 600);
  std::string out(length, '\0');
  BZ2_bzBuffToBuffCompress(out.data(), &length, bytes.data(), static_cast<unsigned>(bytes.size()), 9, 0, 0);
  out.resize(length);
  return out;
}

/// The bytes of an image whose rows have no gaps.
inline std::string bytes_of_image(const Image& image) {
  return {reinterpret_cast<const char*>(image.data()), static_cast<std::size_t>(image.bytes())};
}

inline std::string with_replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A DICOM file of one slice of 16 bits, explicit little endian.
struct MadeSlice {
  int columns = 4;
  int rows = 3;
  std::vector<std::uint16_t> samples = std::vector<std::uint16_t>(12, 7);
  std::string position = "0\\0\\0";
  std::string series = "1.2.3";
  std::string number = "1";
  std::string slope;
  std::string intercept;
  std::string orientation = "1\\0\\0\\0\\1\\0";
  int bits_stored = 16;
  bool is_signed = false;

  [[nodiscard]] std::string bytes() const {
    const std::string image_storage = "1.2.840.10008.5.1.4.1.1.4";  // MR
    std::string meta = text(0x0002, 0x0002, "UI", image_storage) + text(0x0002, 0x0003, "UI", "1.2.3.4." + number) +
                       text(0x0002, 0x0010, "UI", "1.2.840.10008.1.2.1");
    std::string file(128, '\0');
    file += "DICM" + element(0x0002, 0x0000, "UL", little(static_cast<std::uint32_t>(meta.size()), 4)) + meta;
    file += text(0x0008, 0x0016, "UI", image_storage) + text(0x0008, 0x0018, "UI", "1.2.3.4." + number) +
            text(0x0008, 0x0060, "CS", "MR") + text(0x0018, 0x0050, "DS", "2.5") + text(0x0020, 0x000e, "UI", series) +
            text(0x0020, 0x0013, "IS", number);
    if (!position.empty()) file += text(0x0020, 0x0032, "DS", position) + text(0x0020, 0x0037, "DS", orientation);
    file += word(0x0028, 0x0002, 1) + text(0x0028, 0x0004, "CS", "MONOCHROME2") + word(0x0028, 0x0010, rows) +
            word(0x0028, 0x0011, columns) + text(0x0028, 0x0030, "DS", "0.5\\0.25") + word(0x0028, 0x0100, 16) +
            word(0x0028, 0x0101, bits_stored) + word(0x0028, 0x0102, bits_stored - 1) +
            word(0x0028, 0x0103, is_signed ? 1 : 0);
    if (!slope.empty()) file += text(0x0028, 0x1052, "DS", intercept) + text(0x0028, 0x1053, "DS", slope);
    std::string pixels;
    for (const std::uint16_t sample : samples) pixels += little(sample, 2);
    return file + element(0x7fe0, 0x0010, "OW", pixels);
  }

 private:
  static std::string little(std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  }
  static std::string element(std::uint32_t group, std::uint32_t number, const std::string& type, std::string value) {
    if (value.size() % 2 != 0) value += type == "UI" ? '\0' : ' ';
    const std::string head = little(group, 2) + little(number, 2) + type;
    const auto length = static_cast<std::uint32_t>(value.size());
    return head + (type == "OW" ? little(0, 2) + little(length, 4) : little(length, 2)) + value;
  }
  static std::string text(std::uint32_t group, std::uint32_t number, const std::string& type,
                          const std::string& value) {
    return element(group, number, type, value);
  }
  static std::string word(std::uint32_t group, std::uint32_t number, int value) {
    return element(group, number, "US", little(static_cast<std::uint32_t>(value), 2));
  }
};

}  // namespace tamis::io
