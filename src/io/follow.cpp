#include "io/format.hpp"

#include <algorithm>
#include <filesystem>

#include "io/refuse.hpp"

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

/// Links and ".." resolved, as far as the path exists. Throws InputError where that cannot be known.
fs::path resolved(const std::string& from, const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path result = error ? absolute : fs::weakly_canonical(absolute, error);
  if (!error) return result;
  refuse("{}: cannot tell where {} lies ({}); wanted a file in the same folder or below", from, path.string(),
         error.message());
}

bool lies_below(const fs::path& folder, const fs::path& path) {
  const auto [end_of_folder, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end_of_folder == folder.end() && rest != path.end();
}

}  // namespace

void require_followed(const std::string& from, const std::string& to, bool follow) {
  if (follow) return;
  const fs::path folder = resolved(from, fs::path(from).parent_path() / ".");
  const fs::path place = resolved(from, to);
  // weakly_canonical() of "folder/." may keep an empty last part.
  const fs::path clean = folder.has_filename() ? folder : folder.parent_path();
  if (!lies_below(clean, place)) {
    refuse("{}: refers to {}, outside its folder; wanted a file in {} or below, or `follow`", from, to, clean.string());
  }
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    refuse("{}: refers to {}, which is no regular file; wanted one", from, to);
  }
}

}  // namespace tamis::io
