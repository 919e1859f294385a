#include "morphology/plan_moves_cuda.hpp"

#include <optional>
#include <utility>

#include "line/segment_cuda.hpp"
#include "line/traced_cuda.hpp"
#include "morphology/program_cuda.hpp"

namespace tamis::morphology_detail {
namespace {

Move box_in_slices(BoxTask task) {
  return Move([task](const cuda::Stream& stream, const DeviceImage& from, const DeviceImage& to) {
    BoxTask now = task;
    now.from = from;
    now.to = to;
    box_extremum(stream, now);
  });
}

/// Slices as rows, padding included.
Move box_across(BoxTask task) {
  return Move([task](const cuda::Stream& stream, const DeviceImage& from, const DeviceImage& to) {
    BoxTask now = task;
    now.nx = from.slice / sample_bytes(task.type);
    now.from = from;
    now.to = to;
    now.from.pitch = now.to.pitch = from.slice;
    box_extremum(stream, now);
  });
}

/// A box as one in the slices and one across them; nothing if there is no kernel for it.
std::vector<Move> box_moves(const Step& step, const Border& border, Type type, const Shape& shape) {
  if (type == Type::Bool || !step.set.is_box()) return {};
  const OffsetBox& box = step.set.box();
  std::vector<Move> moves;
  BoxTask task;
  task.order = step.order;
  task.type = type;
  task.border = border;
  if (box.low.x != 0 || box.high.x != 0 || box.low.y != 0 || box.high.y != 0) {
    task.nx = shape.x;
    task.ny = shape.y;
    task.nz = shape.z;
    task.low_x = box.low.x;
    task.high_x = box.high.x;
    task.low_y = box.low.y;
    task.high_y = box.high.y;
    if (!box_extremum_can(task)) return {};
    moves.push_back(box_in_slices(task));
  }
  if (box.low.z != 0 || box.high.z != 0) {
    task.nz = 1;
    task.ny = shape.z;
    task.low_x = task.high_x = 0;
    task.low_y = box.low.z;
    task.high_y = box.high.z;
    moves.push_back(box_across(task));
  }
  return moves;
}

/// A digital segment in the slices; nothing if it is none, or if the border shows samples.
std::vector<Move> segment_moves(const Step& step, const Border& border, Type type, const Shape& shape) {
  const bool shows_samples = border.kind == Border::Kind::Reflect || border.kind == Border::Kind::Nearest;
  if (type == Type::Bool || shows_samples) return {};
  std::optional<line_detail::SegmentPlan> plan = line_detail::plan_segment(step.set);
  if (!plan) return {};
  line_detail::SegmentTask task;
  task.max = step.order == Order::Max;
  task.type = type;
  task.shape = shape;
  task.constant = border.kind == Border::Kind::Constant;
  task.outside = border.value;
  return {
      Move([plan = std::move(*plan), task](const cuda::Stream& stream, const DeviceImage& from, const DeviceImage& to) {
        line_detail::SegmentTask now = task;
        now.from = from;
        now.to = to;
        line_detail::segment_extremum(stream, plan, now);
      })};
}

Move traced_move(const TracedMove& move, Type type, const Shape& shape) {
  const auto run = [move, type, shape](const cuda::Stream& stream, const DeviceImage& from, const DeviceImage& to,
                                       unsigned* nan) {
    line_detail::traced_cuda(stream, {move.what, move.segment, type, shape, from, to, nan});
  };
  return Move::that_looks_for_nan(run);
}

}  // namespace

std::vector<Move> moves_of(const Step& step, const Border& border, int rank, Type type, const Shape& shape) {
  if (step.traced) {
    const line_detail::Along what = step.order == Order::Min ? line_detail::Along::Erode : line_detail::Along::Dilate;
    return {traced_move({what, *step.traced}, type, shape)};
  }
  if (std::vector<Move> moves = box_moves(step, border, type, shape); !moves.empty()) return moves;
  if (std::vector<Move> moves = segment_moves(step, border, type, shape); !moves.empty()) return moves;
  return {Move(
      [&step, border, rank, type, shape](const cuda::Stream& stream, const DeviceImage& from, const DeviceImage& to) {
        run_program(stream, step, border, rank, type, shape, from, to);
      })};
}

std::vector<Move> moves_of(const Plan& plan, Type type, const Shape& shape) {
  std::vector<Move> moves;
  if (is_traced(plan)) {
    for (const TracedMove& move : traced_moves(plan)) moves.push_back(traced_move(move, type, shape));
    return moves;
  }
  for (const Pass& pass : plan.passes) {
    for (const Step& step : pass) {
      for (Move& move : moves_of(step, plan.border, plan.rank, type, shape)) moves.push_back(std::move(move));
    }
  }
  return moves;
}

void run_moves(const cuda::Stream& stream, const std::vector<Move>& moves, const DeviceImage& from,
               const DeviceImage& to, const DeviceImage& other, std::int64_t bytes, unsigned* nan) {
  if (moves.empty()) {
    cuda::check(
        cudaMemcpyAsync(to.data, from.data, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream.get()),
        "copy an image");
    return;
  }
  DeviceImage now = from;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const DeviceImage& next = (moves.size() - i) % 2 == 1 ? to : other;
    moves[i].run(stream, now, next, i == 0 ? nan : nullptr);  // the first one reads the image
    now = next;
  }
}

}  // namespace tamis::morphology_detail
