#include "median/cpu/bucket/tile.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "median/cpu/bucket/kernels.hpp"

namespace tamis::median_detail::cpu {
namespace {

constexpr std::int64_t keys_of_a_bucket = 64;

unsigned bits_of(std::int64_t n) { return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(n - 1))); }

/// From keys to values of 16 bits that do not fall where keys rise: the range of keys in cells, which share the values
/// by how many keys they have.
class Cells {
 public:
  Cells(std::uint32_t low, std::uint32_t high)
      : low_(low), bits_(std::max(static_cast<int>(std::bit_width(high - low)) - most_bits, 0)) {}

  void count(std::uint32_t key) { ++cells_[(key - low_) >> bits_].values; }
  void share_values(std::int64_t keys) {
    constexpr std::uint64_t values = (1U << 16) - most;
    std::uint32_t first = 0;
    for (Cell& cell : cells_) {
      cell.values = static_cast<std::uint32_t>(1 + cell.values * values / static_cast<std::uint64_t>(keys));
      cell.first = first;
      first += cell.values;
    }
  }
  [[nodiscard]] std::uint16_t value(std::uint32_t key) const {
    const std::uint64_t distance = key - low_;
    const Cell& cell = cells_[distance >> bits_];
    const std::uint64_t inside = distance & ((std::uint64_t{1} << bits_) - 1);
    return static_cast<std::uint16_t>(cell.first + (inside * cell.values >> bits_));
  }

 private:
  static constexpr int most_bits = 10;
  static constexpr std::size_t most = std::size_t{1} << most_bits;
  struct Cell {
    std::uint32_t values = 0;  ///< keys, at first
    std::uint32_t first = 0;
  };
  std::uint32_t low_;
  int bits_;
  std::array<Cell, most> cells_{};
};

}  // namespace

template <class K, class Corner>
void BucketTile<K, Corner>::choose_buckets(double share) {
  constexpr std::int64_t most_buckets = (most_groups - 1) * buckets_of_a_group;
  const std::int64_t count = places_.count();
  const auto buckets_at = [&](int shift) { return ((count - 1) >> shift) + 1; };
  shift_ = 0;
  while ((std::int64_t{1} << shift_) < keys_of_a_bucket || buckets_at(shift_) > most_buckets) ++shift_;
  // The bucket that is wanted most comes to lie in the middle of its group.
  const std::int64_t wanted = static_cast<std::int64_t>(share * static_cast<double>(count)) >> shift_;
  first_bucket_ = (buckets_of_a_group / 2 - wanted) & (buckets_of_a_group - 1);
  groups_ = (first_bucket_ + buckets_at(shift_) + buckets_of_a_group - 1) / buckets_of_a_group;
}

template <class K, class Corner>
template <class Body>
void BucketTile<K, Corner>::for_rows(const Body& body) const {
  for (std::int64_t z = 0; z < places_.extent.z; ++z) {
    for (std::int64_t y = 0; y < places_.extent.y; ++y) {
      body(z, y, keys_ + z * slice_stride_ + y * row_stride_, places_.number({z, y, 0}));
    }
  }
}

template <class K, class Corner>
bool BucketTile<K, Corner>::all_alike() const {
  for (std::int64_t z = 0; z < places_.extent.z; ++z) {
    for (std::int64_t y = 0; y < places_.extent.y; ++y) {
      const K* const keys = keys_ + z * slice_stride_ + y * row_stride_;
      if (std::any_of(keys, keys + places_.extent.x, [&](K key) { return key != *keys_; })) return false;
    }
  }
  return true;
}

template <class K, class Corner>
template <class Number, class Values>
void BucketTile<K, Corner>::sort_by(ValueTable<Number>& table, const Values& values) {
  const std::int64_t nx = places_.extent.x;
  table.clear();
  for_rows(
      [&](std::int64_t, std::int64_t, const K* keys, std::int64_t place) { table.count(values(keys, place), nx); });
  table.number();
  Number* const next = table.numbers();
  Whole* const corners = corners_.data();
  std::uint16_t* const buckets = buckets_.data();
  const auto shift = static_cast<unsigned>(shift_);
  const auto first_bucket = static_cast<std::uint32_t>(first_bucket_);
  for_rows([&](std::int64_t z, std::int64_t y, const K* keys, std::int64_t place) {
    const std::uint16_t* const row = values(keys, place);
    auto corner = Corner::of(z, y, 0);
    for (std::int64_t x = 0; x < nx; ++x, ++corner) {
      const std::uint32_t number = next[row[x]]++;
      buckets[place + x] = static_cast<std::uint16_t>((number >> shift) + first_bucket);
      corners[number] = corner;
    }
  });
}

template <class K, class Corner>
template <class Values>
void BucketTile<K, Corner>::sort_by(const Values& values) {
  if (is_small()) {
    sort_by(small_table_, values);
  } else {
    sort_by(large_table_, values);
  }
}

template <class K, class Corner>
void BucketTile<K, Corner>::make_values() {
  const std::int64_t nx = places_.extent.x;
  K low = std::numeric_limits<K>::max(), high = 0;
  for_rows([&](std::int64_t, std::int64_t, const K* keys, std::int64_t) {
    for (std::int64_t x = 0; x < nx; ++x) {
      low = std::min(low, keys[x]);
      high = std::max(high, keys[x]);
    }
  });
  Cells cells(low, high);
  for_rows([&](std::int64_t, std::int64_t, const K* keys, std::int64_t) {
    for (std::int64_t x = 0; x < nx; ++x) cells.count(keys[x]);
  });
  cells.share_values(places_.count());
  values_.resize(static_cast<std::size_t>(places_.count()));
  for_rows([&](std::int64_t, std::int64_t, const K* keys, std::int64_t place) {
    std::uint16_t* const values = values_.data() + place;
    for (std::int64_t x = 0; x < nx; ++x) values[x] = cells.value(keys[x]);
  });
}

/// Keys of the same value are still as they lie. False if that takes too long.
template <class K, class Corner>
bool BucketTile<K, Corner>::sort_equal_values() {
  constexpr std::int64_t moves_of_a_key = 2;
  const std::int64_t count = places_.count();
  std::int64_t left = moves_of_a_key * count;
  K* const keys = ordered_.data();
  Whole* const corners = corners_.data();
  for (std::int64_t i = 0; i < count; ++i) keys[i] = key_at(corners[i]);
  const auto put = [&](std::int64_t number, K key, Whole corner) {
    keys[number] = key;
    corners[number] = corner;
    buckets_[static_cast<std::size_t>(places_.number(Corner::place(corner)))] = bucket_of(number);
  };
  for (std::int64_t i = 1; i < count; ++i) {
    const K key = keys[i];
    if (keys[i - 1] <= key) continue;
    const Whole corner = corners[i];
    std::int64_t at = i;
    for (; at > 0 && keys[at - 1] > key; --at) put(at, keys[at - 1], corners[at - 1]);
    put(at, key, corner);
    left -= i - at;
    if (left < 0) return false;
  }
  return true;
}

template <class K, class Corner>
void BucketTile<K, Corner>::sort_digits(const KeySlab<K>& in, const RankStep& step, const Tile& tile) {
  RankedTileLayout numbered = places_;
  const unsigned x_bits = bits_of(places_.extent.x), y_bits = bits_of(places_.extent.y);
  const std::uint32_t x_mask = (1U << x_bits) - 1, y_mask = (1U << y_bits) - 1;
  numbered.row_stride = std::int64_t{1} << x_bits;
  numbered.slice_stride = numbered.row_stride << y_bits;
  ranked_.fill(in, step, tile, numbered);
  for (std::int64_t number = 0; number < places_.count(); ++number) {
    const std::uint32_t place = ranked_.place(number);
    const std::int64_t x = place & x_mask, y = place >> x_bits & y_mask, z = place >> (x_bits + y_bits);
    buckets_[static_cast<std::size_t>(places_.number({z, y, x}))] = bucket_of(number);
    corners_[static_cast<std::size_t>(number)] = Corner::of(z, y, x);
    ordered_[static_cast<std::size_t>(number)] = ranked_.key(number);
  }
}

template <class K, class Corner>
void BucketTile<K, Corner>::fill(const KeySlab<K>& in, const RankStep& step, const Tile& tile, double share) {
  const OffsetBox& window = step.window.box();
  places_ = RankedTileLayout::dense(window, tile);
  const Offset first = tile.first + window.low;
  keys_ = in.row(first.z, first.y) + first.x;
  row_stride_ = in.row_stride();
  slice_stride_ = in.slice_stride();
  alike_ = all_alike();
  if (alike_) return;
  choose_buckets(share);
  const auto count = static_cast<std::size_t>(places_.count());
  buckets_.resize(count);
  corners_.resize(count + corner_over_read);
  ordered_.resize(sizeof(K) > sizeof(std::uint16_t) ? count : 0);
  if constexpr (sizeof(K) == sizeof(std::uint16_t)) {
    sort_by([](const K* keys, std::int64_t) { return keys; });
  } else {
    // More keys than values: too many would have the same.
    bool sorted = is_small();
    if (sorted) {
      make_values();
      sort_by([&](const K*, std::int64_t place) { return values_.data() + place; });
      sorted = sort_equal_values();
    }
    if (!sorted) sort_digits(in, step, tile);
  }
}

template class BucketTile<std::uint16_t, FlatCorner>;
template class BucketTile<std::uint16_t, LargeFlatCorner>;
template class BucketTile<std::uint16_t, DeepCorner>;
template class BucketTile<std::uint16_t, LargeDeepCorner>;
template class BucketTile<std::uint32_t, FlatCorner>;
template class BucketTile<std::uint32_t, LargeFlatCorner>;
template class BucketTile<std::uint32_t, DeepCorner>;
template class BucketTile<std::uint32_t, LargeDeepCorner>;

}  // namespace tamis::median_detail::cpu
