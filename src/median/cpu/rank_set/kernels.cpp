#include "median/cpu/rank_set/run.hpp"

#include <algorithm>
#include <bit>

#include "core/cpu/simd.hpp"

// Nothing here is a vector; but counting bits and finding one are instructions that only some targets have.
#define HWY_TARGET_INCLUDE "median/cpu/rank_set/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/rank_set/set_bit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

template <class Rank>
void slide_line(RankSet& set, const RankLine<Rank>& line) {
  std::uint64_t* const words = set.words.data();
  const std::int32_t* const leaving = line.leaving;
  const std::int32_t* const coming = line.coming;
  const std::int64_t changes = line.changes;
  std::int64_t at = set.at, below = set.below;
  const auto flip = [&](std::int64_t rank) HWY_ATTR {
    words[rank / 64] ^= std::uint64_t{1} << static_cast<unsigned>(rank % 64);
    return static_cast<std::int64_t>(rank / 64 < at);
  };
  for (std::int64_t i = 0; i < line.results; ++i) {
    const Rank* const ranks = line.ranks + i * line.step;
    for (std::int64_t k = 0; i > 0 && k < changes; ++k) {
      below -= flip(ranks[leaving[k]]);
      below += flip(ranks[coming[k]]);
    }
    const std::int64_t wanted = line.each ? std::max(line.each[i * line.each_step], 0) : line.wanted;
    while (below > wanted) below -= std::popcount(words[--at]);
    for (std::int64_t n = std::popcount(words[at]); below + n <= wanted; n = std::popcount(words[at])) {
      below += n;
      ++at;
    }
    line.members[i] = static_cast<std::uint32_t>(at * 64 + set_bit(words[at], wanted - below));
  }
  set.at = at;
  set.below = below;
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {

void slide(Simd simd, RankSet& set, const RankLine<std::uint16_t>& line) {
  TAMIS_SIMD(simd, slide_line<std::uint16_t>)(set, line);
}
void slide(Simd simd, RankSet& set, const RankLine<std::uint32_t>& line) {
  TAMIS_SIMD(simd, slide_line<std::uint32_t>)(set, line);
}

}  // namespace tamis::median_detail::cpu
#endif
