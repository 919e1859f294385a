#include <tamis/context.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/cpu/parallel.hpp"
#include "core/cpu/simd.hpp"
#include "core/device.hpp"

namespace tamis {
namespace {

/// "NVIDIA H200 (GPUs 0, 2)"; those with other names on their own.
std::string gpus_of(const Context& context) {
  std::vector<int> all = {context.gpu};
  all.insert(all.end(), context.more_gpus.begin(), context.more_gpus.end());
  std::vector<std::pair<std::string, std::string>> numbers_of;  // by name
  for (const int gpu : all) {
    const std::string name = ask_gpu(gpu).name;
    const auto same = std::find_if(numbers_of.begin(), numbers_of.end(), [&](const auto& one) { return one.first == name; });
    if (same == numbers_of.end()) {
      numbers_of.emplace_back(name, std::to_string(gpu));
    } else {
      same->second += ", " + std::to_string(gpu);
    }
  }
  std::string text;
  for (const auto& [name, numbers] : numbers_of) {
    const bool several = numbers.find(',') != std::string::npos;
    text += fmt::format("{}{} (GPU{} {})", text.empty() ? "" : ", ", name, several ? "s" : "", numbers);
  }
  return text;
}

}  // namespace

Context Context::best() { return {}; }

std::string Context::describe() const { return describe(device); }

std::string Context::describe(Device chosen) const {
  if (chosen == Device::Cuda) return gpus_of(*this);
  const int count = thread_count(*this);
  return "CPU, " + std::to_string(count) + (count == 1 ? " thread, " : " threads, ") + simd_name(simd);
}

}  // namespace tamis
