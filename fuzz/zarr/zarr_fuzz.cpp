// Stores of Zarr: folders with descriptions and chunks.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "fuzz/harness.hpp"
#include "fuzz/read_all.hpp"

namespace {

namespace fs = std::filesystem;

/// What a store may hold; an input names them by their places here.
constexpr std::array names{"zarr.json", ".zgroup", ".zattrs",   ".zarray",   "0/zarr.json", "0/.zarray", "1/zarr.json",
                           "0.0",       "0.0.0",   "0/0",       "0/0/0",     "c/0/0",       "c/0/0/0",   "c/0/1",
                           "0/0.0",     "0/0.0.0", "0/c/0/0",   "0/c/0/0/0", "0/0/0/0",     "0/0/0/0/0/0", "0.1"};

/// A folder in memory, where the machine has that.
class Folder {
 public:
  Folder() {
    const char* const wanted = std::getenv("TMPDIR");
    const std::string parent = wanted ? wanted : ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    std::string name = parent + "/tamis-fuzz-zarr.XXXXXX";
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a folder in " + parent);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

/// Files one after the other: the place of a name, the length in two bytes, then so many bytes.
TAMIS_FUZZ_TARGET(zarr) {
  static const Folder folder;
  const fs::path store = folder.path() / "input.zarr";
  fs::remove_all(store);
  fs::create_directory(store);
  std::set<std::size_t> made;
  constexpr std::size_t head = 3;
  while (bytes.size() >= head) {
    const std::size_t place = bytes[0] % names.size();
    const std::size_t length = bytes[1] | static_cast<std::size_t>(bytes[2]) << 8;
    bytes = bytes.subspan(head);
    const tamis::fuzz::Bytes content = bytes.first(std::min(bytes.size(), length));
    bytes = bytes.subspan(content.size());
    const fs::path file = store / names[place];
    std::error_code in_the_way;  // "0/0" is a file and a folder
    fs::create_directories(file.parent_path(), in_the_way);
    if (in_the_way || !made.insert(place).second) continue;
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(content.data()),
                                                static_cast<std::streamsize>(content.size()));
  }
  tamis::ReadOptions options;
  options.time = 0;
  tamis::fuzz::read_all(store.string(), options);
}
