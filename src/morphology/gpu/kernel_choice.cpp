#include "morphology/gpu/kernel_choice.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "core/gpu/extended.hpp"
#include "core/gpu/filter.hpp"
#include "line/segment/gpu/run.hpp"
#include "line/traced/gpu/run.hpp"
#include "morphology/gpu/kernels.hpp"
#include "morphology/plan/symmetric_rows.hpp"

namespace tamis::morphology_detail::gpu {
namespace {

/// Kernels that are queued by queue(stream, task), with the images put into the task, and the flag for NaN if it has a
/// place for that.
template <class Task, class Queue>
class Kernels : public cuda::DeviceFilter {
 public:
  Kernels(const cuda::Stream& stream, const Task& task, Queue queue)
      : stream_(stream), task_(task), queue_(std::move(queue)) {}

  void run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const override {
    Task task = task_;
    task.from = image;
    task.to = out;
    if constexpr (looks) task.nan = nan;
    queue_(stream_, task);
  }
  [[nodiscard]] bool looks_for_nan() const override {
    if constexpr (looks) return task_.type == Type::F32;
    return false;
  }

 private:
  static constexpr bool looks = requires(Task task) { task.nan; };

  const cuda::Stream& stream_;
  Task task_;
  Queue queue_;
};

template <class Task, class Queue>
cuda::DeviceStep kernels(const cuda::Stream& stream, const Task& task, Queue queue) {
  return std::make_unique<Kernels<Task, Queue>>(stream, task, std::move(queue));
}

/// Slices as rows, padding included.
void box_across(const cuda::Stream& stream, BoxTask task) {
  task.nx = task.from.slice / sample_bytes(task.type);
  task.from.pitch = task.to.pitch = task.from.slice;
  box_extremum(stream, task);
}

/// A box as one in the slices and one across them; nothing if there is no kernel for it.
cuda::DeviceSteps as_box(const Step& step, const StepSetting& setting) {
  if (setting.type == Type::Bool || !step.set.is_box()) return {};
  const OffsetBox& box = step.set.box();
  cuda::DeviceSteps steps;
  BoxTask task;
  task.order = step.order;
  task.type = setting.type;
  task.border = setting.border;
  if (box.low.x != 0 || box.high.x != 0 || box.low.y != 0 || box.high.y != 0) {
    task.nx = setting.shape.x;
    task.ny = setting.shape.y;
    task.nz = setting.shape.z;
    task.low_x = box.low.x;
    task.high_x = box.high.x;
    task.low_y = box.low.y;
    task.high_y = box.high.y;
    if (!box_extremum_can(task)) return {};
    steps.push_back(kernels(setting.stream, task, box_extremum));
  }
  if (box.low.z != 0 || box.high.z != 0) {
    task.nz = 1;
    task.ny = setting.shape.z;
    task.low_x = task.high_x = 0;
    task.low_y = box.low.z;
    task.high_y = box.high.z;
    steps.push_back(kernels(setting.stream, task, box_across));
  }
  return steps;
}

/// A digital segment in the slices; null if it is none, or if the border shows samples.
cuda::DeviceStep as_segment(const Step& step, const StepSetting& setting) {
  const Border::Kind border = setting.border.kind;
  const bool shows_samples = border == Border::Kind::Reflect || border == Border::Kind::Nearest;
  if (setting.type == Type::Bool || shows_samples) return nullptr;
  std::optional<line_detail::SegmentPlan> plan = line_detail::plan_segment(step.set);
  if (!plan) return nullptr;
  line_detail::gpu::SegmentTask task;
  task.max = step.order == Order::Max;
  task.type = setting.type;
  task.shape = setting.shape;
  task.constant = border == Border::Kind::Constant;
  task.outside = setting.border.value;
  return kernels(setting.stream, task, [plan = std::move(*plan)](const auto& stream, const auto& now) {
    line_detail::gpu::segment_extremum(stream, plan, now);
  });
}

/// Bits of a volume by a large ball; null for others.
cuda::DeviceStep as_distance(const Step& step, const StepSetting& setting) {
  if (!goes_by_distance(step, setting.type, setting.rank, setting.border)) return nullptr;
  return by_distance(setting.stream, {step.order, setting.shape, *square_of_ball(step.set)});
}

/// Without its images.
StepTask task_of(const Step& step, const StepSetting& setting) {
  return {step.order, setting.type, setting.shape, {}, {}, setting.border};
}

/// Bits by their nearest neighbours, step by step; null where that is not the same, or slower: a step takes about half
/// a term.
cuda::DeviceStep as_unit_steps(const Step& step, const StepSetting& setting) {
  if (setting.type != Type::Bool) return nullptr;
  const std::optional<UnitSteps> steps = unit_steps(step.set, setting.border.kind);
  if (!steps || steps->count > 2 * cost_of_lines(step.program)) return nullptr;
  return kernels(setting.stream, task_of(step, setting), [steps = *steps](const auto& stream, const auto& now) {
    unit_bits_extremum(stream, steps, now);
  });
}

/// An element with symmetric rows; null if it is none, or too wide, or slower.
cuda::DeviceStep as_symmetric(const Step& step, const StepSetting& setting) {
  std::optional<SymmetricRows> rows = symmetric_rows(step.set);
  if (!rows || cost(*rows) > cost_of_lines(step.program)) return nullptr;
  const StepTask task = task_of(step, setting);
  if (!symmetric_extremum_can(task, *rows)) return nullptr;
  return kernels(setting.stream, task, [rows = std::move(*rows)](const auto& stream, const auto& now) {
    symmetric_extremum(stream, now, rows);
  });
}

/// Anything else.
cuda::DeviceStep as_program(const Step& step, const StepSetting& setting) {
  return kernels(setting.stream, task_of(step, setting), [&step, rank = setting.rank](const auto& stream, const auto& now) {
    run_program(stream, step, rank, now);
  });
}

cuda::DeviceStep traced(const TracedMove& move, const cuda::Stream& stream, Type type, const Shape& shape) {
  const line_detail::gpu::TracedTask task{move.what, move.segment, type, shape, {}, {}, nullptr};
  return kernels(stream, task, line_detail::gpu::traced);
}

/// What lies beyond the image that is written out reaches only results that are cut off.
cuda::DeviceStep laid_out(const Step& step, const StepSetting& setting) {
  return std::make_unique<cuda::LaidOutSteps>(
      setting.stream, setting.type, setting.shape, step.set.box(), setting.border.kind, [&](const Shape& shape) {
        return kernels_of(step, {setting.stream, setting.type, shape, Border::neutral(), setting.rank});
      });
}

}  // namespace

cuda::DeviceSteps kernels_of(const Step& step, const StepSetting& setting) {
  cuda::DeviceSteps steps;
  if (step.traced) {
    const line_detail::Along what = step.order == Order::Min ? line_detail::Along::Erode : line_detail::Along::Dilate;
    steps.push_back(traced({what, *step.traced}, setting.stream, setting.type, setting.shape));
    return steps;
  }
  if (step.set == OffsetSet()) return steps;  // every sample sees itself
  if (is_laid_out(setting.border)) {
    steps.push_back(laid_out(step, setting));
    return steps;
  }
  steps = as_box(step, setting);
  for (const auto as_kernels : {as_segment, as_distance, as_unit_steps, as_symmetric, as_program}) {
    if (!steps.empty()) break;
    if (cuda::DeviceStep made = as_kernels(step, setting)) steps.push_back(std::move(made));
  }
  return steps;
}

cuda::DeviceSteps kernels_of(const Plan& plan, const cuda::Stream& stream, Type type, const Shape& shape) {
  cuda::DeviceSteps steps;
  if (is_traced(plan)) {
    for (const TracedMove& move : traced_moves(plan)) steps.push_back(traced(move, stream, type, shape));
    return steps;
  }
  for (const Step& step : plan.steps) {
    for (auto& kernel : kernels_of(step, {stream, type, shape, plan.border, plan.rank})) {
      steps.push_back(std::move(kernel));
    }
  }
  return steps;
}

}  // namespace tamis::morphology_detail::gpu
