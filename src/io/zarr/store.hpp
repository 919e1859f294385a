// A store of Zarr: a folder in which keys ("0/c/3/1") are the names of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/output/place.hpp"

namespace tamis::io {

/// An open regular file of a store.
class StoredFile {
 public:
  StoredFile(std::string path, Descriptor file, std::int64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Fills `out` from `offset` on. Throws InputError where the file ends before.
  void read(std::int64_t offset, std::span<std::byte> out) const;

 private:
  std::string path_;
  Descriptor file_;
  std::int64_t size_;
};

class Store {
 public:
  /// `follow`: symbolic links in the folder are followed. Throws InputError where there is no such folder.
  Store(std::string path, bool follow);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path_of(std::string_view key) const;
  /// Nothing where there is no such file. Throws InputError for a key that leaves the folder, for a symbolic link,
  /// and for what is no regular file.
  [[nodiscard]] std::optional<StoredFile> open(std::string_view key) const;
  /// The whole of a small file; nothing where there is none.
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  /// The keys of files with something in them, until `visit` says no; hidden ones and zarr.json are left out. Links of
  /// folders are not followed.
  void each_file(const std::function<bool(const std::string& key)>& visit) const;
  /// A folder below. Throws InputError where there is none.
  [[nodiscard]] Store below(std::string_view key) const;

 private:
  Store(std::string path, bool follow, Descriptor folder)
      : path_(std::move(path)), follow_(follow), folder_(std::move(folder)) {}
  [[nodiscard]] Descriptor descend(std::string_view key, int flags) const;

  std::string path_;
  bool follow_;
  Descriptor folder_;
};

/// Does a folder, or a file to be, have to do with Zarr by its name (.zarr) or by what is in it?
[[nodiscard]] bool is_zarr_name(std::string_view path);
[[nodiscard]] bool holds_zarr(const std::string& folder);

}  // namespace tamis::io
