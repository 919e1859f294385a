#include "core/cpu/simd.hpp"
#include "median/cpu/network/kernels.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/network/square_5_7_9.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/network/square-inl.hpp"

#if HWY_ONCE
namespace tamis::median_detail::cpu {

TAMIS_SQUARE(5, 1)
TAMIS_SQUARE(7, 1)
TAMIS_SQUARE(9, 1)

}  // namespace tamis::median_detail::cpu
#endif
