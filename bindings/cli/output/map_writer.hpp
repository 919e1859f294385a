// Where the size map goes: a file of sizes, a file of widths, the plane of a picture.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tamis/granulometry.hpp>
#include <tamis/io.hpp>

#include "cli/output/files.hpp"
#include "cli/output/plane.hpp"

namespace tamis::cli {

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

}  // namespace tamis::cli
