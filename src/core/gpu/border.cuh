// What lies outside of an image, in kernels that never see mirror and wrap: these are written out around the image first
// (core/gpu/extended.hpp). For them seen_at() of core/border.hpp would do as well, but divides where this seldom does.
#pragma once

#include <type_traits>

#include <tamis/image/border.hpp>

namespace tamis::cuda {

/// Index of the sample that an axis of n samples shows at i; -1 where it shows a value that is no sample.
template <class Index>
__device__ __forceinline__ Index seen_at(Index i, std::type_identity_t<Index> n, Border::Kind border) {
  if (i >= 0 && i < n) return i;
  if (border == Border::Kind::Nearest) return i < 0 ? 0 : n - 1;
  if (border != Border::Kind::Reflect) return -1;
  // Reflected once is nearly always enough, and a division takes long.
  Index turn = i < 0 ? -1 - i : 2 * n - 1 - i;
  if (turn >= 0 && turn < n) return turn;
  turn = i % (2 * n);
  if (turn < 0) turn += 2 * n;
  return turn < n ? turn : 2 * n - 1 - turn;
}

}  // namespace tamis::cuda
