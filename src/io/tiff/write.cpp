// The whole file but the samples is known beforehand, so it is a head, the samples and a tail. libtiff would put a
// directory behind each slice; ImageJ and memory maps want the slices in one piece.
#include "io/format.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "io/flat/flat.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/tiff/written_directory.hpp"

namespace tamis::io {

std::unique_ptr<SliceSink> create_tiff(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  const std::int64_t samples = checked_bytes(path, layout);
  if (layout.shape.x > INT32_MAX || layout.shape.y > INT32_MAX) {
    refuse("{}: got slices of {}, wanted edges below 2^31 for TIFF", path, to_string(layout.shape));
  }
  if (target.options.compress) return create_compressed_tiff(target, layout);
  const std::int64_t page = samples / layout.shape.z;
  const std::uint64_t end = tiff_head_bytes + static_cast<std::uint64_t>(samples);
  const std::uint64_t directories = (end + 15) / 16 * 16;
  const bool big = needs_big_tiff(layout, end, layout.shape.z);
  FlatRecipe recipe;
  recipe.big_endian = !native_little;
  recipe.head = tiff_head(big, directories);
  recipe.tail = [=](const std::optional<Display>& display) {
    WrittenTiff file;
    file.big = big;
    file.strip_rows = layout.shape.y;
    for (std::int64_t z = 0; z < layout.shape.z; ++z) {
      file.strip_offsets.push_back(tiff_head_bytes + static_cast<std::uint64_t>(z * page));
      file.strip_bytes.push_back(static_cast<std::uint64_t>(page));
    }
    return std::string(directories - end, '\0') + tiff_directories(layout, display, file, directories);
  };
  return create_flat(target, layout, std::move(recipe));
}

}  // namespace tamis::io
