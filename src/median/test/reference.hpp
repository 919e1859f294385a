// The definition, word for word, in doubles, which hold every type. For tests; nothing here is fast.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <tamis/median.hpp>

#include "morphology/test/reference.hpp"

namespace tamis::median_reference {

struct Grid {
  Shape shape;
  std::vector<double> values;
};

using morphology_reference::below;
using morphology_reference::inside;

/// Sorted value min(n-1, floor(n p / 100)) of the n samples that are seen and are numbers. If none is seen the sample
/// itself; if only NaN, NaN.
inline Grid step(const Grid& f, const std::vector<Offset>& offsets, double percentile, const Border& border) {
  Grid out = f;
  std::size_t at = 0;
  for (std::int64_t z = 0; z < f.shape.z; ++z)
    for (std::int64_t y = 0; y < f.shape.y; ++y)
      for (std::int64_t x = 0; x < f.shape.x; ++x, ++at) {
        std::vector<double> seen;
        bool nan = false;
        for (const Offset& b : offsets) {
          const std::int64_t nz = inside(z + b.z, f.shape.z, border.kind);
          const std::int64_t ny = inside(y + b.y, f.shape.y, border.kind);
          const std::int64_t nx = inside(x + b.x, f.shape.x, border.kind);
          const bool out_of_image = nz < 0 || ny < 0 || nx < 0;
          if (out_of_image && border.kind == Border::Kind::Neutral) continue;
          const double value =
              out_of_image ? border.value : f.values[static_cast<std::size_t>((nz * f.shape.y + ny) * f.shape.x + nx)];
          nan = nan || std::isnan(value);
          if (!std::isnan(value)) seen.push_back(value);
        }
        if (seen.empty()) {
          if (nan) out.values[at] = std::nan("");
          continue;
        }
        std::sort(seen.begin(), seen.end(), below);
        const double index = std::floor(static_cast<double>(seen.size()) * percentile / 100);
        out.values[at] = seen[std::min(seen.size() - 1, static_cast<std::size_t>(index))];
      }
  return out;
}

}  // namespace tamis::median_reference
