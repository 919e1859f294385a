// Where the size map goes: files of sizes, radii, widths and diameters, the plane of a picture.
#pragma once

#include <cstdint>
#include <functional>
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

class MapWriter {
 public:
  /// Empty paths: not wanted. `keep` is the plane that a picture needs.
  MapWriter(Outputs& outputs, const Layout& layout, const std::vector<std::pair<BallMeasure, std::string>>& maps,
            const Plane& keep);

  [[nodiscard]] bool wanted() const { return keep_.wanted() || !maps_.empty(); }
  /// What slices may come as where there is one map and nothing else: samples of it.
  [[nodiscard]] std::optional<BallMeasure> only_measure() const;
  /// For size_map: the numbers of openings that come are of this type. There are sizes and widths of them.
  void start(Type type);
  /// For ball_map: the type of the squares that come, or of samples of the only map.
  void start(const BallSizes& sizes, Type type, bool samples_come = false);
  /// For both: further slices.
  void write(const std::byte* slices, std::int64_t z0, std::int64_t count);
  void finish();

  /// What a picture shows: lengths as those of the map of balls that is written, otherwise sizes.
  [[nodiscard]] BallMeasure measure_of_plane() const { return plane_measure_; }
  /// In that measure, of sizes n; -1 on the background.
  [[nodiscard]] std::vector<float> take_plane() { return std::move(kept_); }

 private:
  struct Map {
    BallMeasure measure;
    std::string path;
    bool as_it_comes;
    std::unique_ptr<SliceSink> sink;
  };
  /// Makes samples of a measure of those that come.
  using Convert = std::function<void(BallMeasure measure, const std::byte* from, std::int64_t count, std::byte* to)>;

  /// `comes`: the measure that slices come in, if it is one.
  void start(Type type, std::optional<BallMeasure> comes, const std::function<Type(BallMeasure)>& type_of);
  void keep_plane(std::int64_t z, const std::byte* slice);

  Outputs& outputs_;
  Layout layout_;  ///< of what comes
  std::vector<Map> maps_;
  Plane keep_;
  BallMeasure plane_measure_ = BallMeasure::Size;
  Type plane_type_ = Type::U8;
  Convert convert_;
  std::vector<std::byte> samples_;
  std::vector<float> kept_;
};

}  // namespace tamis::cli
