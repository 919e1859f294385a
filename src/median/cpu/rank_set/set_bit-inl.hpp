// For kernels: included once for each target, after <hwy/highway.h>.
#if defined(TAMIS_MEDIAN_SET_BIT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_MEDIAN_SET_BIT_INL_HPP
#undef TAMIS_MEDIAN_SET_BIT_INL_HPP
#else
#define TAMIS_MEDIAN_SET_BIT_INL_HPP
#endif

#include <bit>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

/// Number of the set bit that has n others below it.
[[maybe_unused]] HWY_INLINE int set_bit(std::uint64_t bits, std::int64_t n) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return std::countr_zero(_pdep_u64(std::uint64_t{1} << n, bits));
#else
  for (; n > 0; --n) bits &= bits - 1;
  return std::countr_zero(bits);
#endif
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
