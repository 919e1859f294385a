// What the descriptions of the phantoms share; each stands below its code.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/operation/operation.hpp"

namespace tamis {

namespace phantom_detail {

inline constexpr NumberRange radii{0, 1 << 20};

template <class Options>
auto size_parameter(Shape Options::*member) {
  const auto print = [](const Shape& shape) {
    const bool cube = shape.rank == 3 && shape.z == shape.x && shape.y == shape.x;
    return cube ? std::to_string(shape.x) : to_string(shape);
  };
  return parameter(member, "size")
      .by(parse_size, print)
      .text("edge of a cube, or extent in voxels, x first")
      .unit("voxels")
      .example("200x200x100")
      .positional();
}

template <class Options>
auto radius_parameter(std::int64_t Options::*member, std::string name, std::string text) {
  return parameter(member, std::move(name)).range(radii).text(std::move(text)).unit("voxels").example("12");
}

template <class Options>
auto seed_parameter(std::uint64_t Options::*member) {
  return parameter(member, "seed")
      .at_least(0)
      .text("start of the random numbers; the same seed gives the same image everywhere")
      .example("3");
}

/// All but the parameters.
[[nodiscard]] inline OperationDescription phantom_of(const std::string& kind, std::string text,
                                                     std::vector<std::string> examples) {
  OperationDescription phantom;
  phantom.name = "phantom " + kind;
  phantom.text = std::move(text);
  phantom.gives = {{"out", {Type::U8}, "u8, 0 and 255"}};
  phantom.examples = std::move(examples);
  return phantom;
}

inline const char* const phantom_section = "Phantom";

}  // namespace phantom_detail
}  // namespace tamis
