// A file seen as memory, read only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tamis {

/// Maps a whole regular file; no byte is copied. Throws InputError for a file that is missing, not regular, not
/// readable or empty.
class MappedFile {
 public:
  explicit MappedFile(std::string path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// These bytes have been copied: until they are looked at again, they do not count as memory of this process.
  void let_go(const std::byte* from, std::int64_t bytes) const noexcept;
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), static_cast<std::size_t>(size_)};
  }

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
};

/// Length of a regular file; throws InputError as MappedFile does.
[[nodiscard]] std::int64_t file_length(const std::string& path);
/// Up to `count` first bytes of a file.
[[nodiscard]] std::string file_head(const std::string& path, std::size_t count);

}  // namespace tamis
