// Where the squares of balls go: files of sizes, radii, widths and diameters, the slice of a picture.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/io.hpp>

#include "cli/output/files.hpp"

namespace tamis::cli {

class BallMapWriter {
 public:
  /// Empty paths: not wanted. `keep` is the slice that a picture needs, -1 where there is none.
  BallMapWriter(Outputs& outputs, const Layout& layout, std::vector<std::pair<BallMeasure, std::string>> maps,
                std::int64_t keep);

  [[nodiscard]] bool wanted() const { return keep_ >= 0 || !maps_.empty(); }
  /// For ball_map: what the squares are.
  void start(const BallSizes& sizes, Type squares);
  /// For ball_map: further slices.
  void write(const std::byte* slices, std::int64_t z0, std::int64_t count);
  void finish();

  [[nodiscard]] std::vector<std::uint32_t> take_slice() { return std::move(kept_); }

 private:
  struct Map {
    BallMeasure measure;
    std::string path;
    std::unique_ptr<SliceSink> sink;
  };

  void keep_slice(const std::byte* slice);

  Outputs& outputs_;
  Layout layout_;
  std::vector<Map> maps_;
  std::int64_t keep_;
  BallSizes sizes_;
  Type squares_ = Type::U16;
  std::vector<std::byte> samples_;
  std::vector<std::uint32_t> kept_;
};

}  // namespace tamis::cli
