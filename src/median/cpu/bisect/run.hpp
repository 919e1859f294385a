// Any window and any rank: the key is found bit by bit, by counting the keys below, for a vector of results at a time.
#pragma once

#include "median/cpu/band.hpp"

namespace tamis::median_detail::cpu {

/// Time: bits of a key x the window's count, for as many results as a vector has bytes. No branch depends on keys.
template <class K>
void bisect_band(const BandTask<K>& work);

}  // namespace tamis::median_detail::cpu
