// A file that a target fills with its bytes and opens as a user would.
#pragma once

#include <string>

#include "fuzz/harness.hpp"

namespace tamis::fuzz {

/// Lies in a folder of this process, in memory where the machine has such a file system, and is removed at exit.
/// One file serves every call of a target: creating one costs more than most of the calls.
class InputFile {
 public:
  explicit InputFile(const std::string& name);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  void put(Bytes bytes);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace tamis::fuzz
