#include "core/cpu/simd.hpp"
#include "median/cpu/network/kernels.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/network/cubes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/network/square-inl.hpp"

#if HWY_ONCE
namespace tamis::median_detail::cpu {

TAMIS_SQUARE(3, 3)
TAMIS_SQUARE(5, 5)

}  // namespace tamis::median_detail::cpu
#endif
