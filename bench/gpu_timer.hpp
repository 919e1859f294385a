// Device time of what is queued on a stream, for the benchmarks on a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "bench/measure.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::bench {

/// Calls that take 2 ms and more together: the first launch is then no part of what is seen.
inline int calls_of(double milliseconds) {
  return std::clamp(static_cast<int>(2 / std::max(milliseconds, 1e-3)) + 1, 1, 200);
}

class Timer {
 public:
  explicit Timer(const cuda::Stream& stream) : stream_(stream.get()) {
    cuda::check(cudaEventCreate(&start_), "create an event");
    cuda::check(cudaEventCreate(&stop_), "create an event");
  }
  ~Timer() {
    static_cast<void>(cudaEventDestroy(start_));
    static_cast<void>(cudaEventDestroy(stop_));
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void start() const { cuda::check(cudaEventRecord(start_, stream_), "record an event"); }
  void stop() const { cuda::check(cudaEventRecord(stop_, stream_), "record an event"); }
  /// Milliseconds from start() to stop(), which it waits for.
  [[nodiscard]] double milliseconds() const {
    cuda::check(cudaEventSynchronize(stop_), "wait for the device");
    float all = 0;
    cuda::check(cudaEventElapsedTime(&all, start_, stop_), "read two events");
    return static_cast<double>(all);
  }
  /// Of one of so many calls.
  template <class Work>
  [[nodiscard]] double milliseconds(int calls, const Work& work) const {
    start();
    for (int i = 0; i < calls; ++i) work();
    stop();
    return milliseconds() / calls;
  }

  /// Of so many batches of calls_of() calls; of work that takes long three are enough. Sorted.
  template <class Work>
  [[nodiscard]] std::vector<double> batches(int count, const Work& work) const {
    static_cast<void>(milliseconds(1, work));  // kernels are loaded by their first call
    const double once = milliseconds(1, work);
    const int calls = calls_of(once);
    std::vector<double> times;
    for (int i = 0; i < (once > 10 ? std::min(count, 3) : count); ++i) times.push_back(milliseconds(calls, work));
    std::sort(times.begin(), times.end());
    return times;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// Of sorted times.
inline double median(const std::vector<double>& times) { return times[times.size() / 2]; }
inline Json figures(const std::vector<double>& times, double samples) {
  return {{"median_ms", median(times)},
          {"min_ms", times.front()},
          {"max_ms", times.back()},
          {"gpx_per_s", samples / median(times) / 1e6}};
}

inline Json machine() {
  int cuda = 0;
  cuda::check(cudaDriverGetVersion(&cuda), "ask the driver");
  std::string driver;
  std::getline(std::ifstream("/sys/module/nvidia/version"), driver);
  return {{"gpu", gpus().front().name},
          {"driver", driver},
          {"driver_cuda", std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10)},
          {"built_for", cuda_build()},
          {"cpu", Context{}.describe(Device::Cpu)}};
}

/// Throws ResourceError where there is nothing to measure.
inline void require_gpu() {
  if (const std::string problem = why_no_gpu(); !problem.empty()) {
    throw ResourceError("no GPU to measure: " + problem + "; wanted one that tamis can use");
  }
}

}  // namespace tamis::bench
