#include "median/cpu/tiles.hpp"

#include <array>
#include <numeric>
#include <utility>

namespace tamis::median_detail::cpu {
namespace {

/// Sorting looks at one digit of the key after the other, lowest first, keeping the order of equal ones.
template <class K>
struct Digits {
  static constexpr unsigned bits = sizeof(K) == 4 ? 11 : 8;
  static constexpr unsigned count = (8 * sizeof(K) + bits - 1) / bits;
  static constexpr std::size_t values = std::size_t{1} << bits;
  static std::size_t of(std::uint64_t entry, unsigned digit) {
    return static_cast<std::size_t>(entry >> (32U + digit * bits)) & (values - 1);
  }
};

template <class K>
void sort(const RankStep& step, std::vector<std::uint64_t>& entries, std::vector<std::uint64_t>& other) {
  using D = Digits<K>;
  std::array<std::array<std::uint32_t, D::values>, D::count> counts{};
  for (const std::uint64_t entry : entries) {
    for (unsigned digit = 0; digit < D::count; ++digit) ++counts[digit][D::of(entry, digit)];
  }
  for (unsigned digit = 0; digit < D::count; ++digit) {
    auto& starts = counts[digit];
    if (starts[D::of(entries[0], digit)] == entries.size()) continue;  // all the same
    std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), std::uint32_t{0});
    step.stop_if_cancelled();
    for (const std::uint64_t entry : entries) other[starts[D::of(entry, digit)]++] = entry;
    std::swap(entries, other);
  }
}

}  // namespace

template <class K>
void RankedTile<K>::fill(const KeySlab<K>& in, const RankStep& step, const Tile& tile, const RankedTileLayout& places) {
  const Offset first = tile.first + step.window.box().low;
  sorted_.resize(static_cast<std::size_t>(places.count()));
  other_.resize(sorted_.size());
  auto entry = sorted_.begin();
  for (std::int64_t z = 0; z < places.extent.z; ++z) {
    for (std::int64_t y = 0; y < places.extent.y; ++y) {
      step.stop_if_cancelled();
      const K* const keys = in.row(first.z + z, first.y + y) + first.x;
      const auto row = static_cast<std::uint64_t>(places.number({z, y, 0}));
      for (std::int64_t x = 0; x < places.extent.x; ++x) {
        *entry++ = std::uint64_t{keys[x]} << 32U | (row + static_cast<std::uint64_t>(x));
      }
    }
  }
  sort<K>(step, sorted_, other_);
}

template class RankedTile<std::uint8_t>;
template class RankedTile<std::uint16_t>;
template class RankedTile<std::uint32_t>;

}  // namespace tamis::median_detail::cpu
