// The bytes of an HDF5 file, for what HDF5 itself does not check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/confined/hdf5_session.hpp"

namespace tamis::io {

/// A number of `width` bytes, the lowest first.
[[nodiscard]] inline std::uint64_t hdf5_number(const std::byte* bytes, std::size_t width) {
  std::uint64_t number = 0;
  for (std::size_t i = width; i-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return number;
}

/// A part of a file, by HDF5's addresses: they begin behind what may stand in front of HDF5's part.
struct Hdf5Part {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// The file that a dataset lies in, to be used while the dataset is open.
class Hdf5Bytes {
 public:
  Hdf5Bytes(std::string path, hid_t dataset);

  /// These throw InputError for what does not lie within the file.
  [[nodiscard]] std::vector<std::byte> read(const Hdf5Part& part) const;
  void require_within(const Hdf5Part& part) const;
  [[noreturn]] void refuse(const std::string& what) const;

  [[nodiscard]] std::size_t address_width() const { return address_width_; }
  [[nodiscard]] std::size_t length_width() const { return length_width_; }
  /// The most children of a node of a version 1 B-tree of chunks.
  [[nodiscard]] std::uint64_t most_children() const { return most_children_; }

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t in_front_ = 0;
  std::int64_t bytes_ = 0;
  std::size_t address_width_ = 0;
  std::size_t length_width_ = 0;
  std::uint64_t most_children_ = 0;
};

/// The message of a dataset's object header that says how its samples lie; what the header takes is added to `parts`.
[[nodiscard]] std::vector<std::byte> hdf5_layout_message(const Hdf5Bytes& file, hid_t dataset,
                                                         std::vector<Hdf5Part>& parts);

}  // namespace tamis::io
