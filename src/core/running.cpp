// Where and how every operation runs, for people and front ends.
#include <vector>

#include <tamis/operations/arguments.hpp>
#include <tamis/gpu.hpp>
#include <tamis/operations/words.hpp>

#include "core/operation/operation.hpp"

namespace tamis {
namespace {

auto bytes_parameter(std::optional<std::int64_t> RunningArguments::*member, std::string name, std::string text) {
  return parameter(member, std::move(name))
      .kind(ParameterKind::Bytes)
      .read_by(parse_bytes)
      .text(std::move(text))
      .unit("bytes")
      .example("4G");
}

OperationDescription describe_running() {
  OperationDescription running;
  running.name = "running";
  running.text = "where and how an operation runs";
  return describe(std::move(running), RunningArguments(), "Running",
                  parameter(&RunningArguments::device, "device")
                      .kind(ParameterKind::Choice)
                      .words({"auto", "cpu", "cuda", "cuda:N", "cuda:N,M", "cuda:all"})
                      .by(parse_device,
                          [](const DeviceChoice& choice) {
                            return choice.device == Device::Auto ? std::string("auto") : device_text(choice);
                          })
                      .text("where to compute: auto takes a GPU where there is one and the image is large enough to pay for "
                            "it; cuda:0,2 and cuda:all share the work among GPUs; tamis devices lists them")
                      .example("cuda:0"),
                  bytes_parameter(&RunningArguments::device_memory, "device_memory",
                                  "limit for memory on the GPU; the work is cut into slabs that fit"),
                  parameter(&RunningArguments::threads, "threads")
                      .between(1, 4096)
                      .text("threads to use; otherwise all cores")
                      .example("2"),
                  bytes_parameter(&RunningArguments::memory, "memory",
                                  "limit for working memory, 4G or 512M; the work is cut into slabs that fit, or refused"),
                  parameter(&RunningArguments::simd, "simd")
                      .choices(instruction_sets)
                      .text("instruction set; the result is the same with any")
                      .example("avx2"));
}

}  // namespace

const OperationDescription& running() {
  static const OperationDescription description = describe_running();
  return description;
}

void put_device(const DeviceChoice& choice, Context& context) {
  context.device = choice.device;
  context.gpu = choice.gpu;
  context.more_gpus = choice.more_gpus;
  if (!choice.all_gpus) return;
  std::vector<int> usable;
  for (const Gpu& gpu : gpus()) {
    if (gpu.problem.empty()) usable.push_back(gpu.index);
  }
  if (usable.empty()) return;  // the first one says what is wrong with it
  context.gpu = usable.front();
  context.more_gpus.assign(usable.begin() + 1, usable.end());
}

void RunningArguments::put_into(Context& context) const {
  put_device(device, context);
  context.threads = threads.value_or(0);
  context.memory_bytes = memory.value_or(0);
  context.device_memory_bytes = device_memory.value_or(0);
  context.simd = simd;
}

}  // namespace tamis
