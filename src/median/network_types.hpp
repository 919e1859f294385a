// The networks of each type of sample, compiled in files of their own.
#pragma once

#include "core/cuda/stream.hpp"

namespace tamis::median_detail {

struct NetworkTask;

/// Squares of 3 ... 9; depth 3: the cube.
void network_u8(const cuda::Stream& stream, int edge, int depth, const NetworkTask& task);
void network_u16(const cuda::Stream& stream, int edge, int depth, const NetworkTask& task);
void network_i16(const cuda::Stream& stream, int edge, int depth, const NetworkTask& task);
void network_f32(const cuda::Stream& stream, int edge, int depth, const NetworkTask& task);

/// Rows (columns) of 3, 5 ... 15 samples.
void network_line_u8(const cuda::Stream& stream, int length, bool along_x, const NetworkTask& task);
void network_line_u16(const cuda::Stream& stream, int length, bool along_x, const NetworkTask& task);
void network_line_i16(const cuda::Stream& stream, int length, bool along_x, const NetworkTask& task);
void network_line_f32(const cuda::Stream& stream, int length, bool along_x, const NetworkTask& task);

}  // namespace tamis::median_detail
