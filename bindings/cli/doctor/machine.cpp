// The machine: kernel, processor, memory, GPUs, and settings of whoever runs tamis.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <tamis/context.hpp>
#include <tamis/gpu.hpp>

#include "cli/doctor/facts.hpp"

namespace tamis::cli {
namespace {

constexpr std::string_view not_known = "not known";

/// "23.4 GiB".
std::string gibibytes(double bytes) { return fmt::format("{:.1f} GiB", bytes / (std::int64_t{1} << 30)); }

/// The first line of a file of the kernel that begins with `label`, from behind its colon on; empty without one.
std::string line_of(const char* file, std::string_view label) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(label)) continue;
    const std::size_t colon = label.empty() ? std::string::npos : line.find(':');
    const std::size_t start = colon == std::string::npos ? 0 : line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

std::string or_not_known(const std::string& text) { return text.empty() ? std::string(not_known) : text; }

/// What the kernels of tamis ask of a processor, as far as it has it.
std::string instruction_sets_here() {
  std::istringstream all(line_of("/proc/cpuinfo", "flags"));
  std::string found;
  for (std::string flag; all >> flag;) {
    const bool asked = flag.starts_with("avx") || flag == "bmi2" || flag == "fma" || flag == "sse4_2" || flag == "gfni";
    if (asked) found += (found.empty() ? "" : " ") + flag;
  }
  return or_not_known(found);
}

/// "MemTotal: 24000000 kB" as gibibytes.
std::string memory(std::string_view label) {
  const std::string text = line_of("/proc/meminfo", label);
  return text.empty() ? std::string(not_known) : gibibytes(std::strtod(text.c_str(), nullptr) * 1024);
}

/// What a container or a batch system allows; empty where it sets no limit.
std::string group_limit() {
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const double bytes = std::strtod(line_of(file, "").c_str(), nullptr);
    constexpr double none = 1e18;  // the second file has a number near 2^63 where there is no limit
    if (bytes > 0 && bytes < none) return gibibytes(bytes);
  }
  return {};
}

std::string address_space_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return gibibytes(static_cast<double>(limit.rlim_cur));
}

std::string system_name() {
  std::string name = line_of("/etc/os-release", "PRETTY_NAME=");
  const std::size_t quote = name.find('"');
  if (quote != std::string::npos) name = name.substr(quote + 1, name.rfind('"') - quote - 1);
  return or_not_known(name);
}

std::string kernel() {
  utsname system{};
  if (::uname(&system) != 0) return std::string(not_known);
  return fmt::format("{} {} {}", system.sysname, system.release, system.machine);
}

}  // namespace

std::string gpu_text(const Gpu& gpu) {
  if (gpu.name.empty()) return gpu.problem;
  const std::string facts = fmt::format("{}, compute capability {}.{}, {}", gpu.name, gpu.major, gpu.minor,
                                        gibibytes(static_cast<double>(gpu.memory_bytes)));
  if (!gpu.problem.empty()) return fmt::format("{}; not usable: {}", facts, gpu.problem);
  return fmt::format("{}, {} free; usable", facts, gibibytes(static_cast<double>(gpu.free_bytes)));
}

std::vector<Fact> machine_facts() {
  std::vector<Fact> facts{{"system", system_name()},
                          {"kernel", kernel()},
                          {"processor", or_not_known(line_of("/proc/cpuinfo", "model name"))},
                          {"instructions", instruction_sets_here()},
                          {"tamis uses", Context().describe(Device::Cpu)},
                          {"memory", memory("MemTotal:")},
                          {"available", memory("MemAvailable:")}};
  if (const std::string limit = group_limit(); !limit.empty()) facts.emplace_back("limit of the group", limit);
  if (const std::string limit = address_space_limit(); !limit.empty()) facts.emplace_back("limit of addresses", limit);
  return facts;
}

std::vector<Fact> gpu_facts() {
  const std::string driver = line_of("/proc/driver/nvidia/version", "NVRM version:");
  std::vector<Fact> facts{{"driver", driver.empty() ? "no NVIDIA driver is loaded" : driver}};
  for (const Gpu& gpu : gpus()) facts.emplace_back(fmt::format("cuda:{}", gpu.index), gpu_text(gpu));
  if (const std::string why = why_no_gpu(); !why.empty()) facts.emplace_back("no GPU", why);
  return facts;
}

std::vector<Fact> environment_facts() {
  constexpr std::array names{"CUDA_VISIBLE_DEVICES",
                             "CUDA_CACHE_DISABLE",
                             "CUDA_CACHE_PATH",
                             "CUDA_LAUNCH_BLOCKING",
                             "CUDA_MODULE_LOADING",
                             "GLIBC_TUNABLES",
                             "LANG",
                             "LC_ALL",
                             "LD_LIBRARY_PATH",
                             "LD_PRELOAD",
                             "MALLOC_ARENA_MAX",
                             "TMPDIR"};
  std::vector<Fact> facts;
  for (const char* const name : names) {
    if (const char* const value = std::getenv(name)) facts.emplace_back(name, value);
  }
  return facts;
}

}  // namespace tamis::cli
