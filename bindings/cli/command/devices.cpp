// tamis devices: what tamis can compute on here.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/facts_command.hpp"
#include "cli/doctor/facts.hpp"
#include "cli/output/report.hpp"

namespace tamis::cli {
namespace {

/// What there is, asked once: free memory changes from call to call.
struct Devices {
  std::string cpu;  ///< "CPU, 2 threads, AVX-512"
  std::vector<Gpu> gpus;
  std::string why_no_gpu;  ///< empty if one can be used
  std::string cuda;        ///< "CUDA 13.0, sm_90"; empty without
};

std::string line(std::string_view label, std::string_view text) { return fmt::format("{:<11}{}\n", label, text); }

std::string text_of(const Devices& devices) {
  std::string text = line("cpu", devices.cpu);
  for (const Gpu& gpu : devices.gpus) text += line(fmt::format("cuda:{}", gpu.index), gpu_text(gpu));
  if (devices.gpus.empty()) text += line("no cuda", devices.why_no_gpu);
  return text + line("built for", devices.cuda.empty() ? "the CPU only, without CUDA" : "the CPU; " + devices.cuda);
}

nlohmann::ordered_json json_of(const Gpu& gpu) {
  nlohmann::ordered_json json;
  json["device"] = device_text({Device::Cuda, gpu.index});
  json["name"] = gpu.name;
  json["compute_capability"] = fmt::format("{}.{}", gpu.major, gpu.minor);
  json["memory_bytes"] = gpu.memory_bytes;
  json["free_bytes"] = gpu.free_bytes;
  json["usable"] = gpu.problem.empty();
  json["problem"] = or_null(gpu.problem);
  return json;
}

nlohmann::ordered_json json_of(const Devices& devices) {
  nlohmann::ordered_json json;
  json["cpu"] = devices.cpu;
  json["gpus"] = nlohmann::ordered_json::array();
  for (const Gpu& gpu : devices.gpus) json["gpus"].push_back(json_of(gpu));
  json["why_no_gpu"] = or_null(devices.why_no_gpu);
  json["cuda"] = or_null(devices.cuda);
  json["version"] = TAMIS_VERSION;
  return json;
}

}  // namespace

void add_devices(const Command& program, Session& session) {
  add_facts_command(program, session, "devices", "the CPU, the GPUs, and what tamis was built for",
                    [](const Context& context) {
                      const Devices devices{context.describe(Device::Cpu), gpus(), why_no_gpu(), cuda_build()};
                      return std::pair{text_of(devices), json_of(devices)};
                    });
}

}  // namespace tamis::cli
