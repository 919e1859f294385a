#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

class FlatSource final : public Source {
 public:
  FlatSource(MappedFile file, const FlatPlace& place, const Layout& layout, std::string description)
      : Source(file.path(), layout, std::move(description)), file_(std::move(file)), place_(place) {}

  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    const std::int64_t width = sample_bytes(layout().type);
    const bool aligned = place_.offset % width == 0 && place_.slice_stride % width == 0;
    // A byte of a Bool file may be anything but 0; it is 1 only once it has been read.
    if (place_.swapped || !aligned || layout().type == Type::Bool) return std::nullopt;
    return MappedSlices{file_.data() + place_.offset, slice_bytes() / layout().shape.y, place_.slice_stride,
                        file_.descriptor(), place_.offset};
  }

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const Layout& l = layout();
    const std::int64_t width = sample_bytes(l.type);
    for (std::int64_t z = z0; z < z0 + count; ++z, out += slice_bytes()) {
      std::memcpy(out, file_.data() + place_.offset + z * place_.slice_stride, static_cast<std::size_t>(slice_bytes()));
      if (place_.swapped) swap_bytes(out, slice_bytes() / width, width);
      if (l.type == Type::Bool) normalise_bool(out, slice_bytes());
    }
  }

  MappedFile file_;
  FlatPlace place_;
};

}  // namespace

std::unique_ptr<Source> open_flat(MappedFile file, const FlatPlace& place, const Layout& layout,
                                  std::string description) {
  const Checked slice = Checked(checked_bytes(file.path(), layout)) / layout.shape.z;
  const Checked last = Checked(place.offset) + Checked(layout.shape.z - 1) * place.slice_stride;
  if (!within(last, slice, file.size())) {
    throw InputError(fmt::format("{}: got {} bytes, wanted {} at least", file.path(), file.size(),
                                 (last + slice).value(file.path(), "the end of its samples")));
  }
  return std::make_unique<FlatSource>(std::move(file), place, layout, std::move(description));
}

}  // namespace tamis::io
