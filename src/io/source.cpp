

#include "io/format.hpp"
#include "io/refuse.hpp"

namespace tamis::io {

void Source::read(std::int64_t z0, std::int64_t count, std::byte* out) {
  if (z0 < 0 || count < 0 || count > layout_.shape.z - z0) {
    refuse("{}: got a request for slices {}..{}, wanted slices within 0..{}", path_, z0, z0 + count - 1,
           layout_.shape.z - 1);
  }
  if (count > 0) read_slices(z0, count, out);
}

std::int64_t choose_time(const std::string& path, std::int64_t times, std::optional<std::int64_t> wanted) {
  const std::string choices = times == 1 ? "0" : fmt::format("0..{}", times - 1);
  if (!wanted && times > 1) refuse("{} has {} times; wanted one: choose it with `time {}`", path, times, choices);
  const std::int64_t time = wanted.value_or(0);
  if (time >= 0 && time < times) return time;
  refuse("{}: time {}; wanted {}", path, time, choices);
}

}  // namespace tamis::io
