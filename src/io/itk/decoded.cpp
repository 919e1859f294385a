#include "io/itk/decoded.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/mapped_file.hpp"
#include "io/medical/rescale.hpp"

namespace tamis::io {
namespace {

class DecodedSource final : public Source {
 public:
  DecodedSource(const std::string& path, const Layout& layout, std::string description, std::vector<ItkPart> parts,
                std::unique_ptr<ItkClient> itk)
      : Source(path, layout, std::move(description)), parts_(std::move(parts)), itk_(std::move(itk)) {
    for (const ItkPart& part : parts_) also_reads({part.path});
  }

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const std::int64_t deep = layout().shape.z / static_cast<std::int64_t>(parts_.size());
    for (std::int64_t z = z0; z < z0 + count; ++z, out += slice_bytes()) {
      const ItkPart& part = parts_[static_cast<std::size_t>(z / deep)];
      load(z / deep);
      const std::int64_t samples = layout().shape.y * layout().shape.x;
      const std::byte* const slice = memory_.data() + z % deep * samples * sample_bytes(part.header.type);
      if (part.header.type == layout().type) {
        std::memcpy(out, slice, static_cast<std::size_t>(slice_bytes()));
      } else {
        rescale(part.header.type, slice, samples, 1, 0, layout().type, out);
      }
    }
  }

  void load(std::int64_t index) {
    if (loaded_ == index) return;
    const ItkPart& part = parts_[static_cast<std::size_t>(index)];
    const auto& [x, y, z] = part.header.sizes;
    loaded_ = -1;
    if (memory_.type() != part.header.type || memory_.empty()) memory_ = Image(part.header.type, {z, y, x, 3});
    if (part.facts.bits_at >= 0) {
      unpack(part);
    } else {
      itk_->samples(part.path, part.facts.monochrome1, part.header.type, part.header.sizes, memory_.data());
    }
    loaded_ = index;
  }

  /// Samples of one bit, the first in the lowest: 0 or 255. ITK leaves the last ones as the memory was where they do
  /// not fill a byte.
  void unpack(const ItkPart& part) {
    const MappedFile file(part.path);
    const auto& [x, y, z] = part.header.sizes;
    const std::int64_t count = (Checked(x) * y * z).value(part.path, "the number of its samples");
    if (!within(part.facts.bits_at, (Checked(count) + 7) / 8, file.size())) {
      throw InputError(fmt::format("{}: the file has changed since it was opened", part.path));
    }
    const std::byte* const bits = file.data() + part.facts.bits_at;
    for (std::int64_t i = 0; i < count; ++i) {
      const bool set = (bits[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0};
      memory_.data()[i] = set ? std::byte{255} : std::byte{0};
    }
  }

  std::vector<ItkPart> parts_;
  std::unique_ptr<ItkClient> itk_;
  Image memory_;
  std::int64_t loaded_ = -1;
};

}  // namespace

std::unique_ptr<Source> open_decoded(const std::string& path, const Layout& layout, std::string description,
                                     std::vector<ItkPart> parts, std::unique_ptr<ItkClient> itk) {
  return std::make_unique<DecodedSource>(path, layout, std::move(description), std::move(parts), std::move(itk));
}

}  // namespace tamis::io
