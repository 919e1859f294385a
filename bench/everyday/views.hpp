// What the rows of everyday_views_bench have in common: two calls that do the same, measured in turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include <fmt/format.h>

namespace everyday {

using Call = std::function<void()>;

inline double seconds(const Call& call, int repetitions) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repetitions;
}

/// Prints the least time of one call of each, of turns of at least 2 ms.
inline void measure(const std::string& size, const std::string& name, const Call& tamis, const std::string& peer, const Call& theirs) {
  const auto often = [](const Call& call) { return 1 + static_cast<int>(0.002 / seconds(call, 2)); };
  const int repetitions[] = {often(tamis), often(theirs)};
  const int turns = seconds(theirs, 1) < 0.5 ? 25 : 3;
  double least[2] = {1e9, 1e9};
  for (int turn = 0; turn < turns; ++turn) {
    least[0] = std::min(least[0], seconds(tamis, repetitions[0]));
    least[1] = std::min(least[1], seconds(theirs, repetitions[1]));
  }
  fmt::print("{{\"size\": \"{}\", \"call\": \"{}\", \"ms\": {:.5f}, \"peer\": \"{}\", \"peer_ms\": {:.5f}, \"ratio\": {:.3f}}}\n",
             size, name, 1e3 * least[0], peer, 1e3 * least[1], least[1] / least[0]);
  std::fflush(stdout);
}

/// The rows of a volume, beside ITK's filters.
void measure_volumes(int threads);

}  // namespace everyday
