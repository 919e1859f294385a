// Which axes of an array are those of an image.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tamis::io {

/// z, y and x, or y and x, of an array of these edges, the slowest first. Of four axes and more those of one sample say
/// nothing and are left out, as long as two stay. None where the array is no image.
template <class Edge>
[[nodiscard]] std::vector<std::size_t> axes_of_image(std::span<const Edge> edges) {
  std::vector<std::size_t> axes;
  const bool all = edges.size() <= 3;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (all || edges[i] != 1) axes.push_back(i);
  }
  for (std::size_t i = edges.size(); i-- > 0 && axes.size() < 2;) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) axes.push_back(i);
  }
  std::sort(axes.begin(), axes.end());
  return axes.size() == 2 || axes.size() == 3 ? axes : std::vector<std::size_t>();
}

}  // namespace tamis::io
