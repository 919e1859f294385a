#include "fuzz/input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace tamis::fuzz {
namespace {

namespace fs = std::filesystem;

/// The folder of this process. TMPDIR counts first, so that who starts fuzzers can clean up after one that crashes.
class Folder {
 public:
  Folder() {
    const char* const wanted = std::getenv("TMPDIR");
    const char* const shared_memory = "/dev/shm";
    const std::string parent = wanted ? wanted : ::access(shared_memory, W_OK) == 0 ? shared_memory : "/tmp";
    path_ = parent + "/tamis-fuzz.XXXXXX";
    if (!::mkdtemp(path_.data())) throw std::runtime_error("cannot make a folder in " + parent);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const std::string& folder() {
  static const Folder one;
  return one.path();
}

}  // namespace

InputFile::InputFile(const std::string& name) : path_(folder() + '/' + name) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor_ < 0) throw std::runtime_error("cannot create " + path_);
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::put(Bytes bytes) {
  const auto size = static_cast<off_t>(bytes.size());
  if (::pwrite(descriptor_, bytes.data(), bytes.size(), 0) != size || ::ftruncate(descriptor_, size) != 0) {
    throw std::runtime_error("cannot write " + path_);
  }
}

}  // namespace tamis::fuzz
