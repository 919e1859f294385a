// Samples of a mapped file as they lie there, in a gzip, zlib or bzip2 stream, or with the first axis the fastest.
#include <algorithm>
#include <cstring>
#include <utility>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

class FlatSource final : public Source {
 public:
  FlatSource(MappedFile file, const FlatPlace& place, const Layout& layout, std::string description,
             std::stop_token cancel)
      : Source(file.path(), layout, std::move(description)),
        file_(std::move(file)),
        place_(place),
        cancel_(std::move(cancel)) {}

  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    const std::int64_t width = sample_bytes(layout().type);
    const bool aligned = place_.offset % width == 0 && place_.slice_stride % width == 0;
    // A byte of a Bool file may be anything but 0; it is 1 only once it has been read.
    if (place_.swapped || !aligned || layout().type == Type::Bool) return std::nullopt;
    return MappedSlices{file_.data() + place_.offset, slice_bytes() / layout().shape.y, place_.slice_stride};
  }

 private:
  static constexpr std::int64_t piece = std::int64_t{16} << 20;  // some milliseconds, more where a disk is slow

  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      const std::byte* const slice = file_.data() + place_.offset + z * place_.slice_stride;
      for (std::int64_t done = 0; done < slice_bytes(); done += piece) {
        if (cancel_.stop_requested()) throw Cancelled();
        const std::int64_t bytes = std::min(piece, slice_bytes() - done);
        copy(slice + done, bytes, out);
        file_.let_go(slice + done, bytes);
        out += bytes;
      }
    }
  }

  /// Whole samples.
  void copy(const std::byte* from, std::int64_t bytes, std::byte* to) const {
    const std::int64_t width = sample_bytes(layout().type);
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    if (place_.swapped) swap_bytes(to, bytes / width, width);
    if (layout().type == Type::Bool) normalise_bool(to, bytes);
  }

  MappedFile file_;
  FlatPlace place_;
  std::stop_token cancel_;
};

class StreamSource final : public Source {
 public:
  StreamSource(MappedFile file, const StreamPlace& place, const Layout& layout, std::string description,
               const std::stop_token& cancel)
      : Source(file.path(), layout, std::move(description)),
        file_(std::move(file)),
        inflater_(file_, place.offset, cancel, place.packing),
        place_(place) {}

  /// Decodes all, and somewhat more, so that the end and its checksum are reached: an error then names both lengths.
  void check() {
    const bool told = place_.trusts_trailer && file_.size() > 4;
    const std::byte* const trailer = file_.data() + file_.size() - 4;
    if (told && number_at<std::uint32_t>(trailer, !native_little) == static_cast<std::uint32_t>(place_.length)) return;
    inflater_.skip((Checked(place_.length) + (1 << 20)).value_or(place_.length));
    if (inflater_.position() != place_.length) {
      refuse("{}: got {} bytes{} after decompression, wanted {} ({} {})", path(), inflater_.position(),
             inflater_.position() > place_.length ? " or more" : "", place_.length, to_string(layout().shape),
             name(layout().type));
    }
    inflater_.restart();
  }

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const std::int64_t start = place_.skipped + z0 * slice_bytes();
    if (inflater_.position() > start) inflater_.restart();
    inflater_.skip(start - inflater_.position());
    const std::int64_t bytes = count * slice_bytes();
    if (inflater_.position() != start || inflater_.read(out, bytes) != bytes) {
      refuse("{}: got {} bytes after decompression, wanted {} at least", path(), inflater_.position(), start + bytes);
    }
    if (inflater_.position() == place_.length) require_end();
    const std::int64_t width = sample_bytes(layout().type);
    if (place_.swapped) swap_bytes(out, bytes / width, width);
    if (layout().type == Type::Bool) normalise_bool(out, bytes);
  }

  /// Reads past the last sample, which also verifies the checksum.
  void require_end() {
    std::byte extra{};
    if (inflater_.read(&extra, 1) == 0) return;
    refuse("{}: got more than {} bytes after decompression, wanted as many", path(), place_.length);
  }

  MappedFile file_;
  StreamInflater inflater_;
  StreamPlace place_;
};

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

std::unique_ptr<Source> open_flat(MappedFile file, const FlatPlace& place, const Layout& layout,
                                  std::string description, std::stop_token cancel) {
  const Checked slice = Checked(checked_bytes(file.path(), layout)) / layout.shape.z;
  const Checked last = Checked(place.offset) + Checked(layout.shape.z - 1) * place.slice_stride;
  if (!within(last, slice, file.size())) {
    refuse("{}: got {} bytes, wanted {} at least", file.path(), file.size(),
           (last + slice).value(file.path(), "the end of its samples"));
  }
  return std::make_unique<FlatSource>(std::move(file), place, layout, std::move(description), std::move(cancel));
}

std::unique_ptr<Source> open_stream(MappedFile file, const StreamPlace& place, const Layout& layout,
                                    std::string description, const std::stop_token& cancel) {
  check_expansion(file.path(), layout, file.size(), place.packing == Packing::Bzip2 ? bzip2_ratio : deflate_ratio);
  auto source = std::make_unique<StreamSource>(std::move(file), place, layout, std::move(description), cancel);
  source->check();
  return source;
}

std::unique_ptr<Source> open_columns(MappedFile file, std::int64_t offset, bool swapped, const Layout& layout,
                                     std::string description, std::stop_token cancel) {
  return std::make_unique<ColumnSource>(std::move(file), offset, swapped, layout, std::move(description),
                                        std::move(cancel));
}

}  // namespace tamis::io
