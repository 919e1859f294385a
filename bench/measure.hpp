// What programs that measure share: times, and lines of JSON.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <nlohmann/json.hpp>
#include <tamis/context.hpp>

namespace tamis::bench {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they are written

inline void print(const Json& line) {
  std::puts(line.dump().c_str());
  std::fflush(stdout);
}

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Times {
  double median = 0, least = 0, most = 0;
};
inline Times times_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

inline Context on(Device device) {
  Context context;
  context.device = device;
  return context;
}

}  // namespace tamis::bench
