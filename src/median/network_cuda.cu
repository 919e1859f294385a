#include "median/network_cuda.hpp"

#include "median/network_rows.cuh"
#include "median/network_types.hpp"

namespace tamis::median_detail {
namespace {

/// Samples along x and z of a window that a kernel has; 0 if none has it.
struct Edges {
  int edge = 0, depth = 0;
};
Edges edges_of(const RankStep& step) {
  const OffsetBox& box = step.window.box();
  const auto centred = [](std::int64_t low, std::int64_t high, std::int64_t edge) {
    return low == -(edge / 2) && high == edge / 2;
  };
  if (!step.window.is_box() || step.rank != step.count / 2) return {};
  for (const auto& [edge, depth] : {Edges{3, 1}, Edges{5, 1}, Edges{7, 1}, Edges{9, 1}, Edges{3, 3}}) {
    if (centred(box.low.x, box.high.x, edge) && centred(box.low.y, box.high.y, edge) &&
        centred(box.low.z, box.high.z, depth)) {
      return {edge, depth};
    }
  }
  return {};
}

/// A window of one row or column that a kernel has; length 0 if none has it.
struct Line {
  int length = 0;
  bool along_x = false;
};
Line line_of(const RankStep& step) {
  constexpr std::int64_t most = 15;
  const OffsetBox& box = step.window.box();
  const std::int64_t half = step.count / 2;
  if (!step.window.is_box() || step.rank != half || step.count < 3 || step.count > most || step.count % 2 == 0)
    return {};
  const auto length = static_cast<int>(step.count);
  if (box == OffsetBox{{0, 0, -half}, {0, 0, half}}) return {length, true};
  if (box == OffsetBox{{0, -half, 0}, {0, half, 0}}) return {length, false};
  return {};
}

void run_square(const cuda::Stream& stream, const Edges& edges, Type type, const NetworkTask& task) {
  switch (type) {
    case Type::U16:
      return network_u16(stream, edges.edge, edges.depth, task);
    case Type::I16:
      return network_i16(stream, edges.edge, edges.depth, task);
    case Type::F32:
      return network_f32(stream, edges.edge, edges.depth, task);
    default:
      return network_u8(stream, edges.edge, edges.depth, task);
  }
}

void run_line(const cuda::Stream& stream, const Line& line, Type type, const NetworkTask& task) {
  switch (type) {
    case Type::U16:
      return network_line_u16(stream, line.length, line.along_x, task);
    case Type::I16:
      return network_line_i16(stream, line.length, line.along_x, task);
    case Type::F32:
      return network_line_f32(stream, line.length, line.along_x, task);
    default:
      return network_line_u8(stream, line.length, line.along_x, task);
  }
}

}  // namespace

bool network_cuda_can(const RankStep& step, Type type) {
  return type != Type::Bool && (edges_of(step).edge > 0 || line_of(step).length > 0);
}

void network_cuda(const cuda::Stream& stream, const RankStep& step, const GpuStep& task) {
  NetworkTask work;
  work.from = task.from;
  work.to = task.to;
  work.nx = static_cast<int>(task.shape.x);
  work.ny = static_cast<int>(task.shape.y);
  work.nz = static_cast<int>(task.shape.z);
  work.border = task.border.kind;
  work.outside = outside_bits(task.type, task.border);
  work.nan = task.nan;
  const Line line = line_of(step);
  if (line.length > 0) return run_line(stream, line, task.type, work);
  run_square(stream, edges_of(step), task.type, work);
}

}  // namespace tamis::median_detail
