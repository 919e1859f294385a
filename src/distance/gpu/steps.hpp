// The passes that squares are made in. Queued; nothing waits.
#pragma once

#include "distance/gpu/words.hpp"

namespace tamis::distance_detail::gpu {

/// Squares of 16 bits are exact below this, which leaves room for the sum of two of them.
inline constexpr std::int64_t narrow_reach = 168;
/// What 16 bits hold where no background has been found, about the most.
inline constexpr std::uint16_t narrow_unreached = narrow_steps * narrow_steps;
/// Lengths whose squares wider lanes hold: what is above, or not found, is `unreached`.
template <class Lane>
inline constexpr std::uint32_t longest = sizeof(Lane) == 4 ? wide_steps : std::uint32_t{1} << 31;

enum class Along : std::uint8_t { Y, Z };

/// Lowers along an axis: along y from words, which give the squares along x, along z in place. `largest`, if any, grows to
/// the largest result.
void lower_narrow(const cuda::Stream& stream, const Plan& plan, Along along, const Word* words,
                  const SquareRows<std::uint16_t>& rows, unsigned* largest);

/// Squares along x, of 32 or 64 bits.
template <class Lane>
void expand_wide(const cuda::Stream& stream, const Plan& plan, const Word* words, const SquareRows<Lane>& to);
/// Lowers along an axis in place, as many lines of columns at a time as there is room for, at least one.
template <class Lane>
void lower_wide(const cuda::Stream& stream, const Plan& plan, Along along, const SquareRows<Lane>& rows,
                const cuda::DeviceBuffer<Lane>& room);

/// What the squares come to.
struct Found {
  unsigned long long largest = 0;  ///< of those that are reached
  unsigned unreached = 0;          ///< 1 if there is a square that is not
};

/// Sets what is not object to 0, and adds up the rest.
template <class Lane>
void clear_outside(const cuda::Stream& stream, const BitRows& object, const SquareRows<Lane>& rows, Found* found);

/// From wide squares to what a caller gets: unreached ones become the largest value of the type.
template <class Wide, class Lane>
void finish(const cuda::Stream& stream, const SquareRows<Wide>& from, Lane* to);

}  // namespace tamis::distance_detail::gpu
