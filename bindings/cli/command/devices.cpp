// tamis devices: what tamis can compute on here.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/option/options.hpp"
#include "cli/output/files.hpp"

namespace tamis::cli {
namespace {

struct DevicesFlags {
  std::string json;
  ComputeFlags compute;
};

/// What there is, asked once: free memory changes from call to call.
struct Devices {
  std::string cpu;  ///< "CPU, 2 threads, AVX-512"
  std::vector<Gpu> gpus;
  std::string why_no_gpu;  ///< empty if one can be used
  std::string cuda;        ///< "CUDA 13.0, sm_90"; empty without
};

std::string gibibytes(std::int64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (std::int64_t{1} << 30));
}

std::string text_of(const Gpu& gpu) {
  if (gpu.name.empty()) return gpu.problem;
  const std::string facts =
      fmt::format("{}, compute capability {}.{}, {}", gpu.name, gpu.major, gpu.minor, gibibytes(gpu.memory_bytes));
  if (!gpu.problem.empty()) return fmt::format("{}; not usable: {}", facts, gpu.problem);
  return fmt::format("{}, {} free; usable", facts, gibibytes(gpu.free_bytes));
}

std::string line(std::string_view label, std::string_view text) { return fmt::format("{:<11}{}\n", label, text); }

std::string text_of(const Devices& devices) {
  std::string text = line("cpu", devices.cpu);
  for (const Gpu& gpu : devices.gpus) text += line(fmt::format("cuda:{}", gpu.index), text_of(gpu));
  if (devices.gpus.empty()) text += line("no cuda", devices.why_no_gpu);
  return text + line("built for", devices.cuda.empty() ? "the CPU only, without CUDA" : "the CPU; " + devices.cuda);
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

nlohmann::ordered_json json_of(const Gpu& gpu) {
  nlohmann::ordered_json json;
  json["device"] = device_text({Device::Cuda, gpu.index});
  json["name"] = gpu.name;
  json["compute_capability"] = fmt::format("{}.{}", gpu.major, gpu.minor);
  json["memory_bytes"] = gpu.memory_bytes;
  json["free_bytes"] = gpu.free_bytes;
  json["usable"] = gpu.problem.empty();
  json["problem"] = text_or_null(gpu.problem);
  return json;
}

std::string json_text(const Devices& devices) {
  nlohmann::ordered_json json;
  json["cpu"] = devices.cpu;
  json["gpus"] = nlohmann::ordered_json::array();
  for (const Gpu& gpu : devices.gpus) json["gpus"].push_back(json_of(gpu));
  json["why_no_gpu"] = text_or_null(devices.why_no_gpu);
  json["cuda"] = text_or_null(devices.cuda);
  json["version"] = TAMIS_VERSION;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void run(const DevicesFlags& flags, Session& session) {
  const Context context = flags.compute.context(session);
  Outputs outputs(session);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  const Devices devices{context.describe(Device::Cpu), gpus(), why_no_gpu(), cuda_build()};
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(devices));
  outputs.commit();
  if (!flags.compute.quiet) fmt::print("{}", text_of(devices));
}

}  // namespace

void add_devices(const Command& program, Session& session) {
  const auto flags = std::make_shared<DevicesFlags>();
  const Command command = program.add_command("devices", "the CPU, the GPUs, and what tamis was built for");
  add_output(command, "--json", flags->json, "the same as JSON");
  flags->compute.add_quiet_to(command);
  command.show_examples(
      "tamis devices\n"
      "tamis devices --json devices.json");
  command.run([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
