// The kernels of a size for whoever calls them. To be included last, where HWY_ONCE.
#pragma once

namespace tamis::median_detail::cpu {

template <class K, int size, int depth>
SquareKernels<K> square_kernels_of(Simd simd) {
  using Chosen = SquareChoice<K, size, depth>;
  return TAMIS_SIMD(simd, square_kernels_here<Chosen>)();
}

}  // namespace tamis::median_detail::cpu

#define TAMIS_SQUARE(size, depth)                                                            \
  template SquareKernels<std::uint8_t> square_kernels_of<std::uint8_t, size, depth>(Simd);   \
  template SquareKernels<std::uint16_t> square_kernels_of<std::uint16_t, size, depth>(Simd); \
  template SquareKernels<std::uint32_t> square_kernels_of<std::uint32_t, size, depth>(Simd);
