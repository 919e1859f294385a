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

}  // namespace

bool network_cuda_can(const RankStep& step, Type type) { return type != Type::Bool && edges_of(step).edge > 0; }

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
  const auto [edge, depth] = edges_of(step);
  switch (task.type) {
    case Type::U16:
      return network_u16(stream, edge, depth, work);
    case Type::I16:
      return network_i16(stream, edge, depth, work);
    case Type::F32:
      return network_f32(stream, edge, depth, work);
    default:
      return network_u8(stream, edge, depth, work);
  }
}

}  // namespace tamis::median_detail
