#include "core/cpu/unpack_bits.hpp"

#include "core/cpu/simd.hpp"
#include "core/spread_bits.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/unpack_bits.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void unpack_bits(const std::uint64_t* bits, std::int64_t count, std::uint8_t one, std::byte* out) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::uint8_t, 64> d;  // the lanes divide the bits of a word
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (lanes >= 8) {
    const auto* const packed = reinterpret_cast<const std::uint8_t*>(bits);
    const auto ones = hn::Set(d, one);
    for (; i + lanes <= count; i += lanes) {
      hn::StoreU(hn::IfThenElseZero(hn::LoadMaskBits(d, packed + i / 8), ones), d,
                 reinterpret_cast<std::uint8_t*>(out + i));
    }
  }
#endif
  spread_bits(bits, i, count, one, out);
}

}  // namespace
}  // namespace tamis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis {
namespace {
HWY_EXPORT(unpack_bits);
}

void unpack_bits(Simd simd, const std::uint64_t* bits, std::int64_t count, std::uint8_t one, std::byte* out) {
  TAMIS_SIMD(simd, unpack_bits)(bits, count, one, out);
}

}  // namespace tamis
#endif
