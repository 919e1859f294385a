// Keys of a part of a slab in their order, in buckets: selection among them then is the same for all types.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "median/cpu/bucket/kernels.hpp"
#include "median/cpu/keys.hpp"
#include "median/cpu/tiles.hpp"

namespace tamis::median_detail::cpu {

// Sorting values of 16 bits by counting them.

/// Numbers from 0 for values in their order: first all are counted, then each takes the next number of its value.
/// `Number` has to have as many values as there are.
template <class Number>
class ValueTable {
 public:
  void clear() { numbers_.assign(std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1, 0); }
  void count(const std::uint16_t* values, std::int64_t n) {
    Number* const numbers = numbers_.data();
    for (std::int64_t i = 0; i < n; ++i) ++numbers[values[i]];
  }
  /// From counts to first numbers, a word of them at a time: the product has the running sums.
  void number() {
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < numbers_.size(); i += lanes) {
      std::uint64_t counts = 0;
      std::memcpy(&counts, &numbers_[i], sizeof(counts));
      const std::uint64_t up_to = counts * ones;
      const std::uint64_t first = up_to - counts + before * ones;
      std::memcpy(&numbers_[i], &first, sizeof(first));
      before += up_to >> (64 - bits);
    }
  }
  [[nodiscard]] Number* numbers() { return numbers_.data(); }

 private:
  static constexpr unsigned bits = 8 * sizeof(Number);
  static constexpr std::size_t lanes = 64 / bits;
  static_assert(std::endian::native == std::endian::little);  // the first count of a word is its lowest
  static constexpr std::uint64_t ones = std::numeric_limits<std::uint64_t>::max() / std::numeric_limits<Number>::max();

  std::vector<Number> numbers_;
};

/// Keys have numbers 0 ... count-1 in their order; buckets have 1 << shift of them each. Keeps its memory.
template <class K, class Corner>
class BucketTile {
 public:
  /// Takes the keys that the windows of a tile see. `share`: of a window's keys those before the wanted one, from which
  /// buckets are laid out so that most results fall into one group.
  void fill(const KeySlab<K>& in, const RankStep& step, const Tile& tile, double share);

  /// Whether all keys are the same, which then have no buckets.
  [[nodiscard]] bool alike() const { return alike_; }
  [[nodiscard]] K first_key() const { return *keys_; }

  /// The bucket of each place.
  [[nodiscard]] const std::uint16_t* buckets() const { return buckets_.data(); }
  [[nodiscard]] const RankedTileLayout& places() const { return places_; }
  [[nodiscard]] std::int64_t groups() const { return groups_; }
  [[nodiscard]] std::int64_t first_bucket() const { return first_bucket_; }
  [[nodiscard]] int shift() const { return shift_; }
  [[nodiscard]] const typename Corner::whole* corners() const { return corners_.data(); }
  /// Valid until the slab is filled again.
  [[nodiscard]] K key(std::int64_t number) const {
    const auto i = static_cast<std::size_t>(number);
    return sizeof(K) == sizeof(std::uint16_t) ? key_at(corners_[i]) : ordered_[i];
  }

 private:
  using Whole = typename Corner::whole;

  [[nodiscard]] K key_at(Whole corner) const {
    const Offset place = Corner::place(corner);
    return keys_[place.z * slice_stride_ + place.y * row_stride_ + place.x];
  }
  /// Whether 16 bits are enough to number the keys of the tile.
  [[nodiscard]] bool is_small() const { return places_.count() <= std::numeric_limits<std::uint16_t>::max(); }
  void choose_buckets(double share);
  [[nodiscard]] std::uint16_t bucket_of(std::int64_t number) const {
    return static_cast<std::uint16_t>((number >> shift_) + first_bucket_);
  }
  /// Calls body(z, y, keys of the row, their first place).
  template <class Body>
  void for_rows(const Body& body) const;
  /// Sorts by values of 16 bits that have the order of the keys; values(keys, first place) gives a row of them.
  template <class Number, class Values>
  void sort_by(ValueTable<Number>& table, const Values& values);
  template <class Values>
  void sort_by(const Values& values);
  [[nodiscard]] bool all_alike() const;
  void make_values();
  [[nodiscard]] bool sort_equal_values();
  void sort_digits(const KeySlab<K>& in, const RankStep& step, const Tile& tile);

  const K* keys_ = nullptr;  ///< of the first place, in the slab
  std::int64_t row_stride_ = 0, slice_stride_ = 0;
  RankedTileLayout places_;
  bool alike_ = false;
  std::int64_t groups_ = 1, first_bucket_ = 0;
  int shift_ = 0;
  std::vector<std::uint16_t> buckets_;
  std::vector<Whole> corners_;
  ValueTable<std::uint16_t> small_table_;
  ValueTable<std::uint32_t> large_table_;
  std::vector<std::uint16_t> values_;  ///< of larger keys, by place
  std::vector<K> ordered_;             ///< larger keys by number
  RankedTile<K> ranked_;
};

}  // namespace tamis::median_detail::cpu
