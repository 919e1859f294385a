#include "core/cpu/simd.hpp"
#include "median/cpu/network/kernels.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/network/square_11.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/network/square-inl.hpp"

#if HWY_ONCE
namespace tamis::median_detail::cpu {

TAMIS_SQUARE(11, 1)

}  // namespace tamis::median_detail::cpu
#endif
