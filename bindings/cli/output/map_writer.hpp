// Where maps of sizes go: files of sizes and widths, and the plane of a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "cli/output/files.hpp"

namespace tamis::cli {

// A plane through a volume, for pictures: its samples are picked from slices as they flow past.

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

// A file of a size map, which viewers then show in the colours of our own pictures.

/// Hands slices on to `sink` and tells it at the end how to show them: black is the background, 0, and the largest
/// sample is the last colour. Samples are u8, u16, u32 or f32. Without that a map whose sizes end at 40 opens nearly
/// black.
[[nodiscard]] std::unique_ptr<SliceSink> shown_as_sizes(std::unique_ptr<SliceSink> sink, const Layout& layout);

// Keeps one plane of what flows past, so that a picture needs no second reading of the file.

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

class MapWriter {
 public:
  /// Empty paths: not wanted. `keep` is the plane that a picture needs.
  MapWriter(Outputs& outputs, const Layout& layout, std::string map, std::string map_width, const Plane& keep);

  /// For size_map: the type is known.
  void start(Type type);
  /// For size_map: further slices.
  void write(const std::byte* slices, std::int64_t z0, std::int64_t count);
  void finish();

  /// The size n of the largest element that holds the voxel; -1 on the background.
  [[nodiscard]] std::vector<float> take_plane() { return std::move(kept_); }

 private:
  void write_widths(const std::byte* slices, std::int64_t count);

  Outputs& outputs_;
  Layout layout_;
  std::string map_;
  std::string map_width_;
  Plane keep_;
  std::int64_t slice_samples_;
  std::unique_ptr<SliceSink> sizes_;
  std::unique_ptr<SliceSink> widths_;
  std::vector<float> slice_of_widths_;
  std::vector<float> kept_;
};

// Where the squares of balls go: files of sizes, radii, widths and diameters, the plane of a picture.

class BallMapWriter {
 public:
  /// Empty paths: not wanted. `keep` is the plane that a picture needs.
  BallMapWriter(Outputs& outputs, const Layout& layout, std::vector<std::pair<BallMeasure, std::string>> maps,
                const Plane& keep);

  [[nodiscard]] bool wanted() const { return keep_.wanted() || !maps_.empty(); }
  /// What slices may come as where there is one map and nothing else: samples of it.
  [[nodiscard]] std::optional<BallMeasure> only_measure() const;
  /// For ball_map: the type of the squares that come, or of samples of the only map.
  void start(const BallSizes& sizes, Type type, bool samples_come = false);
  /// For ball_map: further slices.
  void write(const std::byte* slices, std::int64_t z0, std::int64_t count);
  void finish();

  /// What a picture shows: lengths as those of the map that is written, otherwise sizes.
  [[nodiscard]] BallMeasure measure_of_plane() const;
  /// In that measure, of sizes n; -1 on the background.
  [[nodiscard]] std::vector<float> take_plane() { return std::move(kept_); }

 private:
  struct Map {
    BallMeasure measure;
    std::string path;
    std::unique_ptr<SliceSink> sink;
  };

  void keep_plane(std::int64_t z, const std::byte* slice);

  Outputs& outputs_;
  Layout layout_;
  std::vector<Map> maps_;
  Plane keep_;
  BallSizes sizes_;
  Type squares_ = Type::U16;
  bool samples_come_ = false;
  std::vector<std::byte> samples_;
  std::vector<float> kept_;
};

}  // namespace tamis::cli
