// The shapes that the text of a structuring element can name, described for people and for programs that ask for one.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace TAMIS_PUBLIC tamis {

/// A number in the text of a shape: the radius of "disk:4.5".
struct ElementSize {
  std::string_view name;    ///< "radius"
  std::string_view letter;  ///< what stands for it in a form: "R"
  char before = ':';        ///< what stands before it in the text: one of : x @ ,
  bool whole = true;        ///< 3, not 3.5
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  bool required = true;  ///< only the last size of a shape may be left out
};

/// A shape by name.
struct ElementShape {
  std::string_view name;     ///< "disk"
  std::string_view text;     ///< which offsets are in it, in one line
  std::string_view example;  ///< "disk:4"
  /// 2: for images, and for volumes slice by slice. 3: for volumes. 0: takes the rank of the image.
  int rank = 2;
  std::vector<ElementSize> sizes;  ///< in the order of the text

  /// With a letter for each size: "disk:R", "box:WxHxD", "line:L@A[,E]".
  [[nodiscard]] std::string form() const;
};

/// All shapes but the masks of files, in the order in which the documentation has them.
[[nodiscard]] const std::vector<ElementShape>& element_shapes();

/// The forms of all texts, for help: "square:N, rect:WxH, ... file:mask.png[@ox,oy[,oz]]; reflect(S), ...".
[[nodiscard]] std::string element_forms();

/// An example of each, for help: "square:5, rect:7x3, ... file:mask.png; reflect(S), shift(S,dx,dy[,dz]), S+T".
[[nodiscard]] std::string element_examples();

}  // namespace tamis
