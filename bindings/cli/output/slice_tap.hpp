// Keeps one slice of what flows past, so that a picture needs no second reading of the file.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <tamis/image.hpp>

namespace tamis::cli {

/// Passes a source through and keeps its middle slice. The source has to outlive it.
class SliceTap final : public SliceSource {
 public:
  explicit SliceTap(SliceSource& source);
  [[nodiscard]] const Layout& layout() const override { return source_->layout(); }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override;
  [[nodiscard]] std::optional<MappedSlices> mapped() const override { return source_->mapped(); }

  [[nodiscard]] std::int64_t middle() const { return layout().shape.z / 2; }
  /// The middle slice as grey values; reads it now if it has not come past.
  [[nodiscard]] std::vector<float> grey();

 private:
  SliceSource* source_;
  std::int64_t slice_bytes_;
  std::vector<std::byte> kept_;
};

}  // namespace tamis::cli
