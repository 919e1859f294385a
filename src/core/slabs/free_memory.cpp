#include "core/slabs/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace tamis {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// "MemAvailable:   24000000 kB"
std::int64_t available() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::int64_t kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes) return kibibytes << 10;
  }
  return no_limit;
}

/// The number in a file; nothing where there is another word ("max") or no file.
std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// What the memory limit of a control group (version 2) and of those around it leaves.
std::int64_t left_by_groups() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  std::int64_t left = no_limit;
  while (std::getline(file, line)) {
    if (!line.starts_with("0::")) continue;
    for (std::string group = line.substr(3); !group.empty(); group.resize(group.rfind('/'))) {
      const std::string folder = "/sys/fs/cgroup" + (group == "/" ? std::string() : group);
      const std::optional<std::int64_t> most = number_in(folder + "/memory.max");
      const std::optional<std::int64_t> used = number_in(folder + "/memory.current");
      if (most && used) left = std::min(left, std::max<std::int64_t>(*most - *used, 0));
    }
  }
  return left;
}

}  // namespace

std::int64_t free_memory() { return std::min(available(), left_by_groups()); }

}  // namespace tamis
