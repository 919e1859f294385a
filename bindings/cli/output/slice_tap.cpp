#include "cli/output/slice_tap.hpp"

#include <algorithm>
#include <cstring>

#include <tamis/convert.hpp>

namespace tamis::cli {
namespace {

/// A single slice in memory as a source.
class OneSlice final : public SliceSource {
 public:
  OneSlice(Layout layout, std::vector<std::byte> bytes) : layout_(std::move(layout)), bytes_(std::move(bytes)) {
    layout_.shape.z = 1;
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t, std::int64_t, std::byte* out) override { std::memcpy(out, bytes_.data(), bytes_.size()); }

 private:
  Layout layout_;
  std::vector<std::byte> bytes_;
};

}  // namespace

SliceTap::SliceTap(SliceSource& source)
    : source_(&source),
      slice_bytes_(layout().shape.y * layout().shape.x * layout().channels * sample_bytes(layout().type)) {}

void SliceTap::read(std::int64_t z0, std::int64_t count, std::byte* out) {
  source_->read(z0, count, out);
  if (middle() < z0 || middle() >= z0 + count) return;
  const std::byte* const slice = out + (middle() - z0) * slice_bytes_;
  kept_.assign(slice, slice + slice_bytes_);
}

std::vector<float> SliceTap::grey() {
  if (kept_.empty()) {
    kept_.resize(static_cast<std::size_t>(slice_bytes_));
    source_->read(middle(), 1, kept_.data());
  }
  const auto source = convert(std::make_unique<OneSlice>(layout(), std::move(kept_)), Type::F32);
  std::vector<float> grey(static_cast<std::size_t>(layout().shape.y * layout().shape.x));
  source->read(0, 1, reinterpret_cast<std::byte*>(grey.data()));
  return grey;
}

}  // namespace tamis::cli
