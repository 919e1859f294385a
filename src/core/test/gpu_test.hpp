// For tests that need a GPU: TEST_F(GpuGranulometry, ...) with `class GpuGranulometry : public GpuTest {};`.
// Their suites start with Gpu: that is how `make gpu-test` finds them. Elsewhere they are skipped and counted.
#pragma once

#include <gtest/gtest.h>
#include <tamis/context.hpp>

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

}  // namespace tamis
