#include "io/flat/flat.hpp"

#include <algorithm>
#include <utility>

#include <tamis/error.hpp>

#include "io/format.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

class ColumnSource final : public LayeredSource {
 public:
  ColumnSource(MappedFile file, std::int64_t offset, bool swapped, const Layout& layout, std::string description,
               std::stop_token cancel)
      : LayeredSource(file.path(), layout, std::move(description), layer),
        file_(std::move(file)),
        offset_(offset),
        swapped_(swapped),
        cancel_(std::move(cancel)) {}

 private:
  /// Slices that are read at a time: their samples of a column fill two lines of a cache at least.
  static constexpr std::int64_t layer = 128;
  static constexpr std::int64_t tile = 32;  // rows and columns whose lines stay in the cache

  void decode(const SliceRange& range, std::byte* out) override {
    const Shape& shape = layout().shape;
    for (std::int64_t y = 0; y < shape.y; y += tile) {
      if (cancel_.stop_requested()) throw Cancelled();
      for (std::int64_t x = 0; x < shape.x; x += tile) decode_tile(range, y, x, out);
    }
    const std::int64_t width = sample_bytes(layout().type);
    const std::int64_t count = (range.z1 - range.z0) * shape.y * shape.x;
    if (swapped_) swap_bytes(out, count, width);
    if (layout().type == Type::Bool) normalise_bool(out, count);
  }

  void decode_tile(const SliceRange& range, std::int64_t y0, std::int64_t x0, std::byte* out) const {
    const Shape& shape = layout().shape;
    const std::int64_t width = sample_bytes(layout().type), count = std::min(tile, shape.x - x0);
    for (std::int64_t y = y0; y < std::min(y0 + tile, shape.y); ++y) {
      for (std::int64_t z = range.z0; z < range.z1; ++z) {
        const std::byte* const from = file_.data() + offset_ + ((x0 * shape.y + y) * shape.z + z) * width;
        std::byte* const to = out + (((z - range.z0) * shape.y + y) * shape.x + x0) * width;
        copy_row(width, from, shape.y * shape.z * width, to, width, count);
      }
    }
  }

  MappedFile file_;
  std::int64_t offset_;
  bool swapped_;
  std::stop_token cancel_;
};

}  // namespace

std::unique_ptr<Source> open_columns(MappedFile file, std::int64_t offset, bool swapped, const Layout& layout,
                                     std::string description, std::stop_token cancel) {
  return std::make_unique<ColumnSource>(std::move(file), offset, swapped, layout, std::move(description),
                                        std::move(cancel));
}

}  // namespace tamis::io
