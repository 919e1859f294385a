// Where the squares of balls go: files of sizes, radii, widths and diameters, the plane of a picture.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/io.hpp>

#include "cli/output/files.hpp"
#include "cli/output/plane.hpp"

namespace tamis::cli {

class BallMapWriter {
 public:
  /// Empty paths: not wanted. `keep` is the plane that a picture needs.
  BallMapWriter(Outputs& outputs, const Layout& layout, std::vector<std::pair<BallMeasure, std::string>> maps,
                const Plane& keep);

  [[nodiscard]] bool wanted() const { return keep_.wanted() || !maps_.empty(); }
  /// For ball_map: what the squares are.
  void start(const BallSizes& sizes, Type squares);
  /// For ball_map: further slices.
  void write(const std::byte* slices, std::int64_t z0, std::int64_t count);
  void finish();

  [[nodiscard]] std::vector<std::uint32_t> take_plane() { return std::move(kept_); }

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
  std::vector<std::byte> samples_;
  std::vector<std::uint32_t> kept_;
};

}  // namespace tamis::cli
