// core/bits/ordered_bits.hpp in vectors. To be included by files of kernels after <hwy/highway.h>, once for each instruction
// set: hence the guard.
#if defined(TAMIS_ORDERED_BITS) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_ORDERED_BITS
#undef TAMIS_ORDERED_BITS
#else
#define TAMIS_ORDERED_BITS
#endif

HWY_BEFORE_NAMESPACE();
namespace tamis::detail::HWY_NAMESPACE {

/// Bits of floats as signed numbers of the same order, and back.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> ordered(D d, hwy::HWY_NAMESPACE::Vec<D> bits) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), hn::Set(d, 0x7fffffff)));
}

}  // namespace tamis::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
