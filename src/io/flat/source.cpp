
#include <algorithm>
#include <cstring>
#include <optional>
#include <stop_token>
#include <utility>

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

}  // namespace tamis::io
