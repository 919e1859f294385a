// The definition, word for word, in doubles, which hold every type. For tests; nothing here is fast.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <tamis/morphology.hpp>

namespace tamis::morphology_reference {

struct Grid {
  Shape shape;
  std::vector<double> values;
  double lowest = 0, highest = 0;  ///< of the type; infinities for F32
};

/// Index of a sample outside of 0 ... n-1 under `kind`, or -1 for none.
inline std::int64_t inside(std::int64_t i, std::int64_t n, Border::Kind kind) {
  if (i >= 0 && i < n) return i;
  if (kind == Border::Kind::Nearest) return i < 0 ? 0 : n - 1;
  if (kind == Border::Kind::Wrap) return (i % n + n) % n;
  if (kind == Border::Kind::Mirror) {
    while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * (n - 1) - i;
    return n > 1 ? i : 0;
  }
  if (kind != Border::Kind::Reflect) return -1;
  while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
  return i;
}

inline bool below(double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

/// Minimum of f(x+b) over the offsets, or maximum of f(x-b); NaN is left out, where nothing else is, NaN.
inline Grid step(const Grid& f, const std::vector<Offset>& offsets, bool erode, const Border& border) {
  Grid out = f;
  std::size_t at = 0;
  for (std::int64_t z = 0; z < f.shape.z; ++z)
    for (std::int64_t y = 0; y < f.shape.y; ++y)
      for (std::int64_t x = 0; x < f.shape.x; ++x, ++at) {
        double best = erode ? f.highest : f.lowest;
        bool any = false, nan = false;
        for (const Offset& b : offsets) {
          const std::int64_t sign = erode ? 1 : -1;
          const std::int64_t nz = inside(z + sign * b.z, f.shape.z, border.kind);
          const std::int64_t ny = inside(y + sign * b.y, f.shape.y, border.kind);
          const std::int64_t nx = inside(x + sign * b.x, f.shape.x, border.kind);
          const bool out_of_image = nz < 0 || ny < 0 || nx < 0;
          if (out_of_image && border.kind == Border::Kind::Neutral) continue;
          const double value =
              out_of_image ? border.value : f.values[static_cast<std::size_t>((nz * f.shape.y + ny) * f.shape.x + nx)];
          nan = nan || std::isnan(value);
          any = any || !std::isnan(value);
          if (erode ? below(value, best) : below(best, value)) best = value;
        }
        out.values[at] = nan && !any ? std::nan("") : best;
      }
  return out;
}

}  // namespace tamis::morphology_reference
