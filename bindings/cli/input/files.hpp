// The files that this run reads, whichever option names them: no output may replace one.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include <tamis/io.hpp>

namespace tamis::cli {

class InputFiles {
 public:
  void add(const std::vector<std::string>& files);
  /// What a file says of itself before anybody believes a result.
  void remark(const std::string& line);
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }
  /// The name of the file with this status; null if none is.
  [[nodiscard]] const std::string* find(const struct stat& status) const;
  /// The name of a file in this folder or below; null if there is none.
  [[nodiscard]] const std::string* find_below(const std::string& folder) const;

 private:
  struct Entry {
    dev_t device;
    ino_t inode;
    std::string path;
  };
  std::vector<Entry> entries_;
  std::vector<std::string> remarks_;
};

/// Those of the program: options are read where no command is known yet.
[[nodiscard]] InputFiles& input_files();

/// tamis::open_file() and tamis::read() for the program: what they read is noted.
[[nodiscard]] std::unique_ptr<FileSource> open_noted(const std::string& path, const ReadOptions& options = {});
[[nodiscard]] Image read_noted(const std::string& path, const ReadOptions& options = {});

/// Of a file, or of what a folder or "file.h5:/dataset" stands for as far as the system knows: a number that changes
/// when it does.
[[nodiscard]] std::string last_change(const std::string& path);

}  // namespace tamis::cli
