#include "core/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include <tamis/error.hpp>

namespace tamis {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
// Below this a page table walk costs nothing worth a mapping of its own.
constexpr std::size_t map_from = huge_page;

std::size_t padded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

[[noreturn]] void out_of_memory(std::size_t bytes) {
  throw ResourceError("out of memory: " + std::to_string((bytes >> 20) + 1) + " MiB could not be allocated");
}

}  // namespace

std::byte* allocate_zeroed(std::size_t bytes) {
  if (bytes >= map_from) {
    const std::size_t size = padded(bytes, huge_page);
    // One huge page more than needed, so that an aligned start can be cut out.
    void* const whole = mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED) out_of_memory(bytes);
    auto* const start = static_cast<std::byte*>(whole);
    const std::size_t skip =
        padded(reinterpret_cast<std::size_t>(start), huge_page) - reinterpret_cast<std::size_t>(start);
    if (skip > 0) munmap(start, skip);
    if (skip < huge_page) munmap(start + skip + size, huge_page - skip);
    madvise(start + skip, size, MADV_HUGEPAGE);  // a wish; without it the pages are small and all else is the same
    return start + skip;
  }
  const std::size_t size = padded(bytes == 0 ? 1 : bytes, 64);
  void* const memory = std::aligned_alloc(64, size);
  if (!memory) out_of_memory(bytes);
  std::memset(memory, 0, size);
  return static_cast<std::byte*>(memory);
}

namespace {

/// A number in a file of the kernel; nothing if the file is missing or says "max".
std::optional<std::int64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// The page cache of the control group: given back when memory is wanted.
std::int64_t cached_in_container() {
  std::ifstream table("/sys/fs/cgroup/memory.stat");
  std::string key;
  for (std::int64_t bytes = 0; table >> key >> bytes;) {
    if (key == "file") return bytes;
  }
  return 0;
}

/// What the control group of a container leaves, if it has a limit.
std::optional<std::int64_t> left_in_container() {
  const std::optional<std::int64_t> limit = number_in("/sys/fs/cgroup/memory.max");
  const std::optional<std::int64_t> used = number_in("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return std::nullopt;
  return std::max<std::int64_t>(*limit - *used + cached_in_container(), 1);
}

}  // namespace

std::int64_t available_memory() {
  std::ifstream table("/proc/meminfo");
  std::string key;
  std::int64_t kibibytes = 0;
  for (std::string unit; table >> key >> kibibytes; std::getline(table, unit)) {
    if (key != "MemAvailable:") continue;
    return std::min(kibibytes * 1024, left_in_container().value_or(kibibytes * 1024));
  }
  return left_in_container().value_or(0);
}

void release(std::byte* memory, std::size_t bytes) {
  if (bytes >= map_from) {
    munmap(memory, padded(bytes, huge_page));
  } else {
    std::free(memory);
  }
}

}  // namespace tamis
