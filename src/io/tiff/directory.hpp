// TIFF and BigTIFF as numbers: header, directories, tags. Ours alone; no other code looks at them before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/mapped_file.hpp"

namespace tamis::io {

/// The numbers of one tag, where they lie in the file.
class TiffValues {
 public:
  TiffValues() = default;
  TiffValues(const std::byte* first, std::int64_t count, int width, bool swapped)
      : first_(first), count_(count), width_(width), swapped_(swapped) {}

  [[nodiscard]] std::int64_t size() const { return count_; }
  /// Wants i < size().
  [[nodiscard]] std::uint64_t operator[](std::int64_t i) const;

 private:
  const std::byte* first_ = nullptr;
  std::int64_t count_ = 0;
  int width_ = 1;
  bool swapped_ = false;
};

/// A mapped file that begins as TIFF does. The file has to outlive it.
class TiffFile {
 public:
  /// Throws InputError for what is no TIFF.
  explicit TiffFile(const MappedFile& file);

  [[nodiscard]] const std::string& path() const { return file_->path(); }
  [[nodiscard]] std::int64_t size() const { return file_->size(); }
  [[nodiscard]] const std::byte* data() const { return file_->data(); }
  [[nodiscard]] bool big() const { return big_; }          ///< BigTIFF
  [[nodiscard]] bool swapped() const { return swapped_; }  ///< byte order is not this machine's
  [[nodiscard]] std::int64_t header_bytes() const { return big_ ? 16 : 8; }
  [[nodiscard]] std::uint64_t first_directory() const { return first_; }
  /// Throws "truncated TIFF" unless these bytes lie inside the file.
  void require(std::int64_t page, std::uint64_t offset, std::uint64_t bytes) const;
  /// Wants a range that lies inside the file.
  [[nodiscard]] std::uint64_t number(std::uint64_t offset, int width) const;

 private:
  const MappedFile* file_;
  bool big_ = false;
  bool swapped_ = false;
  std::uint64_t first_ = 0;
};

/// One directory. Every value that it points to lies inside the file.
class TiffDirectory {
 public:
  /// Throws InputError for what is truncated; `page` counts from 1, for messages.
  TiffDirectory(const TiffFile& file, std::uint64_t offset, std::int64_t page);

  [[nodiscard]] const TiffFile& file() const { return *file_; }
  [[nodiscard]] std::int64_t page() const { return page_; }
  [[nodiscard]] std::uint64_t next() const { return next_; }   ///< offset of the next one; 0: none
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }  ///< of the directory without what it points to
  /// Throws "PATH: page N: what".
  [[noreturn]] void fail(const std::string& what) const;

  [[nodiscard]] bool has(std::uint16_t tag) const { return find(tag) != nullptr; }
  /// All numbers of a tag, none where there is no such tag. Throws where they are no whole numbers.
  [[nodiscard]] TiffValues numbers(std::uint16_t tag) const;
  /// The only number of a tag.
  [[nodiscard]] std::uint64_t number(std::uint16_t tag, std::uint64_t missing) const;
  /// The number that a tag has for each of the samples; throws where they differ.
  [[nodiscard]] std::uint64_t number_of_all(std::uint16_t tag, std::int64_t samples, std::uint64_t missing) const;
  /// Up to the first zero byte; empty where there is no text.
  [[nodiscard]] std::string_view text(std::uint16_t tag) const;
  /// A fraction above 0.
  [[nodiscard]] std::optional<double> fraction(std::uint16_t tag) const;
  /// Where the first of header, directory and its values lies that begins behind `offset` or contains it; the file's
  /// length if there is none.
  [[nodiscard]] std::int64_t free_until(std::int64_t offset) const;

 private:
  struct Entry {
    std::uint16_t tag = 0;
    std::uint16_t type = 0;
    std::int64_t count = 0;
    std::int64_t at = 0;  ///< place of the values
    std::int64_t bytes = 0;
  };
  [[nodiscard]] const Entry* find(std::uint16_t tag) const;
  void read_entry(std::uint64_t at);

  const TiffFile* file_;
  std::int64_t page_;
  std::int64_t at_ = 0;
  std::int64_t bytes_ = 0;
  std::uint64_t next_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace tamis::io
