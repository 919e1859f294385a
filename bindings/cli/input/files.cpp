#include "cli/input/files.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace tamis::cli {

void InputFiles::add(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0) entries_.push_back({status.st_dev, status.st_ino, file});
  }
}

void InputFiles::remark(const std::string& line) {
  if (std::find(remarks_.begin(), remarks_.end(), line) == remarks_.end()) remarks_.push_back(line);
}

const std::string* InputFiles::find(const struct stat& status) const {
  for (const Entry& entry : entries_) {
    if (entry.device == status.st_dev && entry.inode == status.st_ino) return &entry.path;
  }
  return nullptr;
}

const std::string* InputFiles::find_below(const std::string& folder) const {
  namespace fs = std::filesystem;
  std::error_code fault;
  const fs::path above = fs::canonical(folder, fault);
  if (fault) return nullptr;
  for (const Entry& entry : entries_) {
    const fs::path path = fs::canonical(entry.path, fault);
    if (!fault && std::mismatch(above.begin(), above.end(), path.begin(), path.end()).first == above.end()) {
      return &entry.path;
    }
  }
  return nullptr;
}

InputFiles& input_files() {
  static InputFiles files;
  return files;
}

std::unique_ptr<FileSource> open_noted(const std::string& path, const ReadOptions& options) {
  std::unique_ptr<FileSource> source = open_file(path, options);
  input_files().add(source->files());
  if (!source->remark().empty()) input_files().remark(fmt::format("{}: {}", path, source->remark()));
  return source;
}

Image read_noted(const std::string& path, const ReadOptions& options) {
  input_files().add(open_file(path, options)->files());
  return read(path, options);
}

std::string last_change(const std::string& path) {
  struct stat status {};
  const std::string file = ::stat(path.c_str(), &status) == 0 ? path : path.substr(0, path.find(":/"));
  if (::stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{}.{:09} {}", status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size);
}

}  // namespace tamis::cli
