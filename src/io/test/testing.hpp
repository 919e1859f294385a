// What the tests of this folder share: a folder of their own, images with telling samples, expectations.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/image/crop.hpp>
#include <tamis/io.hpp>

#include "core/test/scale.hpp"

namespace tamis::io {

/// A fresh folder that goes away with the test.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "tamis_io_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string path() const { return folder_.string(); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) found.push_back(entry.path().filename());
    return found;
  }

 private:
  std::filesystem::path folder_;
};

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void put_file(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);  // ext4 waits for the disk when an old file is overwritten
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Every byte of every sample counts: a wrong order, stride or sign shows.
inline Image telling_image(Type type, const Shape& shape, const Spacing& spacing = {}) {
  Image image(type, shape, spacing);
  std::uint64_t state = 12345;
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      for (std::int64_t x = 0; x < shape.x; ++x) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        if (type == Type::Bool) {
          image.row<std::uint64_t>(z, y)[x / 64] |= (state >> 63) << (x % 64);
        } else if (type == Type::F32) {
          image.row<float>(z, y)[x] = static_cast<float>(state >> 32) / 7.0F - 1e8F;
        } else if (type == Type::F64) {
          image.row<double>(z, y)[x] = static_cast<double>(state >> 32) / 7.0 - 1e8;
        } else {
          for (std::int64_t b = 0; b < sample_bytes(type); ++b) {
            image.row<std::uint8_t>(z, y)[x * sample_bytes(type) + b] = static_cast<std::uint8_t>(state >> (8 + 5 * b));
          }
        }
      }
    }
  }
  return image;
}

/// An 8-bit RGB image of one slice.
inline void write_colour(const std::vector<std::uint8_t>& pixels, const Shape& shape, const std::string& path) {
  const std::unique_ptr<SliceSink> sink = create(path, {Type::U8, shape, 3, {}});
  sink->write(reinterpret_cast<const std::byte*>(pixels.data()), 1);
  sink->finish();
}

inline bool same_samples(const Image& a, const Image& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0;
}

/// The message of an InputError; a test failure and "" if none is thrown.
template <class Body>
std::string refusal(Body&& body) {
  try {
    body();
  } catch (const InputError& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

/// The same for ResourceError.
template <class Body>
std::string obstacle(Body&& body) {
  try {
    body();
  } catch (const ResourceError& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "nothing stood in the way";
  return {};
}

inline void expect_says(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << " in: " << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

/// Samples of a source, dense, as it delivers them.
inline std::vector<std::uint8_t> delivered(SliceSource& source) {
  const Layout& l = source.layout();
  std::vector<std::uint8_t> samples(static_cast<std::size_t>(l.shape.count() * l.channels * sample_bytes(l.type)));
  source.read(0, l.shape.z, reinterpret_cast<std::byte*>(samples.data()));
  return samples;
}

}  // namespace tamis::io
