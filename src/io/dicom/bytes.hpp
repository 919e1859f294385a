// The bytes of a DICOM file, mapped; what is deflated of them is inflated, as far as somebody has asked for it.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/system/mapped_file.hpp"
#include "io/inflater.hpp"

namespace tamis::io {

class DicomBytes {
 public:
  explicit DicomBytes(const std::string& path) : file_(path) {}

  /// The bytes from `start` on are a deflate stream: from now on they are what is in it, up to `most` bytes of all.
  /// Asked again it goes on. Throws InputError for a damaged stream, Cancelled.
  void inflate(std::int64_t start, std::int64_t most, const std::stop_token& cancel);
  /// There is nothing behind `text()`.
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] std::string_view text() const { return inflater_ ? std::string_view(inflated_) : file_.text(); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(text().size()); }
  [[nodiscard]] const std::byte* data() const { return reinterpret_cast<const std::byte*>(text().data()); }

 private:
  MappedFile file_;
  std::optional<StreamInflater> inflater_;
  std::string inflated_;
  bool whole_ = true;
};

}  // namespace tamis::io
