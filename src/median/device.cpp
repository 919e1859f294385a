#include "median/run.hpp"

#include "core/cpu/parallel.hpp"
#include "core/device.hpp"
#include "median/cpu/run.hpp"

namespace tamis::median_detail {
namespace {

double cpu_seconds(const Context& context, const MedianPlan& plan, const std::vector<cpu::Plan>& engines) {
  double nanoseconds = 0;  // for a sample
  for (const cpu::Plan& engine : engines) nanoseconds += engine.nanoseconds;
  const auto samples = static_cast<double>(plan.shape.count() * plan.iterations);
  return 1e-9 * nanoseconds * samples / thread_count(context);
}

/// Two copies of pageable memory; filters take less than that or little more where they pay.
double gpu_seconds(const MedianPlan& plan) {
  constexpr double start = 0.35, copied_bytes = 8e9;
  const auto bytes = static_cast<double>(plan.shape.count() * sample_bytes(plan.type));
  return (cuda_has_started() ? 0 : start) + 3 * bytes / copied_bytes;
}

bool gpu_has_room(const Context& context) {
  constexpr std::int64_t enough_memory = std::int64_t{3} << 30;  // for slabs and what kernels need beside them
  const Gpu gpu = ask_gpu(context.gpu);
  return gpu.problem.empty() && gpu.free_bytes >= enough_memory;
}

}  // namespace

Backend choose_backend(const Context& context, const MedianPlan& plan) {
  if (context.device == Device::Cuda) return {tamis::choose_device(context, plan.shape.count()), {}};
  Backend cpu;
  for (const RankStep& step : plan.steps) {
    cpu.engines.push_back(cpu::make_plan(step, plan.type, cpu::worked_on(step, plan.shape).x));
  }
  if (context.device == Device::Cpu) return cpu;
  // Packed bits are counted faster than they are copied.
  if (plan.type == Type::Bool || plan.steps.empty()) return cpu;
  // In this order: small work does not start CUDA.
  if (cpu_seconds(context, plan, cpu.engines) < gpu_seconds(plan) || !gpu_has_room(context)) return cpu;
  return {Device::Cuda, {}};
}

}  // namespace tamis::median_detail
