#include "core/bits/bits.hpp"

#include <algorithm>
#include <atomic>

#include "core/cpu/parallel.hpp"
#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "core/cpu/bits_and_bytes.cpp"
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

enum class Set { HighestBit, NotZero };

/// Which bytes become a bit that is set.
template <Set set>
void pack(const std::byte* bytes, std::int64_t count, std::uint64_t* bits) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::uint8_t, 64> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (lanes >= 8) {
    auto* const packed = reinterpret_cast<std::uint8_t*>(bits);
    const hn::Rebind<std::int8_t, decltype(d)> with_sign;  // the highest bit
    const std::int64_t whole_words = count / 64 * 64;
    for (; i < whole_words; i += lanes) {
      const auto numbers = hn::LoadU(with_sign, reinterpret_cast<const std::int8_t*>(bytes + i));
      const auto zero = hn::Zero(with_sign);
      const auto chosen = set == Set::HighestBit ? hn::Lt(numbers, zero) : hn::Ne(numbers, zero);
      hn::StoreMaskBits(with_sign, chosen, packed + i / 8);
    }
  }
#endif
  for (; i < count; i += 64) {
    std::uint64_t word = 0;
    const std::int64_t end = std::min<std::int64_t>(64, count - i);
    for (std::int64_t k = 0; k < end; ++k) {
      const auto byte = std::to_integer<std::uint64_t>(bytes[i + k]);
      word |= std::uint64_t{set == Set::HighestBit ? byte >= 128 : byte != 0} << k;
    }
    bits[i / 64] = word;
  }
}

void pack_bits(const std::byte* bytes, std::int64_t count, std::uint64_t* bits) { pack<Set::HighestBit>(bytes, count, bits); }
void pack_not_zero(const std::byte* bytes, std::int64_t count, std::uint64_t* bits) { pack<Set::NotZero>(bytes, count, bits); }

}  // namespace
}  // namespace tamis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis {

void unpack_bits(Simd simd, const std::uint64_t* bits, std::int64_t count, std::uint8_t one, std::byte* out) {
  TAMIS_SIMD(simd, unpack_bits)(bits, count, one, out);
}

void pack_bits(Simd simd, const std::byte* bytes, std::int64_t count, std::uint64_t* bits) {
  TAMIS_SIMD(simd, pack_bits)(bytes, count, bits);
}

void pack_not_zero(Simd simd, const std::byte* bytes, std::int64_t count, std::uint64_t* bits) {
  TAMIS_SIMD(simd, pack_not_zero)(bytes, count, bits);
}

bool are_zero_or_one(const std::byte* bytes, std::int64_t count) {
  unsigned char all = 0;
  for (std::int64_t i = 0; i < count; ++i) all |= std::to_integer<unsigned char>(bytes[i]);
  return all <= 1;
}

bool are_zero_or_one(const Context& context, const std::byte* bytes, std::int64_t count) {
  constexpr std::int64_t block = std::int64_t{1} << 20;
  std::atomic<bool> others{false};
  parallel_for(context, (count + block - 1) / block, [&](std::int64_t b) {
    if (!are_zero_or_one(bytes + b * block, std::min(count - b * block, block))) others = true;
  });
  return !others;
}

Image unpacked_bits(const Context& context, const Image& bits, std::uint8_t one) {
  Image bytes(Type::U8, bits.shape(), bits.spacing);
  for_each_row(context, bits.shape(), [&](std::int64_t z, std::int64_t y) {
    unpack_bits(context.simd, bits.row<std::uint64_t>(z, y), bits.shape().x, one, bytes.row<std::byte>(z, y));
  });
  return bytes;
}

void pack_bits(const Context& context, const Image& bytes, Image& bits) {
  for_each_row(context, bytes.shape(), [&](std::int64_t z, std::int64_t y) {
    pack_bits(context.simd, bytes.row<std::byte>(z, y), bytes.shape().x, bits.row<std::uint64_t>(z, y));
  });
}

Image packed_bits(const Context& context, const Image& bytes) {
  Image bits(Type::Bool, bytes.shape(), bytes.spacing);
  pack_bits(context, bytes, bits);
  return bits;
}

}  // namespace tamis
#endif
