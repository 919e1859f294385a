// The options of tamis granulometry.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tamis/granulometry.hpp>

#include "input.hpp"
#include "options.hpp"

namespace tamis::cli {

struct GranulometryFlags {
  std::vector<std::string> files;
  ThresholdOptions threshold;
  std::string threshold_text;
  Phase phase = Phase::Bright;
  GranulometryOptions options;
  std::string csv;
  std::string json;
  std::string plot;
  std::string map;
  std::string map_width;
  std::string picture;
  InputFlags input;
  RegionFlags region;
  ComputeFlags compute;

  void add_to(CLI::App& app);
  [[nodiscard]] ThresholdOptions threshold_options() const;
  /// Rank of the element's action on an image of this shape.
  [[nodiscard]] int rank_of(const Shape& shape) const;
  /// Every option with its value, defaults too.
  [[nodiscard]] nlohmann::ordered_json parameters() const;
};

}  // namespace tamis::cli
