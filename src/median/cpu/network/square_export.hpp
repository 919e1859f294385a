// The kernels of a size for whoever calls them. To be included last, where HWY_ONCE.
#pragma once

#define TAMIS_SQUARE_EXPORT_KEY(K, suffix, size, depth)            \
  HWY_EXPORT(columns_##suffix##_##size##_##depth);                 \
  HWY_EXPORT(tiles_##suffix##_##size##_##depth);                   \
  template <>                                                      \
  SquareKernels<K> square_kernels_of<K, size, depth>(Simd simd) {  \
    return {TAMIS_SIMD(simd, columns_##suffix##_##size##_##depth), \
            TAMIS_SIMD(simd, tiles_##suffix##_##size##_##depth)};  \
  }
#define TAMIS_SQUARE_EXPORT(size, depth)                   \
  TAMIS_SQUARE_EXPORT_KEY(std::uint8_t, u8, size, depth)   \
  TAMIS_SQUARE_EXPORT_KEY(std::uint16_t, u16, size, depth) \
  TAMIS_SQUARE_EXPORT_KEY(std::uint32_t, u32, size, depth)
