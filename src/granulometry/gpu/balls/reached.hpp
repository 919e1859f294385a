// What porosimetry does with squares of any type. Queued; nothing waits.
#pragma once

#include <cstdint>

#include <tamis/distance.hpp>

#include "core/gpu/stream.hpp"
#include "distance/gpu/squares.hpp"

namespace tamis::granulometry_detail::gpu::balls {

using distance_detail::gpu::SquareRows;

/// Squares where a bit is 1, 0 elsewhere.
template <class Lane>
void mark(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits, Lane* to);

/// Bits of the squares that are not 0, rows as theirs.
template <class Lane>
void pack_positive(const cuda::Stream& stream, const SquareRows<Lane>& squares, std::uint64_t* bits);

/// Squares of 0 become 1 where a bit is 1: balls of themselves, which others may cover.
template <class Lane>
void stand_alone(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits);
/// Squares of 1 become 0 where no bit is 1.
template <class Lane>
void hide_alone(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits);

/// Grows to the largest square of one face of the volume.
template <class Lane>
void find_largest_of_face(const cuda::Stream& stream, const SquareRows<Lane>& squares, const Faces& face,
                          unsigned long long* largest);

/// Squares as those of 32 bits.
void widen(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, std::uint32_t* to);

}  // namespace tamis::granulometry_detail::gpu::balls
