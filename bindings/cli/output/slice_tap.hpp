// Keeps one plane of what flows past, so that a picture needs no second reading of the file.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <tamis/image.hpp>

#include "cli/output/plane.hpp"

namespace tamis::cli {

/// Passes a source through and keeps a plane of it. The source has to outlive it.
class SliceTap final : public SliceSource {
 public:
  SliceTap(SliceSource& source, const Plane& plane);
  [[nodiscard]] const Layout& layout() const override { return source_->layout(); }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override;
  [[nodiscard]] std::optional<MappedSlices> mapped() const override { return source_->mapped(); }

  /// The plane as grey values; reads now what of it has not come past.
  [[nodiscard]] std::vector<float> grey();

 private:
  void keep(std::int64_t z, const std::byte* slice);

  SliceSource* source_;
  Plane plane_;
  std::int64_t sample_bytes_;
  std::int64_t slice_bytes_;
  std::vector<bool> seen_;  // of each slice
  std::vector<std::byte> kept_;
};

}  // namespace tamis::cli
