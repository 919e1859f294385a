// ByteWindow (convert/sample_conversion.hpp) in vectors. To be included by files of kernels after <hwy/highway.h>, once for each instruction set:
// hence the guard.
#if defined(TAMIS_BYTE_WINDOW) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_BYTE_WINDOW
#undef TAMIS_BYTE_WINDOW
#else
#define TAMIS_BYTE_WINDOW
#endif

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace tamis::convert_detail::cpu::HWY_NAMESPACE {

/// The third byte of each of four vectors of 32 bits, side by side.
class ThirdBytes {
  using D32 = hwy::HWY_NAMESPACE::ScalableTag<std::int32_t>;
  using D8 = hwy::HWY_NAMESPACE::Repartition<std::uint8_t, D32>;
  using V32 = hwy::HWY_NAMESPACE::Vec<D32>;

 public:
  ThirdBytes() {
    const auto lanes = static_cast<std::int32_t>(hwy::HWY_NAMESPACE::Lanes(D32()));
    const std::int32_t blocks = lanes / 4;
    for (std::int32_t block = 0; block < blocks; ++block) {
      for (std::int32_t k = 0; k < 4; ++k) order_[k * blocks + block] = 4 * block + k;
    }
  }

  HWY_INLINE void put(V32 a, V32 b, V32 c, V32 d, std::uint8_t* out) const {
    namespace hn = hwy::HWY_NAMESPACE;
    // Of each block of 16 bytes one vector fills the first four, the next one the next four, and so on.
    const auto ab = hn::Or(place<0>(a), place<1>(b)), cd = hn::Or(place<2>(c), place<3>(d));
    const auto mixed = hn::BitCast(D32(), hn::Or(ab, cd));
    hn::StoreU(hn::BitCast(D8(), hn::TableLookupLanes(mixed, hn::SetTableIndices(D32(), order_))), D8(), out);
  }

 private:
  template <int k>
  HWY_INLINE static hwy::HWY_NAMESPACE::Vec<D8> place(V32 words) {
    namespace hn = hwy::HWY_NAMESPACE;
    alignas(16) static constexpr std::uint8_t from[16] = {
        k == 0 ? 2 : 0x80, k == 0 ? 6 : 0x80, k == 0 ? 10 : 0x80, k == 0 ? 14 : 0x80, k == 1 ? 2 : 0x80, k == 1 ? 6 : 0x80,
        k == 1 ? 10 : 0x80, k == 1 ? 14 : 0x80, k == 2 ? 2 : 0x80, k == 2 ? 6 : 0x80, k == 2 ? 10 : 0x80,
        k == 2 ? 14 : 0x80, k == 3 ? 2 : 0x80, k == 3 ? 6 : 0x80, k == 3 ? 10 : 0x80, k == 3 ? 14 : 0x80};
    return hn::TableLookupBytesOr0(hn::BitCast(D8(), words), hn::LoadDup128(D8(), from));
  }

  HWY_ALIGN std::int32_t order_[hwy::HWY_NAMESPACE::MaxLanes(D32())];
};

/// What the samples of one vector become: the byte in the third byte of each lane, what lies behind the point below it.
template <bool clamped, class V>
HWY_INLINE auto in_bytes(const ByteWindow& window, V samples) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  auto q = hn::MulAdd(samples, hn::Set(d, window.scale), hn::Set(d, window.offset));
  // NaN becomes the lower bound, and so 0, or stays NaN and has nothing behind the point, of which nobody is sure.
  if constexpr (clamped) q = hn::Min(hn::Max(q, hn::Set(d, ByteWindow::least)), hn::Set(d, ByteWindow::most));
  return hn::ShiftLeft<1>(hn::BitCast(hn::ScalableTag<std::int32_t>(), q));
}

/// Whether the bytes of four vectors are those of the definition.
template <class V>
HWY_INLINE bool is_known(const ByteWindow& window, V a, V b, V c, V d) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<std::int32_t> ints;
  const hn::Repartition<std::uint16_t, decltype(ints)> halves;
  const auto in_halves = [&](V words) HWY_ATTR { return hn::BitCast(halves, words); };
  const auto least = hn::Min(hn::Min(in_halves(a), in_halves(b)), hn::Min(in_halves(c), in_halves(d)));
  const auto lower = hn::And(hn::BitCast(ints, least), hn::Set(ints, 0xffff));
  return hn::AllFalse(ints, hn::Lt(lower, hn::Set(ints, 4 * window.error)));
}

}  // namespace tamis::convert_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
