// The options of tamis granulometry.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tamis/operations/arguments.hpp>
#include <tamis/operations.hpp>

#include "cli/input/image.hpp"
#include "cli/option/options.hpp"
#include "cli/output/map_writer.hpp"

namespace tamis::cli {

struct GranulometryFlags {
  std::vector<std::string> files;
  Arguments arguments = operation("granulometry").defaults;
  std::string csv;
  std::string summary;
  std::string curves;
  std::string json;
  std::string plot;
  std::string map;
  std::string map_radius;
  std::string map_width;
  std::string map_diameter;
  std::string picture;
  std::optional<std::int64_t> slice;  ///< of the picture; without it the middle one
  char plane = 'z';                   ///< the axis that it lies across
  std::string plane_text;
  InputFlags input;
  RegionFlags region;
  ComputeFlags compute;
  bool keep_going = false;

  void add_to(const Command& command);
  /// After all options are read: throws InputError for options that do not go together.
  void settle() const;
  [[nodiscard]] const GranulometryArguments& asked() const { return arguments.as<GranulometryArguments>(); }
  [[nodiscard]] std::string element_name() const;
  /// The options of each result, one phase of one file, with the names of its own outputs filled in. Throws InputError
  /// where the outputs of two results would have the same name.
  [[nodiscard]] std::vector<GranulometryFlags> of_each_result() const;
  /// The names of the outputs that a result has for itself, those that are wanted.
  [[nodiscard]] std::vector<std::string> own_paths() const;
  /// What the picture shows of an image. Throws InputError for a plane that is not there.
  [[nodiscard]] Plane plane_in(const Layout& layout) const;
  /// Rank of the element's action on an image of this shape.
  [[nodiscard]] int rank_of(const Shape& shape) const;
  /// Every option with its value, defaults too.
  [[nodiscard]] nlohmann::ordered_json parameters() const;
};

}  // namespace tamis::cli
