// Between images and strips: copies for steep lines, transposition for shallow ones.
#include "line/traced/cpu/strip.hpp"

#include <algorithm>

#include "core/bits/ordered_bits.hpp"
#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "line/traced/cpu/strip.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "core/cpu/ordered_bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::line_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Bits of samples to lanes and back: the same exchange both ways.
template <class Sample, class D, class V>
HWY_INLINE V exchanged(D d, V bits) {
  if constexpr (std::is_same_v<Sample, float>) {
    return detail::HWY_NAMESPACE::ordered(d, bits);
  } else {
    return bits;
  }
}
template <class Sample, class D>
HWY_INLINE hn::Vec<D> load(D d, const Sample* from) {
  return exchanged<Sample>(d, hn::LoadU(d, reinterpret_cast<const hn::TFromD<D>*>(from)));
}
template <class Sample, class D>
HWY_INLINE void store(hn::Vec<D> lanes, D d, Sample* to) {
  hn::StoreU(exchanged<Sample>(d, lanes), d, reinterpret_cast<hn::TFromD<D>*>(to));
}

template <class Sample>
HWY_INLINE void to_lanes(const Sample* from, std::int64_t count, LaneOf<Sample>* to) {
  const hn::ScalableTag<LaneOf<Sample>> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + n <= count; i += n) hn::StoreU(load(d, from + i), d, to + i);
  for (; i < count; ++i) to[i] = lane_of(from[i]);
}
template <class Sample>
HWY_INLINE void to_samples(const LaneOf<Sample>* from, std::int64_t count, Sample* to) {
  const hn::ScalableTag<LaneOf<Sample>> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + n <= count; i += n) store(hn::LoadU(d, from + i), d, to + i);
  for (; i < count; ++i) to[i] = sample_of<Sample>(from[i]);
}

/// Lanes of row r that lie in the image, and the sample across where lane 0 does.
struct Inside {
  std::int64_t start = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
};
template <class Lane>
HWY_INLINE Inside inside(const Strip<Lane>& strip, const StripLines& lines, std::int64_t r) {
  const std::int64_t start = strip.first_line - lines.shift[strip.first_place + r];
  return {start, std::max<std::int64_t>(0, -start), std::min(strip.lanes, lines.across - start)};
}

template <class Sample>
void load_steep(const Strip<LaneOf<Sample>>& strip, const StripLines& lines, const Slice<const Sample>& image,
                LaneOf<Sample> fill) {
  // The processor does not guess rows that lie apart.
  constexpr std::int64_t ahead = 8;
  for (std::int64_t r = 0; r < strip.count; ++r) {
    const Inside in = inside(strip, lines, r);
    LaneOf<Sample>* const to = strip.rows + r * strip.stride;
    const Sample* const from = image.samples + (strip.first_place + r) * image.stride + in.start;
    if (r + ahead < strip.count) {
      const char* const next = reinterpret_cast<const char*>(from + ahead * image.stride + in.low);
      for (std::int64_t b = 0; b < (in.high - in.low) * static_cast<std::int64_t>(sizeof(Sample)); b += 64) {
        __builtin_prefetch(next + b);
      }
    }
    std::fill(to, to + in.low, fill);
    to_lanes(from + in.low, in.high - in.low, to + in.low);
    std::fill(to + in.high, to + strip.lanes, fill);
  }
}

template <class Sample>
void store_steep(const Strip<LaneOf<Sample>>& strip, const StripLines& lines, const Slice<Sample>& image) {
  for (std::int64_t r = 0; r < strip.count; ++r) {
    const Inside in = inside(strip, lines, r);
    Sample* const to = image.samples + (strip.first_place + r) * image.stride + in.start;
    to_samples(strip.rows + r * strip.stride + in.low, in.high - in.low, to + in.low);
  }
}

/// Transposes squares of 16 bytes side by side: sample i of block b of vector j becomes sample j of block b of vector
/// i.
template <class D>
struct Squares {
  using Lane = hn::TFromD<D>;
  static constexpr int edge = 16 / static_cast<int>(sizeof(Lane));
  static constexpr int blocks = static_cast<int>(hn::MaxLanes(D())) / edge;
  static constexpr bool there = blocks > 0;

  static HWY_INLINE void transpose([[maybe_unused]] D d, [[maybe_unused]] hn::Vec<D>* v) {
#if HWY_TARGET != HWY_SCALAR
    for (int done = 1; done < edge; done *= 2) {
      hn::Vec<D> next[edge];
      for (int j = 0; j < edge / 2; ++j) {
        next[2 * j] = hn::InterleaveLower(d, v[j], v[j + edge / 2]);
        next[2 * j + 1] = hn::InterleaveUpper(d, v[j], v[j + edge / 2]);
      }
      for (int j = 0; j < edge; ++j) v[j] = next[j];
    }
#endif
  }
};

#if HWY_TARGET != HWY_SCALAR  // which has vectors of one lane, and none of this
/// Blocks of 16 bytes of a vector, each from a place of its own.
template <int blocks, class D, class Place>
HWY_INLINE hn::Vec<D> load_blocks(D d, const Place& place, int first = 0) {
  if constexpr (blocks == 1) {
    return hn::LoadU(d, place(first));
  } else {
    const hn::Half<D> half;
    const auto lower = load_blocks<blocks / 2>(half, place, first);
    return hn::Combine(d, load_blocks<blocks / 2>(half, place, first + blocks / 2), lower);
  }
}
#endif

/// Lanes low ... high - 1 of a line of the cache; nothing beside them is written, which may be another thread's.
template <class Sample>
HWY_INLINE void store_part(const LaneOf<Sample>* lanes, std::int64_t low, std::int64_t high, Sample* to) {
  if constexpr (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL) {
    const hn::ScalableTag<LaneOf<Sample>> d;
    const auto mask = hn::AndNot(hn::FirstN(d, static_cast<std::size_t>(low)),  //
                                 hn::FirstN(d, static_cast<std::size_t>(high)));
    hn::BlendedStore(exchanged<Sample>(d, hn::Load(d, lanes)), mask, d, reinterpret_cast<LaneOf<Sample>*>(to));
  } else {
    to_samples(lanes + low, high - low, to + low);
  }
}

/// Shallow lines: columns of the image are rows of the strip. Line of the cache by line of the cache of the image's
/// rows: copied into a panel (where rows of the image lie a power of two apart, few of their lines stay in the L1), and
/// from there in tiles, transposed, into the strip; or the other way.
template <class Sample>
class Transposing {
 public:
  using Lane = LaneOf<Sample>;
  /// Longer vectors are no faster, and more of their samples lie on lines of other strips.
  using D = hn::CappedTag<Lane, 32 / sizeof(Lane)>;
  using Cells = Squares<D>;
  static constexpr std::int64_t line = line_lanes<Lane>;
  static constexpr std::int64_t edge = Cells::edge;
  static constexpr auto vector = static_cast<std::int64_t>(hn::MaxLanes(D()));

  Transposing(const Strip<Lane>& strip, const StripLines& lines, std::int64_t height)
      : strip_(strip), lines_(lines), height_(height) {}

  HWY_INLINE void load(const Slice<const Sample>& image, Lane fill) const {
    if (Cells::there && lines_.places >= line) {
      for (std::int64_t next = strip_.first_column; next < strip_.last_column; next += line) {
        load_group(image, std::min(next, lines_.places - line));
      }
    } else {
      load_slowly(image);
    }
    for (std::int64_t r = 0; r < strip_.count; ++r) {
      const Inside in = inside(strip_, lines_, r);
      Lane* const row = strip_.rows + r * strip_.stride;
      std::fill(row, row + in.low, fill);
      std::fill(row + in.high, row + strip_.lanes, fill);
    }
  }

  HWY_INLINE void store(const Slice<Sample>& image) const {
    if (!Cells::there || lines_.places < line) return store_slowly(image);
    for (std::int64_t next = strip_.first_column; next < strip_.last_column; next += line) {
      store_group(image, std::min(next, lines_.places - line));
    }
  }

 private:
  /// Rows of the image that columns first ... last - 1 have in the strip.
  struct Rows {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  [[nodiscard]] HWY_INLINE Rows rows(std::int64_t first, std::int64_t last) const {
    return {std::max<std::int64_t>(0, strip_.first_line - lines_.shift[last - 1]),
            std::min(height_, strip_.first_line + strip_.lanes - lines_.shift[first])};
  }

  HWY_INLINE void load_group([[maybe_unused]] const Slice<const Sample>& image,
                             [[maybe_unused]] std::int64_t x0) const {
#if HWY_TARGET != HWY_SCALAR
    const D d;
    const Rows all = rows(x0, x0 + line);
    Lane* const panel = strip_.panel;
    const std::int64_t stride = image.stride;
    const Sample* const from = image.samples + x0;
    for (std::int64_t y = all.first; y < all.last; ++y) {
      to_lanes(from + y * stride, line, panel + (y - all.first) * line);
    }
    for (std::int64_t x = 0; x < line; x += edge) {
      const Rows some = rows(x0 + x, x0 + x + edge);
      Lane* const* const columns = strip_.columns + x0 + x - strip_.first_column;
      for (std::int64_t y = some.first; y < some.last; y += vector) {
        hn::Vec<D> v[edge];
        const Lane* const tile = panel + (y - all.first) * line + x;
        for (std::int64_t j = 0; j < edge; ++j) {
          v[j] = load_blocks<Cells::blocks>(d, [&](int block) { return tile + (block * edge + j) * line; });
        }
        Cells::transpose(d, v);
        for (std::int64_t j = 0; j < edge; ++j) hn::StoreU(v[j], d, columns[j] + y);
      }
    }
#endif
  }

  HWY_INLINE void store_group([[maybe_unused]] const Slice<Sample>& image, [[maybe_unused]] std::int64_t x0) const {
#if HWY_TARGET != HWY_SCALAR
    const D d;
    const Rows all = rows(x0, x0 + line);
    Lane* const panel = strip_.panel;
    for (std::int64_t x = 0; x < line; x += vector) {
      const Rows some = rows(x0 + x, x0 + x + vector);
      Lane* const* const columns = strip_.columns + x0 + x - strip_.first_column;
      for (std::int64_t y = some.first; y < some.last; y += edge) {
        hn::Vec<D> v[edge];
        for (std::int64_t j = 0; j < edge; ++j) {
          v[j] = load_blocks<Cells::blocks>(d, [&](int block) { return columns[block * edge + j] + y; });
        }
        Cells::transpose(d, v);
        Lane* const tile = panel + (y - all.first) * line + x;
        for (std::int64_t j = 0; j < edge; ++j) hn::Store(v[j], d, tile + j * line);
      }
    }
    write_panel(image, x0, all);
#endif
  }

  HWY_INLINE void write_panel(const Slice<Sample>& image, std::int64_t x0, const Rows& all) const {
    // Copies: what is stored may be anything to the compiler.
    const std::int32_t* const first_at = lines_.first_at;
    const std::int64_t beyond = lines_.shift[lines_.places - 1] + 1;
    const std::int64_t first_line = strip_.first_line, lanes = strip_.lanes, stride = image.stride;
    const Lane* const panel = strip_.panel;
    Sample* const to = image.samples + x0;
    for (std::int64_t y = all.first; y < all.last; ++y) {
      const std::int64_t from = first_at[std::clamp<std::int64_t>(first_line - y, 0, beyond)] - x0;
      const std::int64_t until = first_at[std::clamp<std::int64_t>(first_line + lanes - y, 0, beyond)] - x0;
      const Lane* const row = panel + (y - all.first) * line;
      if (from <= 0 && until >= line) {
        to_samples(row, line, to + y * stride);
      } else {
        store_part(row, std::clamp<std::int64_t>(from, 0, line), std::clamp<std::int64_t>(until, 0, line),
                   to + y * stride);
      }
    }
  }

  void load_slowly(const Slice<const Sample>& image) const {
    for (std::int64_t r = 0; r < strip_.count; ++r) {
      const Inside in = inside(strip_, lines_, r);
      for (std::int64_t l = in.low; l < in.high; ++l) {
        const Sample sample = image.samples[(in.start + l) * image.stride + strip_.first_place + r];
        strip_.rows[r * strip_.stride + l] = lane_of(sample);
      }
    }
  }
  void store_slowly(const Slice<Sample>& image) const {
    for (std::int64_t r = 0; r < strip_.count; ++r) {
      const Inside in = inside(strip_, lines_, r);
      for (std::int64_t l = in.low; l < in.high; ++l) {
        image.samples[(in.start + l) * image.stride + strip_.first_place + r] =
            sample_of<Sample>(strip_.rows[r * strip_.stride + l]);
      }
    }
  }

  const Strip<Lane>& strip_;
  const StripLines& lines_;
  std::int64_t height_;
};

template <class Sample>
void load_shallow(const Strip<LaneOf<Sample>>& strip, const StripLines& lines, const Slice<const Sample>& image,
                  LaneOf<Sample> fill) {
  Transposing<Sample>(strip, lines, image.height).load(image, fill);
}
template <class Sample>
void store_shallow(const Strip<LaneOf<Sample>>& strip, const StripLines& lines, const Slice<Sample>& image) {
  Transposing<Sample>(strip, lines, image.height).store(image);
}

template <class Sample>
StripKernels<Sample> strip_kernels() {
  return {load_steep<Sample>, store_steep<Sample>, load_shallow<Sample>, store_shallow<Sample>};
}

}  // namespace
}  // namespace tamis::line_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::line_detail::cpu {

template <class Sample>
StripKernels<Sample> strip_kernels(Simd simd) {
  return TAMIS_SIMD(simd, strip_kernels<Sample>)();
}
#define TAMIS_INSTANTIATE(Sample) template StripKernels<Sample> strip_kernels(Simd);
TAMIS_EACH_SAMPLE(TAMIS_INSTANTIATE)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::line_detail::cpu
#endif
