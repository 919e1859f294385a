#include "median/network_three.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/border.hpp"
#include "core/cpu/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "median/network_three.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/network_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::HWY_NAMESPACE {
namespace {

template <class V>
HWY_INLINE V median3(V a, V b, V c) {
  return larger(smaller(a, b), smaller(larger(a, b), c));
}

/// Three samples side by side, sorted; or what is known of two such rows: the larger lowest, both in the middle and the
/// smaller highest.
template <class V>
struct Row {
  V low, middle, high;
};
template <class V>
struct TwoRows {
  V low, smaller_middle, larger_middle, high;
};

template <class V, class K>
HWY_INLINE V load_as(const K* from) {
  if constexpr (std::is_same_v<V, K>) {
    return *from;
  } else {
    return load_vector<K>(from);
  }
}
template <class V, class K>
HWY_INLINE void store_as(V v, K* to) {
  if constexpr (std::is_same_v<V, K>) {
    *to = v;
  } else {
    store_vector<K>(v, to);
  }
}

template <class V, class K>
HWY_INLINE Row<V> sorted_row(const K* at) {
  const V a = load_as<V>(at);
  const V b = load_as<V>(at + 1);
  const V c = load_as<V>(at + 2);
  const auto low = smaller(a, b);
  const auto high = larger(a, b);
  const auto between = larger(low, c);
  return {smaller(low, c), smaller(between, high), larger(between, high)};
}

template <class V>
HWY_INLINE TwoRows<V> both(const Row<V>& a, const Row<V>& b) {
  return {larger(a.low, b.low), smaller(a.middle, b.middle), larger(a.middle, b.middle), smaller(a.high, b.high)};
}

/// The median is the median of the highest lowest, the middle middle and the lowest highest of three rows.
template <class V>
HWY_INLINE V median_of(const TwoRows<V>& two, const Row<V>& third) {
  return median3(larger(two.low, third.low), larger(two.smaller_middle, smaller(two.larger_middle, third.middle)),
                 smaller(two.high, third.high));
}

/// Goes down `wide` vectors beside each other, from column x of the rows; two rows are in registers.
template <class V, int wide, class K>
HWY_INLINE void go_down(const K* const* rows, std::int64_t x, K* out, std::int64_t out_stride, std::int64_t ny) {
  constexpr bool single = std::is_same_v<V, K>;
  const std::int64_t n = single ? 1 : vector_lanes<K>();
  Row<V> first[wide], second[wide];
  for (int v = 0; v < wide; ++v) {
    first[v] = sorted_row<V>(rows[0] + x + v * n);
    second[v] = sorted_row<V>(rows[1] + x + v * n);
  }
  std::int64_t y = 0;
  for (; y + 2 <= ny; y += 2) {
    for (int v = 0; v < wide; ++v) {
      const auto third = sorted_row<V>(rows[y + 2] + x + v * n);
      const auto fourth = sorted_row<V>(rows[y + 3] + x + v * n);
      const auto two = both(second[v], third);
      store_as<V>(median_of(two, first[v]), out + y * out_stride + v * n);
      store_as<V>(median_of(two, fourth), out + (y + 1) * out_stride + v * n);
      first[v] = third;
      second[v] = fourth;
    }
  }
  if (y == ny) return;
  for (int v = 0; v < wide; ++v) {
    const auto third = sorted_row<V>(rows[y + 2] + x + v * n);
    store_as<V>(median_of(both(first[v], second[v]), third), out + y * out_stride + v * n);
  }
}

template <class K>
void make_rows(const K* const* rows, K* out, std::int64_t out_stride, std::int64_t nx, std::int64_t ny) {
  using V = Vector<K>;
  const std::int64_t n = vector_lanes<K>();
  std::int64_t x = 0;
  for (; x + 2 * n <= nx; x += 2 * n) go_down<V, 2>(rows, x, out + x, out_stride, ny);
  for (; x + n <= nx; x += n) go_down<V, 1>(rows, x, out + x, out_stride, ny);
  if (x == nx) return;
  if (nx >= n) return go_down<V, 1>(rows, nx - n, out + nx - n, out_stride, ny);  // some results once more
  K row[sizeof(V) / sizeof(K)];
  for (std::int64_t y = 0; y < ny; ++y) {
    go_down<V, 1>(rows + y, 0, row, 0, 1);
    std::memcpy(out + y * out_stride, row, static_cast<std::size_t>(nx) * sizeof(K));
  }
}

template <class K>
void make_column(const K* const* rows, K* out, std::int64_t out_stride, std::int64_t ny) {
  go_down<K, 1>(rows, 0, out, out_stride, ny);
}

#define TAMIS_FOR_KEY(K, suffix)                                                                                \
  void rows_##suffix(const K* const* rows, K* out, std::int64_t out_stride, std::int64_t nx, std::int64_t ny) { \
    make_rows(rows, out, out_stride, nx, ny);                                                                   \
  }                                                                                                             \
  void column_##suffix(const K* const* rows, K* out, std::int64_t out_stride, std::int64_t ny) {                \
    make_column(rows, out, out_stride, ny);                                                                     \
  }
TAMIS_FOR_KEY(std::uint8_t, u8)
TAMIS_FOR_KEY(std::uint16_t, u16)
TAMIS_FOR_KEY(std::uint32_t, u32)
#undef TAMIS_FOR_KEY

}  // namespace
}  // namespace tamis::median_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail {
namespace {

#define TAMIS_EXPORT(suffix) \
  HWY_EXPORT(rows_##suffix); \
  HWY_EXPORT(column_##suffix);
TAMIS_EXPORT(u8)
TAMIS_EXPORT(u16)
TAMIS_EXPORT(u32)
#undef TAMIS_EXPORT

template <class K>
struct ThreeKernels {
  /// Rows of nx results; the window of the first result of row y begins at rows[y], rows[y + 1] and rows[y + 2].
  void (*rows)(const K* const* rows, K* out, std::int64_t out_stride, std::int64_t nx, std::int64_t ny);
  /// The same for one result a row.
  void (*column)(const K* const* rows, K* out, std::int64_t out_stride, std::int64_t ny);
};

template <class K>
ThreeKernels<K> kernels_for(Simd simd);
#define TAMIS_KERNELS(K, suffix)                                                 \
  template <>                                                                    \
  ThreeKernels<K> kernels_for(Simd simd) {                                       \
    return {TAMIS_SIMD(simd, rows_##suffix), TAMIS_SIMD(simd, column_##suffix)}; \
  }
TAMIS_KERNELS(std::uint8_t, u8)
TAMIS_KERNELS(std::uint16_t, u16)
TAMIS_KERNELS(std::uint32_t, u32)
#undef TAMIS_KERNELS

/// Few enough for prefetchers to follow; two more are sorted than results are made.
constexpr std::int64_t rows_at_once = 4;
constexpr std::size_t rows_seen = rows_at_once + 2;

/// make(z, y, rows) for all rows of the band, a few at a time.
template <class Make>
void for_rows(const Band& band, Make make) {
  for (std::int64_t z = band.z0; z < band.z1; ++z) {
    for (std::int64_t y = band.y0; y < band.y1; y += rows_at_once) make(z, y, std::min(rows_at_once, band.y1 - y));
  }
}

/// The rows of an image as windows see them.
template <class K>
class SeenRows {
 public:
  SeenRows(const Image& image, const RankStep& step)
      : image_(image), step_(step), outside_(static_cast<std::size_t>(image.shape().x), value_outside(step.border)) {}

  [[nodiscard]] const K* row(std::int64_t z, std::int64_t y) const {
    const std::int64_t from_z = seen_at(z, image_.shape().z, step_.border.kind);
    const std::int64_t from_y = seen_at(y, image_.shape().y, step_.border.kind);
    return from_z < 0 || from_y < 0 ? outside_.data() : image_.row<K>(from_z, from_y);
  }
  [[nodiscard]] K at(const K* row, std::int64_t x) const {
    const std::int64_t from = seen_at(x, image_.shape().x, step_.border.kind);
    return from < 0 ? outside_.front() : row[from];
  }

 private:
  [[nodiscard]] static K value_outside(const Border& border) {
    return border.kind == Border::Kind::Constant ? static_cast<K>(border.value) : absent<K>;
  }
  const Image& image_;
  const RankStep& step_;
  std::vector<K> outside_;
};

}  // namespace

template <class K>
void three_band(const BandWork<K>& work) {
  const OffsetBox& box = work.step->window.box();
  const ThreeKernels<K> kernels = kernels_for<K>(work.simd);
  for_rows(work.band, [&](std::int64_t z, std::int64_t y, std::int64_t ny) {
    std::array<const K*, rows_seen> rows{};
    for (std::int64_t i = 0; i < ny + 2; ++i) {
      rows[static_cast<std::size_t>(i)] = work.in->row(z + box.low.z, y + box.low.y + i) + box.low.x;
    }
    kernels.rows(rows.data(), work.out_row(z, y), work.row_stride, work.nx, ny);
  });
}

template <class K>
bool three_from_image(Simd simd, const RankStep& step, const Image& image, const Band& band, Image& out) {
  constexpr std::int64_t widest_vector = 64;
  constexpr std::int64_t least_width = 2 + widest_vector / static_cast<std::int64_t>(sizeof(K));
  const OffsetBox& box = step.window.box();
  const std::int64_t nx = image.shape().x;
  if (nx < least_width || box.low.x != -1) return false;
  const ThreeKernels<K> kernels = kernels_for<K>(simd);
  const SeenRows<K> seen(image, step);
  for_rows(band, [&](std::int64_t z, std::int64_t y, std::int64_t ny) {
    std::array<const K*, rows_seen> rows{}, left{}, right{};
    std::array<std::array<K, 3>, rows_seen> left_keys{}, right_keys{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(ny + 2); ++i) {
      const K* const row = seen.row(z + box.low.z, y + box.low.y + static_cast<std::int64_t>(i));
      rows[i] = row;
      left_keys[i] = {seen.at(row, -1), row[0], row[1]};
      right_keys[i] = {row[nx - 2], row[nx - 1], seen.at(row, nx)};
      left[i] = left_keys[i].data();
      right[i] = right_keys[i].data();
    }
    K* const to = out.row<K>(z, y);
    kernels.rows(rows.data(), to + 1, nx, nx - 2, ny);
    kernels.column(left.data(), to, nx, ny);
    kernels.column(right.data(), to + nx - 1, nx, ny);
  });
  return true;
}

template void three_band(const BandWork<std::uint8_t>&);
template void three_band(const BandWork<std::uint16_t>&);
template void three_band(const BandWork<std::uint32_t>&);
template bool three_from_image<std::uint8_t>(Simd, const RankStep&, const Image&, const Band&, Image&);
template bool three_from_image<std::uint16_t>(Simd, const RankStep&, const Image&, const Band&, Image&);

}  // namespace tamis::median_detail
#endif
