// The options of tamis granulometry.
#pragma once

#include <optional>
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
  bool grey = false;
  GreyElement element = GreyElement::Cross;  ///< as given; `options` has it too where there is one for objects
  std::optional<double> line_angle;          ///< of --element line@A, which counts instead
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
  /// After all options are read: throws InputError for options that do not go together.
  void settle();
  [[nodiscard]] ThresholdOptions threshold_options() const;
  [[nodiscard]] GreyGranulometryOptions grey_options() const {
    return {element, options.border, phase, options.max_size};
  }
  [[nodiscard]] LineGranulometryOptions line_options() const {
    return {line_angle.value_or(0), options.border, phase, options.max_size};
  }
  [[nodiscard]] std::string element_name() const;
  /// Rank of the element's action on an image of this shape.
  [[nodiscard]] int rank_of(const Shape& shape) const;
  /// Every option with its value, defaults too.
  [[nodiscard]] nlohmann::ordered_json parameters() const;
};

}  // namespace tamis::cli
