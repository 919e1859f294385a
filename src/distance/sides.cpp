// Voxel sides as whole numbers.
#include <tamis/distance.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis {
namespace {

constexpr std::int64_t largest_side = 64;
constexpr double tolerance = 1e-4;

/// Whole sides when the shortest is `shortest` of them, and how far the worst of them is from the given ones.
struct Candidate {
  WholeSides sides;
  double error = 0;
};

Candidate candidate_of(const Spacing& spacing, int rank, std::int64_t shortest) {
  const double least = rank == 3 ? std::min({spacing.x, spacing.y, spacing.z}) : std::min(spacing.x, spacing.y);
  Candidate candidate;
  const auto round_side = [&](double length) {
    const double exact = static_cast<double>(shortest) * length / least;
    const double whole = std::clamp(std::round(exact), 1.0, static_cast<double>(largest_side));
    candidate.error = std::max(candidate.error, std::abs(whole - exact) / exact);
    return static_cast<std::int64_t>(whole);
  };
  candidate.sides.x = round_side(spacing.x);
  candidate.sides.y = round_side(spacing.y);
  if (rank == 3) candidate.sides.z = round_side(spacing.z);
  const std::int64_t plane = std::gcd(candidate.sides.x, candidate.sides.y);
  const std::int64_t common = rank == 3 ? std::gcd(plane, candidate.sides.z) : plane;
  candidate.sides.x /= common;
  candidate.sides.y /= common;
  if (rank == 3) candidate.sides.z /= common;
  candidate.sides.unit = spacing.x / static_cast<double>(candidate.sides.x);
  return candidate;
}

[[noreturn]] void refuse(const Spacing& spacing, int rank, const WholeSides& nearest) {
  const auto length = [&](std::int64_t side) { return static_cast<double>(side) * nearest.unit; };
  std::string got = fmt::format("{:.6g}x{:.6g}", spacing.x, spacing.y);
  std::string ratio = fmt::format("{}:{}", nearest.x, nearest.y);
  std::string works = fmt::format("{:.6g}x{:.6g}", length(nearest.x), length(nearest.y));
  if (rank == 3) {
    got += fmt::format("x{:.6g}", spacing.z);
    ratio += fmt::format(":{}", nearest.z);
    works += fmt::format("x{:.6g}", length(nearest.z));
  }
  throw InputError(
      fmt::format("voxels of {}{}; wanted sides in a ratio of whole numbers up to {}: the nearest is {}, {}{}", got,
                  spacing.unit, largest_side, ratio, works, spacing.unit));
}

}  // namespace

WholeSides whole_sides(const Spacing& spacing, int rank) {
  Candidate best;
  for (std::int64_t shortest = 1; shortest <= largest_side; ++shortest) {
    const Candidate candidate = candidate_of(spacing, rank, shortest);
    if (candidate.error <= tolerance) return candidate.sides;
    if (shortest == 1 || candidate.error < best.error) best = candidate;
  }
  refuse(spacing, rank, best.sides);
}

}  // namespace tamis
