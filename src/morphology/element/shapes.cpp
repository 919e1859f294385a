#include "morphology/element/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/visit_type.hpp"

namespace tamis::morphology_detail {
namespace {

using Run = OffsetSet::Run;

/// Rows -rows .. rows (slice z), row y covers -half(y) .. half(y).
template <class Half>
void add_rows(std::vector<Run>& runs, std::int64_t z, std::int64_t rows, Half half) {
  for (std::int64_t y = -rows; y <= rows; ++y) {
    const std::int64_t x = half(std::abs(y));
    if (x >= 0) runs.push_back({{z, y, -x}, 2 * x + 1});
  }
}

/// The largest whole x with x^2 <= rest, -1 if there is none. The root is only a guess: squares of whole numbers are
/// exact in double, roots are not.
std::int64_t whole_root(double rest) {
  if (rest < 0) return -1;
  auto x = static_cast<std::int64_t>(std::sqrt(rest));
  while (static_cast<double>(x + 1) * static_cast<double>(x + 1) <= rest) ++x;
  while (static_cast<double>(x) * static_cast<double>(x) > rest) --x;
  return x;
}

double square_of(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n); }

/// R^2, where what a rounding error keeps from a whole number counts as it: a ball of the root of 3 has its corners.
double square_of_radius(double radius) {
  const double square = radius * radius;
  const double whole = std::round(square);
  return std::abs(square - whole) <= 1e-9 * whole ? whole : square;
}

void add_disk(std::vector<Run>& runs, std::int64_t z, double radius_squared) {
  add_rows(runs, z, whole_root(radius_squared),
           [&](std::int64_t y) { return whole_root(radius_squared - square_of(y)); });
}

/// Half away from zero; what a rounding error keeps from a half counts as the half.
std::int64_t round_length(double value) {
  return static_cast<std::int64_t>(std::copysign(std::floor(std::abs(value) + 0.5 + 1e-9), value));
}

/// round(k * extent / n), half away from zero, exact.
std::int64_t along(std::int64_t k, std::int64_t extent, std::int64_t n) {
  const std::int64_t magnitude = (2 * k * std::abs(extent) + n) / (2 * n);
  return extent < 0 ? -magnitude : magnitude;
}

// Of a mask or a sum: half a gigabyte of runs.
constexpr std::size_t most_runs = std::size_t{1} << 24;

void require_runs(const std::vector<Run>& runs, const char* what) {
  if (runs.size() <= most_runs) return;
  throw InputError(fmt::format("{} of more than {} runs along x; wanted fewer", what, most_runs));
}

/// `is_in(x)` says whether sample x of the row is in.
template <class IsIn>
void add_mask_row(IsIn is_in, std::int64_t width, const Offset& start, std::vector<Run>& runs) {
  // Most of a large mask is the same for long: to count many samples at once is what vectors are for.
  constexpr std::int64_t many = 64;
  bool inside = false;
  for (std::int64_t x = 0; x < width;) {
    if (x + many <= width) {
      int in = 0;
      for (std::int64_t i = 0; i < many; ++i) in += is_in(x + i) ? 1 : 0;
      if (in == (inside ? many : 0)) {
        if (inside) runs.back().length += many;
        x += many;
        continue;
      }
    }
    for (const std::int64_t end = std::min(x + many, width); x < end; ++x) {
      const bool in = is_in(x);
      if (in && inside) ++runs.back().length;
      if (in && !inside) runs.push_back({start + Offset{0, 0, x}, 1});
      inside = in;
    }
  }
  require_runs(runs, "a mask");
}

}  // namespace

OffsetSet box_set(std::int64_t width, std::int64_t height, std::int64_t depth) {
  const Offset low{-(depth / 2), -(height / 2), -(width / 2)};
  return OffsetSet(OffsetBox{low, low + Offset{depth - 1, height - 1, width - 1}});
}

OffsetSet diamond_set(std::int64_t radius) {
  std::vector<Run> runs;
  add_rows(runs, 0, radius, [&](std::int64_t y) { return radius - y; });
  return OffsetSet(std::move(runs));
}

OffsetSet octahedron_set(std::int64_t radius) {
  std::vector<Run> runs;
  runs.reserve(static_cast<std::size_t>(2 * radius * (radius + 1) + 1));
  for (std::int64_t z = -radius; z <= radius; ++z) {
    const std::int64_t rest = radius - std::abs(z);
    add_rows(runs, z, rest, [&](std::int64_t y) { return rest - y; });
  }
  return OffsetSet(std::move(runs));
}

OffsetSet disk_set(double radius) {
  std::vector<Run> runs;
  add_disk(runs, 0, square_of_radius(radius));
  return OffsetSet(std::move(runs));
}

OffsetSet ball_set(double radius) {
  std::vector<Run> runs;
  const double squared = square_of_radius(radius);
  const std::int64_t top = whole_root(squared);
  for (std::int64_t z = -top; z <= top; ++z) add_disk(runs, z, squared - square_of(z));
  return OffsetSet(std::move(runs));
}

OffsetSet ring_set(double radius) {
  if (radius < 1) return disk_set(radius);
  std::vector<Run> runs;
  const double outer = square_of_radius(radius);
  const double inner = square_of_radius(radius - 1);
  const std::int64_t top = whole_root(outer);
  for (std::int64_t y = -top; y <= top; ++y) {
    const std::int64_t to = whole_root(outer - square_of(y));
    const std::int64_t hole = whole_root(inner - square_of(y));
    if (hole < 0) {
      runs.push_back({{0, y, -to}, 2 * to + 1});
    } else {
      runs.push_back({{0, y, -to}, to - hole});
      runs.push_back({{0, y, hole + 1}, to - hole});
    }
  }
  return OffsetSet(std::move(runs));
}

OffsetSet octagon_set(std::int64_t radius) {
  std::vector<Run> runs;
  add_rows(runs, 0, radius, [&](std::int64_t y) { return std::min(radius, 4 * radius / 3 - y); });
  return OffsetSet(std::move(runs));
}

OffsetSet bevelled_square_set(std::int64_t radius, std::int64_t flat) {
  std::vector<Run> runs;
  add_rows(runs, 0, radius, [&](std::int64_t y) { return std::min(radius, radius + flat - y); });
  return OffsetSet(std::move(runs));
}

OffsetSet hexagon_set(double radius) {
  std::vector<Run> runs;
  const double root_3 = std::numbers::sqrt3;
  add_rows(runs, 0, static_cast<std::int64_t>(radius * root_3 / 2), [&](std::int64_t y) {
    const double rest = radius - static_cast<double>(y) / root_3;
    return rest < 0 ? -1 : static_cast<std::int64_t>(rest);
  });
  return OffsetSet(std::move(runs));
}

OffsetSet line_set(double length, double azimuth, double elevation) {
  const double degree = std::numbers::pi / 180;
  const double half = (length - 1) / 2;
  // Half a turn maps a segment in the plane onto itself; one that rises it tilts the other way.
  const double turn = elevation == 0 ? 180.0 : 360.0;
  const double a = std::fmod(std::fmod(azimuth, turn) + turn, turn) * degree;
  const double e = elevation * degree;
  const Offset end{round_length(half * std::sin(e)), -round_length(half * std::cos(e) * std::sin(a)),
                   round_length(half * std::cos(e) * std::cos(a))};
  const std::int64_t n = std::max({std::abs(end.z), std::abs(end.y), std::abs(end.x)});
  std::vector<Run> runs{{{}, 1}};
  for (std::int64_t k = 1; k <= n; ++k) {
    const Offset point{along(k, end.z, n), along(k, end.y, n), along(k, end.x, n)};
    runs.push_back({point, 1});
    runs.push_back({-point, 1});
  }
  return OffsetSet(std::move(runs));
}

OffsetSet mask_set(const Image& mask, const Offset& origin) {
  std::vector<Run> runs;
  const Shape& shape = mask.shape();
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const Offset start = Offset{z, y, 0} - origin;
      if (mask.type() == Type::Bool) {
        add_mask_row([&](std::int64_t x) { return mask.bit(z, y, x); }, shape.x, start, runs);
      } else {
        visit_type(mask.type(), [&](auto sample) {
          const auto* const row = mask.row<decltype(sample)>(z, y);
          add_mask_row([&](std::int64_t x) { return row[x] != decltype(sample){0}; }, shape.x, start, runs);
        });
      }
    }
  }
  if (runs.empty()) throw InputError("a mask of " + to_string(shape) + " zeros; wanted at least one nonzero sample");
  return OffsetSet(std::move(runs));
}

OffsetSet minkowski_sum(const OffsetSet& a, const OffsetSet& b, SumLimits& limits) {
  if (a.is_box() && b.is_box()) return OffsetSet(OffsetBox{a.box().low + b.box().low, a.box().high + b.box().high});
  const auto unions = static_cast<std::int64_t>(a.runs().size() * b.runs().size());  // both far below 2^31
  if (unions > limits.unions) {
    throw InputError(fmt::format("a sum of elements of {} and {} runs as one set; wanted simpler ones", a.runs().size(),
                                 b.runs().size()));
  }
  limits.unions -= unions;
  // Runs that overlap are put together now and then, so that memory is that of the sum and not of all pairs.
  constexpr std::size_t at_once = std::size_t{1} << 20;
  std::vector<Run> runs;
  std::size_t room = at_once;
  for (const Run& p : a.runs()) {
    if (limits.cancel.stop_requested()) throw Cancelled();
    for (const Run& q : b.runs()) runs.push_back({p.start + q.start, p.length + q.length - 1});
    if (runs.size() < room) continue;
    runs = OffsetSet(std::move(runs)).runs();
    require_runs(runs, "a sum of elements");
    room = 2 * runs.size() + at_once;
  }
  return OffsetSet(std::move(runs));
}

}  // namespace tamis::morphology_detail
