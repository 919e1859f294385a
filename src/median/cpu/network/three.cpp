#include "median/cpu/network/run.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/border.hpp"
#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/network/three.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/network/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
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

/// What samples are compared as: whole numbers of their size. Floats become some in registers.
template <class Sample>
using Ordered = std::conditional_t<std::is_same_v<Sample, float>, std::int32_t, Sample>;

/// Bits of floats as signed numbers of the same order, -0 below +0; and back.
template <class V>
HWY_INLINE V turn_order(V bits) {
  constexpr std::int32_t all_but_sign = 0x7FFFFFFF;
  constexpr int sign = 31;
  if constexpr (!has_vectors || std::is_integral_v<V>) {
    return bits ^ ((bits >> sign) & all_but_sign);
  } else {
    return hn::Xor(bits, hn::And(hn::ShiftRight<sign>(bits), vector_of(all_but_sign)));
  }
}

template <class V, class Sample>
HWY_INLINE V load_as(const Sample* from) {
  using Number = Ordered<Sample>;
  V v;
  if constexpr (std::is_same_v<V, Number>) {
    std::memcpy(&v, from, sizeof(v));
  } else {
    v = load_vector(reinterpret_cast<const Number*>(from));
  }
  if constexpr (std::is_same_v<Sample, float>) v = turn_order(v);
  return v;
}
template <class V, class Sample>
HWY_INLINE void store_as(V v, Sample* to) {
  using Number = Ordered<Sample>;
  if constexpr (std::is_same_v<Sample, float>) v = turn_order(v);
  if constexpr (std::is_same_v<V, Number>) {
    std::memcpy(to, &v, sizeof(v));
  } else {
    store_vector(v, reinterpret_cast<Number*>(to));
  }
}

template <class V, class Sample>
HWY_INLINE Row<V> sorted_row(const Sample* at) {
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

/// Whether floats that were seen hold NaN, which lies beyond infinity. Others hold none.
class FloatsSeen {
 public:
  using V = Vector<std::int32_t>;
  HWY_INLINE FloatsSeen() : lowest_(vector_of<std::int32_t>(0)), highest_(lowest_) {}
  HWY_INLINE void see(const Row<V>& row) {
    lowest_ = smaller(lowest_, row.low);
    highest_ = larger(highest_, row.high);
  }
  [[nodiscard]] HWY_INLINE bool hold_nan() const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    std::int32_t low[sizeof(V) / sizeof(std::int32_t)], high[sizeof(V) / sizeof(std::int32_t)];
    store_vector(lowest_, low);
    store_vector(highest_, high);
    return *std::min_element(std::begin(low), std::end(low)) < turn_order(std::bit_cast<std::int32_t>(-infinity)) ||
           *std::max_element(std::begin(high), std::end(high)) > std::bit_cast<std::int32_t>(infinity);
  }

 private:
  V lowest_, highest_;
};
struct Unwatched {
  template <class V>
  HWY_INLINE void see(const Row<V>& /*row*/) {}
  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): as FloatsSeen has it
  [[nodiscard]] HWY_INLINE bool hold_nan() const { return false; }
};
template <class Sample>
using Seen = std::conditional_t<std::is_same_v<Sample, float>, FloatsSeen, Unwatched>;

/// Goes down `wide` vectors beside each other, from column x of the rows; two rows are in registers.
template <class V, int wide, class Sample, class Watch>
HWY_INLINE void go_down(const Sample* const* rows, std::int64_t x, Sample* out, std::int64_t out_stride,
                        std::int64_t ny, Watch& seen) {
  constexpr bool single = std::is_same_v<V, Ordered<Sample>>;
  const std::int64_t n = single ? 1 : vector_lanes<Ordered<Sample>>();
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
      seen.see(second[v]);
      seen.see(third);
      first[v] = third;
      second[v] = fourth;
    }
  }
  if (y == ny) return;
  for (int v = 0; v < wide; ++v) {
    const auto third = sorted_row<V>(rows[y + 2] + x + v * n);
    store_as<V>(median_of(both(first[v], second[v]), third), out + y * out_stride + v * n);
    seen.see(second[v]);
  }
}

template <class Sample>
bool make_rows(const Sample* const* rows, Sample* out, std::int64_t out_stride, std::int64_t nx, std::int64_t ny) {
  using V = Vector<Ordered<Sample>>;
  const std::int64_t n = vector_lanes<Ordered<Sample>>();
  Seen<Sample> seen;
  std::int64_t x = 0;
  for (; x + 2 * n <= nx; x += 2 * n) go_down<V, 2>(rows, x, out + x, out_stride, ny, seen);
  for (; x + n <= nx; x += n) go_down<V, 1>(rows, x, out + x, out_stride, ny, seen);
  if (x < nx && nx >= n) {
    go_down<V, 1>(rows, nx - n, out + nx - n, out_stride, ny, seen);  // some results once more
  } else if (x < nx) {
    Sample row[sizeof(V) / sizeof(Sample)];
    for (std::int64_t y = 0; y < ny; ++y) {
      go_down<V, 1>(rows + y, 0, row, 0, 1, seen);
      std::memcpy(out + y * out_stride, row, static_cast<std::size_t>(nx) * sizeof(Sample));
    }
  }
  return seen.hold_nan();
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {
namespace {

/// Rows of nx results; the window of the first result of row y begins at rows[y], rows[y + 1] and rows[y + 2]. Whether
/// there is NaN in rows 1 ... ny, as far as windows see them.
template <class Sample>
using MakeRows = bool (*)(const Sample* const* rows, Sample* out, std::int64_t out_stride, std::int64_t nx,
                          std::int64_t ny);

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
template <class Sample>
class SeenRows {
 public:
  SeenRows(const Image& image, const RankStep& step)
      : image_(image), step_(step), outside_(static_cast<std::size_t>(image.shape().x), value_outside(step.border)) {}

  [[nodiscard]] const Sample* row(std::int64_t z, std::int64_t y) const {
    const std::int64_t from_z = seen_at(z, image_.shape().z, step_.border.kind);
    const std::int64_t from_y = seen_at(y, image_.shape().y, step_.border.kind);
    return from_z < 0 || from_y < 0 ? outside_.data() : image_.row<Sample>(from_z, from_y);
  }
  [[nodiscard]] Sample at(const Sample* row, std::int64_t x) const {
    const std::int64_t from = seen_at(x, image_.shape().x, step_.border.kind);
    return from < 0 ? outside_.front() : row[from];
  }

 private:
  [[nodiscard]] static Sample value_outside(const Border& border) {
    return border.kind == Border::Kind::Constant ? static_cast<Sample>(border.value) : Sample{};
  }
  const Image& image_;
  const RankStep& step_;
  std::vector<Sample> outside_;
};

/// The first and the last result of rows, whose windows see what lies beside the image. Both windows lie in one short row,
/// so that they cost a vector and not two results one by one.
template <class Sample>
class Ends {
 public:
  /// Row i of those that windows see.
  void put(std::size_t i, const SeenRows<Sample>& seen, const Sample* row, std::int64_t nx) {
    Sample* const to = samples_.data() + i * length;
    const Sample both[] = {seen.at(row, -1), row[0], row[1], row[nx - 2], row[nx - 1], seen.at(row, nx)};
    std::copy(std::begin(both), std::end(both), to);
    rows_[i] = to;
  }
  void make(MakeRows<Sample> kernel, Sample* out, std::int64_t out_stride, std::int64_t nx, std::int64_t ny) {
    kernel(rows_.data(), results_.data(), lanes, lanes, ny);
    for (std::int64_t y = 0; y < ny; ++y) {
      out[y * out_stride] = results_[static_cast<std::size_t>(y * lanes)];
      out[y * out_stride + nx - 1] = results_[static_cast<std::size_t>(y * lanes + 3)];
    }
  }

 private:
  static constexpr std::int64_t lanes = 64 / sizeof(Sample);  // of the widest vector
  static constexpr std::size_t length = lanes + 2;
  std::array<Sample, rows_seen * length> samples_{};
  std::array<Sample, rows_at_once * lanes> results_{};
  std::array<const Sample*, rows_seen> rows_{};
};

}  // namespace

template <class K>
void three_band(const BandTask<K>& work) {
  const OffsetBox& box = work.step->window.box();
  const MakeRows<K> kernel = TAMIS_SIMD(work.simd, make_rows<K>);
  for_rows(work.band, [&](std::int64_t z, std::int64_t y, std::int64_t ny) {
    std::array<const K*, rows_seen> rows{};
    for (std::int64_t i = 0; i < ny + 2; ++i) {
      rows[static_cast<std::size_t>(i)] = work.in->row(z + box.low.z, y + box.low.y + i) + box.low.x;
    }
    kernel(rows.data(), work.out_row(z, y), work.row_stride, work.nx, ny);
  });
}

bool three_can(const NetworkProgram& network, const RankStep& step, const Image& image) {
  constexpr std::int64_t widest_vector = 64;
  const std::int64_t least_width = 2 + widest_vector / sample_bytes(image.type());
  return network.kernel == ProgramKernel::Three && step.window.box().low == Offset{0, -1, -1} &&
         image.shape().x >= least_width && !step.shrinks();
}

template <class Sample>
bool three_from_image(Simd simd, const RankStep& step, const Image& image, const Band& band, Image& out) {
  const std::int64_t nx = image.shape().x;
  const std::int64_t out_stride = out.row_bytes() / static_cast<std::int64_t>(sizeof(Sample));
  const MakeRows<Sample> kernel = TAMIS_SIMD(simd, make_rows<Sample>);
  const SeenRows<Sample> seen(image, step);
  Ends<Sample> ends;
  bool nan = false;
  for_rows(band, [&](std::int64_t z, std::int64_t y, std::int64_t ny) {
    std::array<const Sample*, rows_seen> rows{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(ny + 2); ++i) {
      rows[i] = seen.row(z, y - 1 + static_cast<std::int64_t>(i));
      ends.put(i, seen, rows[i], nx);
    }
    Sample* const to = out.row<Sample>(z, y);
    nan |= kernel(rows.data(), to + 1, out_stride, nx - 2, ny);
    ends.make(kernel, to, out_stride, nx, ny);
  });
  return !nan;
}

template void three_band(const BandTask<std::uint8_t>&);
template void three_band(const BandTask<std::uint16_t>&);
template void three_band(const BandTask<std::uint32_t>&);
template bool three_from_image<std::uint8_t>(Simd, const RankStep&, const Image&, const Band&, Image&);
template bool three_from_image<std::uint16_t>(Simd, const RankStep&, const Image&, const Band&, Image&);
template bool three_from_image<std::int16_t>(Simd, const RankStep&, const Image&, const Band&, Image&);
template bool three_from_image<float>(Simd, const RankStep&, const Image&, const Band&, Image&);

}  // namespace tamis::median_detail::cpu
#endif
