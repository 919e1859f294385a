#include "cli/input/files.hpp"

namespace tamis::cli {

void InputFiles::add(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0) entries_.push_back({status.st_dev, status.st_ino, file});
  }
}

const std::string* InputFiles::find(const struct stat& status) const {
  for (const Entry& entry : entries_) {
    if (entry.device == status.st_dev && entry.inode == status.st_ino) return &entry.path;
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
  return source;
}

Image read_noted(const std::string& path, const ReadOptions& options) {
  input_files().add(open_file(path, options)->files());
  return read(path, options);
}

}  // namespace tamis::cli
