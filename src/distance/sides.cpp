// Voxel sides as whole numbers.
#include <tamis/distance.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/door.hpp"

namespace tamis {
namespace {

__extension__ typedef __int128 Wide;
/// x, y and z; of rank 2 the last is the one before.
using Lengths = std::array<Wide, 3>;

constexpr Wide largest_side = 0x7fffffff;  // the square of one has 62 bits
constexpr Wide tolerance = 1'000'000;      // ratios are kept to one in so many

/// The shortest decimals that give lengths, in a unit of which all are multiples.
Lengths whole_lengths(const std::array<double, 3>& spacing) {
  Lengths digits{};
  std::array<int, 3> exponents{};
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<char, 32> text{};  // d.ddde-dd
    const char* const end =
        std::to_chars(text.data(), text.data() + text.size(), spacing[i], std::chars_format::scientific).ptr;
    const char* const e = std::find<const char*>(text.data(), end, 'e');
    for (const char* at = text.data(); at != e; ++at) {
      if (*at != '.') digits[i] = 10 * digits[i] + (*at - '0');
    }
    std::from_chars(e[1] == '+' ? e + 2 : e + 1, end, exponents[i]);
    exponents[i] -= std::max(static_cast<int>(e - text.data()) - 2, 0);
  }
  const int unit = std::min({exponents[0], exponents[1], exponents[2]});
  for (std::size_t i = 0; i < 3; ++i) {
    for (; exponents[i] > unit; --exponents[i]) digits[i] *= 10;
  }
  return digits;
}

/// Whether the ratio of every two sides is that of the lengths, within the tolerance.
bool are_close(const Lengths& sides, const Lengths& lengths) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      if (lengths[i] < lengths[j]) continue;
      const Wide more = sides[i] * lengths[j] - sides[j] * lengths[i];
      if ((more < 0 ? -more : more) > sides[j] * lengths[i] / tolerance) return false;
    }
  return true;
}

}  // namespace

WholeSides whole_sides(const Spacing& spacing, int rank) {
  door::require_rank(rank, "sides of voxels");
  door::require_spacing(spacing, rank, "sides of voxels");
  const std::array<double, 3> given = {spacing.x, spacing.y, rank == 3 ? spacing.z : spacing.y};
  const auto [least, most] = std::minmax({given[0], given[1], given[2]});
  const bool sensible = most / least <= static_cast<double>(largest_side);
  const Lengths lengths = sensible ? whole_lengths(given) : Lengths{1, 1, 2 * largest_side};
  const Wide unit = std::min({lengths[0], lengths[1], lengths[2]});
  // With a shortest side of the tolerance whatever is rounded is close.
  for (Wide shortest = 1;; ++shortest) {
    Lengths sides{};
    for (std::size_t i = 0; i < 3; ++i) sides[i] = (2 * shortest * lengths[i] + unit) / (2 * unit);
    if (std::max({sides[0], sides[1], sides[2]}) > largest_side) break;
    if (!are_close(sides, lengths)) continue;
    WholeSides found;
    found.x = static_cast<std::int64_t>(sides[0]);
    found.y = static_cast<std::int64_t>(sides[1]);
    if (rank == 3) found.z = static_cast<std::int64_t>(sides[2]);
    found.unit = spacing.x / static_cast<double>(found.x);
    return found;
  }
  const std::string z = rank == 3 ? fmt::format("x{:.6g}", spacing.z) : "";
  throw InputError(fmt::format("voxels of {:.6g}x{:.6g}{}{}; wanted sides above 0 in a ratio of whole numbers up to {}",
                               spacing.x, spacing.y, z, spacing.unit, static_cast<std::int64_t>(largest_side)));
}

}  // namespace tamis
