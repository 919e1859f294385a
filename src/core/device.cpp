#include "core/device.hpp"

#include "core/door.hpp"

#include <thread>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/error.hpp>

namespace tamis {
namespace {

/// "cuda", "cuda:1": the GPU as it is asked for.
std::string cuda_name(int gpu) { return gpu == 0 ? "cuda" : "cuda:" + std::to_string(gpu); }

void require_gpu(int index) {
  const Gpu gpu = ask_gpu(index);
  if (gpu.problem.empty()) return;
  throw ResourceError("device " + cuda_name(index) + ": " + (gpu.name.empty() ? "" : gpu.name + ": ") + gpu.problem +
                      "; wanted a GPU that tamis can use, auto or cpu");
}

/// A GPU takes a third of a second to start: several start side by side.
void require_gpus(const Context& context) {
  {
    std::vector<std::jthread> starting;
    for (const int gpu : context.more_gpus) starting.emplace_back([gpu] { static_cast<void>(ask_gpu(gpu)); });
    static_cast<void>(ask_gpu(context.gpu));
  }
  require_gpu(context.gpu);
  for (const int index : context.more_gpus) {
    const Gpu gpu = ask_gpu(index);
    // One that cannot start, as others have all of its memory, is lost like one that fails later: the rest go on.
    const bool cannot_start = !gpu.name.empty() && gpu.free_bytes == 0;
    if (!cannot_start) require_gpu(index);
  }
}

}  // namespace

Device choose_device(const Context& context, std::int64_t voxels) {
  door::require_context(context);
  switch (context.device) {
    case Device::Cpu:
      return Device::Cpu;
    case Device::Cuda:
      require_gpus(context);
      return Device::Cuda;
    case Device::Auto:
      break;
  }
  // In this order: small work does not start CUDA.
  const bool use_gpu = gpu_pays(voxels, cuda_has_started()) && ask_gpu(context.gpu).problem.empty();
  return use_gpu ? Device::Cuda : Device::Cpu;
}

void require_device(const Context& context) {
  door::require_context(context);
  if (context.cancel.stop_requested()) throw Cancelled();
  if (context.device == Device::Cuda) require_gpus(context);
}

}  // namespace tamis
