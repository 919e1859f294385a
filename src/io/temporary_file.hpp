// Output that appears under its name whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tamis::io {

/// A new file beside the target. commit() gives it the target's name; without commit() it is removed.
/// A target that exists and is not a regular file (a pipe, a device) is written to directly, as a shell would.
/// Throws EnvironmentError "cannot write PATH: ..." at the start, "could not write PATH: ..." later.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  /// Appends. Small pieces should be gathered by the caller.
  void write(const void* bytes, std::int64_t count);
  void write(std::string_view text) { write(text.data(), static_cast<std::int64_t>(text.size())); }
  /// Flushes to the disk, closes and renames.
  void commit();

  /// Open for reading too unless direct(), for libraries that write where they like.
  [[nodiscard]] int descriptor() const { return fd_; }
  /// Is the target written to directly?
  [[nodiscard]] bool direct() const { return direct_; }
  [[noreturn]] void fail(std::string_view reason) const;

 private:
  [[noreturn]] void fail_errno(int error) const;

  std::string shown_;   // the name the caller knows
  std::string target_;  // symbolic links resolved, so that a link stays a link
  std::string path_;
  int fd_ = -1;
  bool direct_ = false;
  bool committed_ = false;
};

}  // namespace tamis::io
