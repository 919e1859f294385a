// TAMIS_BOTH: a function that kernels on a GPU call too.
#pragma once

#if defined(__CUDACC__)
#define TAMIS_BOTH __host__ __device__
#else
#define TAMIS_BOTH
#endif
