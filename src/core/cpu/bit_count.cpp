#include "core/bits/bits.hpp"

#include <bit>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "core/cpu/bit_count.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::int64_t count_ones(const std::uint64_t* words, std::int64_t count) {
  const hn::ScalableTag<std::uint64_t> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + step <= count; i += step) sum = hn::Add(sum, hn::PopulationCount(hn::LoadU(d, words + i)));
  auto ones = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
  for (; i < count; ++i) ones += std::popcount(words[i]);
  return ones;
}

}  // namespace
}  // namespace tamis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis {

std::int64_t count_ones(Simd simd, const std::uint64_t* words, std::int64_t count) {
  return TAMIS_SIMD(simd, count_ones)(words, count);
}

}  // namespace tamis
#endif
