// The keywords of the morphology family.
#pragma once

#include <string_view>

#include <tamis/morphology.hpp>

/// Paragraphs of docstrings.
#define TAMIS_ELEMENT_DOC                                                                                              \
  "element : str, Element or array\n"                                                                                  \
  "    The structuring element: 'disk:5', `disk(5)`, or a mask with its origin at index n // 2. 2-D elements act on\n" \
  "    volumes slice by slice.\n"
#define TAMIS_BORDER_DOC                                                                                            \
  "border : str\n"                                                                                                  \
  "    What lies outside, at each elementary step: 'neutral', nothing that counts; 'reflect', the image mirrored\n" \
  "    with the edge sample repeated; 'nearest', the edge sample; 'constant:V', a value that the type has.\n"
#define TAMIS_LINES_DOC                                                                                               \
  "lines : str\n"                                                                                                     \
  "    What 'line:L@A' is: 'invariant', one digital segment, the same everywhere; 'traced', L samples of Bresenham\n" \
  "    lines that tile the image (Soille 1996), as fast at any length. Along traced lines the border is 'neutral',\n" \
  "    or 'fit': only segments inside the image count (Karas 2015).\n"
#define TAMIS_NAN_DOC \
  "nan : str\n"       \
  "    'refuse', or 'ignore', which leaves NaN out; where there is nothing else the result is NaN.\n"
#define TAMIS_ITERATIONS_DOC \
  "iterations : int\n"       \
  "    So many erosions in a row, and dilations.\n"
#define TAMIS_CONNECTIVITY_DOC                                                                                     \
  "connectivity : str\n"                                                                                           \
  "    Which samples are neighbours: 'face' (4 in an image, 6 in a volume), or 'full', corners and edges too (8, " \
  "26).\n"

namespace tamis::python {

[[nodiscard]] Border outside_of(std::string_view border);
[[nodiscard]] Lines lines_of(std::string_view lines);
[[nodiscard]] NanPolicy nan_policy_of(std::string_view nan);
[[nodiscard]] Connectivity connectivity_of(std::string_view connectivity);

}  // namespace tamis::python
