// Decoding foreign formats, tried: the one thing that works on one machine and not on the next (SECURITY.md).
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include <tamis/error.hpp>
#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "cli/doctor/facts.hpp"

namespace tamis::cli {
namespace {

/// A new folder that goes at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "tamis-doctor-XXXXXX") {
    if (!::mkdtemp(path_.data())) throw ResourceError(path_ + ": cannot make this folder");
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Writes a small file and reads it in the confined process.
std::string tried(const std::string& name) {
  try {
    const TemporaryFolder folder;
    Image image(Type::U8, {.z = 1, .y = 8, .x = 9});
    write(image, folder.file(name));
    const Shape shape = read(folder.file(name)).shape();
    return shape.x == image.shape().x && shape.y == image.shape().y ? "works, confined" : "reads another shape";
  } catch (const std::filesystem::filesystem_error&) {
    return "not tried: no folder for temporary files; wanted one as TMPDIR, or /tmp";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::vector<Fact> decoder_facts() { return {{"PNG", tried("a.png")}, {"HDF5", tried("a.h5:/a")}}; }

}  // namespace tamis::cli
