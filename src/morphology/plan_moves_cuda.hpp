// Steps of a plan as kernels: the place where a step gets the fastest one that can do it.
#pragma once

#include <functional>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/cuda/stream.hpp"
#include "morphology/box_cuda.hpp"
#include "morphology/morphology_plan.hpp"

namespace tamis::morphology_detail {

/// Queues a step, or a part of one: from one image to another, both as DeviceStore has them, not the same.
using Move = std::function<void(const cuda::Stream& stream, const DeviceImage& from, const DeviceImage& to)>;

/// One after the other they make the step. It has to outlive them.
[[nodiscard]] std::vector<Move> moves_of(const Step& step, const Border& border, int rank, Type type,
                                         const Shape& shape);
/// Those of all steps.
[[nodiscard]] std::vector<Move> moves_of(const Plan& plan, Type type, const Shape& shape);

/// The results go to `to` and `other` in turn, the last one to `to`; `other` is not used by one move alone. Neither is
/// `from`. No moves: a copy, `bytes` long.
void run_moves(const cuda::Stream& stream, const std::vector<Move>& moves, const DeviceImage& from,
               const DeviceImage& to, const DeviceImage& other, std::int64_t bytes);

}  // namespace tamis::morphology_detail
