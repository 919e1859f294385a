#include "granulometry/balls/tally.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "granulometry/balls/squares.hpp"

namespace tamis::granulometry_detail {
std::int64_t removed_by(std::uint64_t square, std::int64_t shortest_side) {
  if (square == 0) return 0;
  return root(square - 1) / shortest_side + 1;
}

void WideSums::add(const WideSums& other) {
  whole += other.whole;
  parts += other.parts;
  high += other.high;
  low += other.low;
}

void WideSums::add(std::uint64_t square, std::int64_t count) {
  const auto times = static_cast<std::uint64_t>(count);
  const auto sides = static_cast<std::uint64_t>(root(square));
  // Beyond 53 bits the root of a double may lie just below the whole one.
  const double left = std::max(0.0, std::sqrt(static_cast<double>(square)) - static_cast<double>(sides));
  whole += times * sides;
  parts += times * static_cast<std::uint64_t>(std::llrint(left * parts_of_one));
  high += times * (square >> 32);
  low += times * (square & 0xffffffffU);
}

double WideSums::of_radii() const { return static_cast<double>(whole) + static_cast<double>(parts) / parts_of_one; }

double WideSums::of_squares() const { return std::ldexp(static_cast<double>(high), 32) + static_cast<double>(low); }

void BallTally::add(const BallTally& other) {
  tally.add(other.tally);
  finite += other.finite;
  if (of_square.size() < other.of_square.size()) of_square.resize(other.of_square.size());
  for (std::size_t square = 0; square < other.of_square.size(); ++square) of_square[square] += other.of_square[square];
  wide.add(other.wide);
  largest = std::max(largest, other.largest);
}

void BallTally::add(std::uint64_t square, std::int64_t count, const TallyRule& rule) {
  const bool covered = square >= rule.least_square;
  const std::int64_t removed = covered ? removed_by(square, rule.shortest_side) : 1;
  const auto by = static_cast<std::size_t>(std::min(removed, rule.cap));
  if (tally.removed_by.size() <= by) tally.removed_by.resize(by + 1);
  tally.removed_by[by] += count;
  finite += count;
  if (!covered) return;
  largest = std::max(largest, square);
  if (square <= largest_counted) {
    if (of_square.size() <= square) of_square.resize(square + 1);
    of_square[square] += count;
  } else {
    wide.add(square, count);
  }
}

void BallTally::put_into(parts::Tally& all) const {
  tally.put_into(all);
  all.set_sum("finite", finite);
  all.counts("of square") = of_square;
  for (const auto& [name, sum] : {std::pair("wide whole", wide.whole), std::pair("wide parts", wide.parts),
                                  std::pair("wide high", wide.high), std::pair("wide low", wide.low)}) {
    all.set_sum(name, static_cast<std::int64_t>(sum));
  }
  all.largest("square") = static_cast<std::int64_t>(largest);
}

BallTally BallTally::from(const parts::Tally& all) {
  const auto sum = [&](const char* name) { return static_cast<std::uint64_t>(all.sum(name)); };
  return {Tally::from(all),
          all.sum("finite"),
          all.counts("of square"),
          {sum("wide whole"), sum("wide parts"), sum("wide high"), sum("wide low")},
          static_cast<std::uint64_t>(all.largest("square"))};
}

std::optional<Thickness> thickness_of(const BallTally& tally, std::int64_t shortest_side) {
  if (tally.finite == 0) return std::nullopt;
  const auto count = static_cast<double>(tally.finite);
  const auto side = static_cast<double>(shortest_side);
  double sum = tally.wide.of_radii();
  double sum_of_squares = tally.wide.of_squares();
  for (std::size_t square = 0; square < tally.of_square.size(); ++square) {
    const auto voxels = static_cast<double>(tally.of_square[square]);
    sum += voxels * std::sqrt(static_cast<double>(square));
    sum_of_squares += voxels * static_cast<double>(square);
  }
  Thickness thickness;
  thickness.mean_radius = sum / count / side;
  const double mean_of_squares = sum_of_squares / count / (side * side);
  const double variance = mean_of_squares - thickness.mean_radius * thickness.mean_radius;
  thickness.standard_deviation = std::sqrt(std::max(0.0, variance));
  thickness.largest_radius = std::sqrt(static_cast<double>(tally.largest)) / side;
  return thickness;
}

}  // namespace tamis::granulometry_detail
