// Where the squares of balls go: files of sizes, radii, widths and diameters, the plane of a picture.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
