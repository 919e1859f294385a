// For tests that need a GPU: TEST_F(GpuGranulometry, ...) with `class GpuGranulometry : public GpuTest {};`.
// Their suites start with Gpu: that is how `make gpu-test` finds them. Elsewhere they are skipped and counted.
#pragma once

#include <vector>

#include <gtest/gtest.h>
#include <tamis/context.hpp>
#include <tamis/gpu.hpp>

#include "core/device.hpp"

namespace tamis {

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!ask_gpu(0).problem.empty()) GTEST_SKIP() << "no GPU";
  }

  /// A context that asks for the first GPU.
  static Context on_gpu() {
    Context context;
    context.device = Device::Cuda;
    return context;
  }
};

/// So many more GPUs than the first one: those of the machine in turn. Where there is one it counts as several, each
/// with a stream and memory of its own.
inline std::vector<int> more_gpus(std::size_t count) {
  static const std::size_t all = gpus().size();
  std::vector<int> more;
  for (std::size_t i = 1; i <= count; ++i) more.push_back(static_cast<int>(i % all));
  return more;
}

}  // namespace tamis
