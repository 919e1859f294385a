// A plane through a volume, for pictures: its samples are picked from slices as they flow past, so that a picture needs
// no second reading of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/image.hpp>

namespace tamis::cli {

/// Across z it is a slice: x to the right, y down. Across y: x to the right, z down. Across x: y to the right, z down.
struct Plane {
  char axis = 'z';
  std::int64_t index = -1;  ///< along the axis; less than 0: no plane is wanted

  [[nodiscard]] bool wanted() const { return index >= 0; }
  /// Does it go through slice z?
  [[nodiscard]] bool cuts(std::int64_t z) const { return wanted() && (axis != 'z' || z == index); }
  [[nodiscard]] std::int64_t width(const Shape& shape) const { return axis == 'x' ? shape.y : shape.x; }
  [[nodiscard]] std::int64_t height(const Shape& shape) const { return axis == 'z' ? shape.y : shape.z; }
  /// How many samples of a slice lie in it; they stand together in the plane, from first_of(z) on, and sample i of them
  /// is at index_of(i) in the slice.
  [[nodiscard]] std::int64_t samples(const Shape& shape) const {
    return axis == 'z' ? shape.y * shape.x : width(shape);
  }
  [[nodiscard]] std::int64_t first_of(const Shape& shape, std::int64_t z) const {
    return axis == 'z' ? 0 : z * width(shape);
  }
  [[nodiscard]] std::int64_t index_of(const Shape& shape, std::int64_t i) const {
    return axis == 'z' ? i : axis == 'y' ? index * shape.x + i : i * shape.x + index;
  }
  /// Sides of its pixels, in the unit of the spacing.
  [[nodiscard]] double pixel_width(const Spacing& spacing) const { return axis == 'x' ? spacing.y : spacing.x; }
  [[nodiscard]] double pixel_height(const Spacing& spacing) const { return axis == 'z' ? spacing.y : spacing.z; }
};

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
